from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.core.secrets import is_secret_name, mask_text, mask_value

words = st.text(st.characters(codec="ascii", min_codepoint=33, max_codepoint=126), min_size=1)


@settings(derandomize=True, deadline=None)
@given(words)
def test_a_password_in_a_uri_never_shows(password: str) -> None:
    secret = f"hid{password}den"
    masked = mask_text(f"cannot reach postgresql://me:{secret}@db.example.com/lake today")
    assert secret not in masked
    assert "hid" not in masked
    assert "postgresql://me:***@" in masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("https://ghp_token@host/x", "https://***@host/x"),
        ("https://host:8181/x", "https://host:8181/x"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("https://h/x?a=1&sig=abc&b=2", "https://h/x?a=1&sig=***&b=2"),
        ("host=db password=hunter2 port=1", "host=db password=*** port=1"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_secrets_that_show_by_their_shape(text: str, masked: str) -> None:
    assert mask_text(text) == masked


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "s3.secret-access-key",
        "s3.access-key-id",
        "PASSWORD",
        "oauth2.credential",
        "apiKey",
    ],
)
def test_secret_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["uri", "unique_key", "primary-key", "null_keys", "region"])
def test_harmless_names(name: str) -> None:
    assert not is_secret_name(name)


def test_values_are_looked_through() -> None:
    value = {
        "password": "x",
        "nested": {"token": "y", "n": 1},
        "list": ["http://u:p@h"],
        "off": False,
    }
    assert mask_value("vars", value) == {
        "password": "***",
        "nested": {"token": "***", "n": 1},
        "list": ["http://u:***@h"],
        "off": False,
    }


def test_an_unset_secret_shows_that_it_is_unset() -> None:
    assert mask_value("token", None) is None
    assert mask_value("token", "") == ""
