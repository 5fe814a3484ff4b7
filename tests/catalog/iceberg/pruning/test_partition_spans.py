"""A value lies within what its partition says: for every transform, judged by PyIceberg's own."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    UnknownTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from lakeport.catalog.iceberg.pruning.spans import array_of, keeps_nulls, spans
from lakeport.catalog.predicates.ordering import keys

INT = st.integers(-(2**31), 2**31 - 1)
DAYS = st.integers(-700_000, 2_900_000)
MICROSECONDS = st.integers(-(60 * 10**15), 250 * 10**15)
NANOSECONDS = st.integers(-(9 * 10**18), 9 * 10**18)
DECIMALS = st.integers(-(10**9) + 1, 10**9 - 1).map(lambda number: Decimal(number).scaleb(-2))

PERIODS: list[Transform[Any, Any]] = [
    YearTransform(),
    MonthTransform(),
    DayTransform(),
    HourTransform(),
]
CASES: list[tuple[Transform[Any, Any], PrimitiveType, st.SearchStrategy[Any]]] = [
    (IdentityTransform(), LongType(), INT),
    (IdentityTransform(), StringType(), st.text(max_size=5)),
    (IdentityTransform(), UUIDType(), st.uuids()),
    (TruncateTransform(10), IntegerType(), INT),
    (TruncateTransform(7), LongType(), st.integers(-(2**63), 2**63 - 1)),
    (TruncateTransform(25), DecimalType(9, 2), DECIMALS),
    (TruncateTransform(2), StringType(), st.text(max_size=5)),
    (TruncateTransform(2), BinaryType(), st.binary(max_size=5)),
    *((transform, DateType(), DAYS) for transform in PERIODS[:3]),
    *(
        (transform, kind, moments)
        for transform in PERIODS
        for kind, moments in (
            (TimestampType(), MICROSECONDS),
            (TimestamptzType(), MICROSECONDS),
            (TimestampNanoType(), NANOSECONDS),
        )
    ),
]


def ordered(array: Any) -> Any:
    """Something Python orders as DuckDB does."""
    value = keys(array)[0]
    if not value.is_valid:
        return None
    if pa.types.is_string(value.type):
        return value.as_py().encode()
    if pa.types.is_temporal(value.type):
        return value.cast(pa.int32() if pa.types.is_date32(value.type) else pa.int64()).as_py()
    return value.as_py()


@pytest.mark.parametrize(("transform", "kind", "values"), CASES, ids=lambda one: str(one)[:18])
def test_a_value_is_between_the_ends_of_its_partition(
    transform: Transform[Any, Any], kind: PrimitiveType, values: st.SearchStrategy[Any]
) -> None:
    @settings(derandomize=True, max_examples=60, deadline=None)
    @given(values)
    def check(value: Any) -> None:
        partition = transform.transform(kind)(value)
        low, high = (ordered(end) for end in spans(transform, kind, [partition]))
        own = ordered(array_of([value], kind))
        assert low is None or low <= own
        assert high is None or own <= high

    check()


def ends(transform: Transform[Any, Any], kind: PrimitiveType, value: Any) -> tuple[Any, Any]:
    low, high = spans(transform, kind, [value])
    return ordered(low), ordered(high)


def test_periods_end_with_their_last_moment() -> None:
    day = 86_400 * 10**6
    assert ends(DayTransform(), TimestampType(), 1) == (day, 2 * day - 1)
    assert ends(HourTransform(), TimestamptzType(), 1) == (day // 24, day // 12 - 1)
    assert ends(MonthTransform(), DateType(), 1) == (31, 58)
    assert ends(YearTransform(), DateType(), 1) == (365, 729)
    assert (
        ends(YearTransform(), TimestampNanoType(), 30)[1]
        == ends(YearTransform(), TimestampType(), 30)[1] * 1000 + 999
    )


def test_a_period_up_to_1970_may_hold_the_one_before() -> None:
    """Old writers rounded towards 1970: the last second of 1969 is in day 0 of some tables."""
    assert ends(DayTransform(), DateType(), 0) == (-1, 0)
    assert ends(DayTransform(), DateType(), -3) == (-4, -3)


def test_a_number_wrapped_around_by_its_writer_says_nothing() -> None:
    """The smallest int cannot be rounded down; Java gives 2147483646."""
    assert ends(TruncateTransform(10), IntegerType(), 2**31 - 2) == (None, None)
    assert ends(TruncateTransform(10), LongType(), 2**31 - 2) == (None, None)
    assert ends(TruncateTransform(10), LongType(), 2**63 - 8) == (None, None)


def test_decimals_of_all_digits_are_exact() -> None:
    value = Decimal("9999999999999999999999999999999999.9975")
    assert ends(TruncateTransform(25), DecimalType(38, 4), value) == (
        value,
        Decimal("9999999999999999999999999999999999.9999"),
    )


def test_a_text_shorter_than_the_width_is_whole() -> None:
    assert ends(TruncateTransform(3), StringType(), "ab") == (b"ab", b"ab")
    assert ends(TruncateTransform(2), StringType(), "ab") == (b"ab", b"ac")


def test_a_text_that_nothing_is_above_has_no_upper_end() -> None:
    last = chr(0x10FFFF)
    assert ends(TruncateTransform(1), StringType(), last) == (last.encode(), None)
    assert ends(TruncateTransform(2), StringType(), "a" + last)[1] == b"b"
    assert ends(TruncateTransform(1), StringType(), "\ud7ff")[1] == "\ue000".encode()
    assert ends(TruncateTransform(1), BinaryType(), b"\xff") == (b"\xff", None)


@pytest.mark.parametrize("value", [10**12, -(10**12)])
def test_a_period_too_far_away_says_nothing(value: int) -> None:
    assert ends(YearTransform(), TimestampType(), value) == (None, None)
    assert ends(HourTransform(), TimestampNanoType(), value) == (None, None)


@pytest.mark.parametrize(
    "transform", [VoidTransform(), BucketTransform(4), UnknownTransform("zorder")], ids=str
)
def test_a_transform_without_order_has_no_ends(transform: Transform[Any, Any]) -> None:
    assert ends(transform, LongType(), 3) == (None, None)


def test_void_and_unknown_transforms_say_nothing_of_null() -> None:
    kept: list[Transform[Any, Any]] = [IdentityTransform(), BucketTransform(4)]
    kept += [TruncateTransform(3), *PERIODS]
    assert all(keeps_nulls(transform) for transform in kept)
    assert not keeps_nulls(VoidTransform())
    assert not keeps_nulls(UnknownTransform("zorder"))


def test_values_that_the_column_cannot_hold_say_nothing() -> None:
    assert array_of([1, 2**40, None], IntegerType()).to_pylist() == [1, None, None]
