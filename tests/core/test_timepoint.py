from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.core.errors import InvalidRequestError
from lakeport.core.timepoint import (
    NANOSECONDS,
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
    format_time,
    from_nanoseconds,
    from_seconds,
    from_unit,
    parse_point,
    parse_time,
)

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2020-01-02 03:04:05.678", "2020-01-02T03:04:05.678Z"),
        ("2020-01-02 01:04:05+00", "2020-01-02T01:04:05Z"),
        ("2020-01-02 01:04:05-05:30", "2020-01-02T06:34:05Z"),
        ("2020-01-02", "2020-01-02T00:00:00Z"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00Z"),
        ("2024-01-15T10:30:00.123456789+0200", "2024-01-15T08:30:00.123456789Z"),
        ("2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
        ("20240-01-15 00:00:00", "20240-01-15T00:00:00Z"),
        ("infinity", "infinity"),
        ("-infinity", "-infinity"),
        ("0044-03-15 (BC)", "-043-03-15T00:00:00Z"),
    ],
)
def test_every_spelling_of_a_time_is_read(text: str, iso: str) -> None:
    assert format_time(parse_time(text)) == iso


@given(st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31), timezones=st.just(dt.UTC)))  # noqa: DTZ001
def test_times_agree_with_the_standard_library(moment: dt.datetime) -> None:
    expected = (moment - EPOCH) // dt.timedelta(microseconds=1) * 1000
    assert parse_time(moment.isoformat()) == expected
    assert parse_time(format_time(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2023-02-29",
        "2024-13-01",
        "2024-01-15 25:00:00",
        "2024-01-15T10:30:00+99",
        "10:30",
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        parse_time(text)


@pytest.mark.parametrize(
    ("unit", "value", "point"),
    [
        ("", "", None),
        ("VERSION", "2", AtVersion(2)),
        ("version", "0", AtVersion(0)),
        ("TIMESTAMP", "1970-01-01 00:00:01", AtTime(NANOSECONDS)),
        ("timestamp_ns", "5", AtTime(5)),
        ("snapshot", "8123", AtSnapshot(8123)),
        ("Snapshot", "release", AtRef("release")),
    ],
)
def test_airport_units_are_read_in_any_case(unit: str, value: str, point: TimePoint | None) -> None:
    assert from_unit(unit, value) == point


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("VERSION", "abc"),
        ("VERSION", "-1"),
        ("snapshot", ""),
        ("WEEK", "1"),
        ("", "1"),
        ("VERSION", "9" * 30),
    ],
)
def test_bad_units_and_values_are_refused(unit: str, value: str) -> None:
    with pytest.raises(InvalidRequestError):
        from_unit(unit, value)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("3", AtVersion(3)),
        ("version:3", AtVersion(3)),
        ("version 3", AtVersion(3)),
        ("Version = 3", AtVersion(3)),
        ("tag nightly build", AtRef("nightly build", "tag")),
        ("snapshot:99", AtSnapshot(99)),
        ("tag:v1", AtRef("v1", "tag")),
        ("branch:dev", AtRef("dev", "branch")),
        ("nightly", AtRef("nightly")),
        ("ts:1", AtTime(NANOSECONDS)),
        ("ts_ns:7", AtTime(7)),
        ("1970-01-02", AtTime(86_400 * NANOSECONDS)),
    ],
)
def test_what_people_type_after_at(text: str, point: TimePoint) -> None:
    assert parse_point(text) == point


@pytest.mark.parametrize("value", [-1, 2**63, True, 1.5, "1", None])
def test_contract_001_timestamps_are_non_negative_int64(value: object) -> None:
    with pytest.raises(InvalidRequestError):
        from_seconds(value)
    with pytest.raises(InvalidRequestError):
        from_nanoseconds(value)


def test_contract_001_timestamps() -> None:
    assert from_seconds(1704067200) == AtTime(parse_time("2024-01-01"))
    assert from_nanoseconds(2**63 - 1) == AtTime(2**63 - 1)
