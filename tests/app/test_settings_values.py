from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.app.settings.keys import all_keys
from lakeport.app.settings.values import Address, read_toml, shown_text, type_text

hosts = st.one_of(
    st.ip_addresses().map(str), st.from_regex(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", fullmatch=True)
)


@settings(derandomize=True, deadline=None)
@given(hosts, st.integers(0, 65_535))
def test_an_address_reads_back_as_it_is_written(host: str, port: int) -> None:
    address = Address(host, port)
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize(
    "text", ["", ":", "host", "host:", ":8815", "::1:8815", "h:-1", "h:65536", "h:٣"]
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"HOST:PORT|is not a port"):
        Address.parse(text)


@settings(derandomize=True, deadline=None)
@given(st.text(min_size=1))
def test_a_quoted_toml_text_reads_as_its_content(text: str) -> None:
    quoted = json.dumps(text).replace(
        "\x7f", "\\u007f"
    )  # TOML wants this one escaped, JSON does not
    try:
        expected = tomllib.loads(f"x = {quoted}")["x"]
    except tomllib.TOMLDecodeError:  # a lone surrogate pair escape
        expected = quoted
    assert read_toml(quoted) == expected


@pytest.mark.parametrize("text", ["eu-west", "007", "a = 1", "1\nb = 2", "", "{", "2024-13-01"])
def test_text_that_is_no_toml_literal_is_itself(text: str) -> None:
    assert read_toml(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not set"),
        (False, "false"),
        (0, "0"),
        ("a", '"a"'),
        ([1, "b"], '[1, "b"]'),
        ({"a": True}, "{a = true}"),
        (Path("models"), '"models"'),
        (Address("::1", 5), '"[::1]:5"'),
    ],
)
def test_values_are_shown_as_toml(value: object, text: str) -> None:
    assert shown_text(value) == text


def test_every_type_has_a_name_for_people() -> None:
    named = {key.name: type_text(key.type) for key in all_keys().values()}
    assert named["server.grpc"] == "HOST:PORT"
    assert named["pipeline.jars"] == "list of path"
    assert named["maintenance.auto"] == "true or false"
    assert named["log.format"] == '"text" or "json"'
    assert all(key.is_open == (named[key.name] == "table") for key in all_keys().values())
