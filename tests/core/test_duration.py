from __future__ import annotations

import pytest

from lakeport.core.duration import parse_duration
from lakeport.core.errors import InvalidRequestError

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("30s", 30),
        ("15m", 900),
        (" 12 H ", 43_200),
        ("3d", 259_200),
        ("1.5d", 129_600),
        ("2w", 1_209_600),
    ],
)
def test_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds * SECOND


@pytest.mark.parametrize(
    "text", ["", "3", "d", "-1d", "3x", "1e3s", "\u0661d", "1d2h", "1" * 12 + "d"]
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="not a length of time") as caught:
        parse_duration(text)
    assert caught.value.hint == "write a number and one of s, m, h, d, w: 30s, 12h, 3d"
