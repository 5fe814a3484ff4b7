"""Where a server may listen."""

from __future__ import annotations

import pytest

from lakeport.access.exposure import check_exposure, is_loopback, opens_at_first
from lakeport.core.errors import ConfigurationError


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LOCALHOST.", "::ffff:127.0.0.1"],
)
def test_this_machine_is_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "192.168.1.2", "lake.example.com", "localhost.example.com", "", "127.0.0"],  # noqa: S104
)
def test_anything_else_is_not(host: str) -> None:
    assert not is_loopback(host)


def test_everyone_is_admin_at_first_only_if_all_doors_are_on_loopback() -> None:
    assert opens_at_first("auto", ["127.0.0.1", "localhost"])
    assert not opens_at_first("auto", ["127.0.0.1", "0.0.0.0"])  # noqa: S104
    assert not opens_at_first("required", ["127.0.0.1"])


@pytest.mark.parametrize("has_tokens", [False, True])
@pytest.mark.parametrize("has_tls", [False, True])
def test_beyond_loopback_both_tokens_and_encryption_are_needed(
    *, has_tokens: bool, has_tls: bool
) -> None:
    hosts = ["127.0.0.1", "0.0.0.0"]  # noqa: S104
    check_exposure(hosts[:1], has_tokens=has_tokens, has_tls=has_tls, insecure=False)
    check_exposure(hosts, has_tokens=has_tokens, has_tls=has_tls, insecure=True)
    if has_tokens and has_tls:
        check_exposure(hosts, has_tokens=True, has_tls=True, insecure=False)
        return
    with pytest.raises(ConfigurationError, match="beyond this machine") as refused:
        check_exposure(hosts, has_tokens=has_tokens, has_tls=has_tls, insecure=False)
    assert "--insecure" in (refused.value.hint or "")
