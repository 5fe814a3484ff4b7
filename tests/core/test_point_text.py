from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.core.timepoint import (
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
    parse_point,
    parse_time,
    point_text,
)

NUMBERS = st.integers(0, 2**63 - 1)
MOMENTS = st.integers(parse_time("0001-01-01"), parse_time("9999-12-31"))
POINTS = st.one_of(NUMBERS.map(AtVersion), NUMBERS.map(AtSnapshot), MOMENTS.map(AtTime))


@given(POINTS)
def test_a_point_is_read_back_as_it_was_written(point: TimePoint) -> None:
    assert parse_point(point_text(point)) == point


@pytest.mark.parametrize(
    "point",
    [
        AtRef("2024-01-15"),
        AtRef("v1", "tag"),
        AtRef("7", "branch"),
        AtRef("größe: 3"),
        AtTime(parse_time("infinity")),
        AtTime(parse_time("-infinity")),
        AtTime(1),
    ],
)
def test_names_and_infinities_are_read_back_too(point: TimePoint) -> None:
    assert parse_point(point_text(point)) == point
