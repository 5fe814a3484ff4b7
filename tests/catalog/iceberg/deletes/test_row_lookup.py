"""Looking rows up by their values: as a Python set of tuples would, for every type."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.iceberg.deletes.lookup import RowSet
from tests.strategies import seeded

COLUMNS: dict[str, pa.Array[Any]] = {
    "bool": pa.array([True, False, None]),
    "int": pa.array([1, -1, 0, 2**31 - 1, None], pa.int32()),
    "long": pa.array([1, -(2**63), 2**63 - 1, 0, None]),
    "float": pa.array([1.5, 0.0, -0.0, math.nan, math.inf, None], pa.float32()),
    "double": pa.array([1.5, 0.0, -0.0, math.nan, -math.inf, None]),
    "decimal": pa.array([Decimal("1.20"), Decimal("-0.01"), Decimal("0.00"), None]),
    "date": pa.array([date(1970, 1, 1), date(2024, 2, 29), None]),
    "time": pa.array([0, 86_399_999_999, None], pa.time64("us")),
    "timestamp": pa.array([0, -1, 2**50, None], pa.timestamp("us")),
    "timestamptz": pa.array([datetime(2024, 1, 1, tzinfo=UTC), None], pa.timestamp("us", "UTC")),
    "timestamp_ns": pa.array([0, 1000, None], pa.timestamp("ns")),
    "string": pa.array(["", "a", "A", "ä", "a\u0308", "𝄞", None]),
    "uuid": pa.array([UUID(int=1).bytes, UUID(int=2).bytes, None], pa.uuid()),
    "fixed": pa.array([b"abcd", b"abce", None], pa.binary(4)),
    "binary": pa.array([b"", b"\0", b"\xff", None]),
}


def key(value: Any) -> Any:
    """What two values that count as equal have in common."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("<d", value)
    return value


def rows_of(columns: list[pa.Array[Any]]) -> list[tuple[Any, ...]]:
    return list(
        zip(*([key(value) for value in column.to_pylist()] for column in columns), strict=True)
    )


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_each_value_of_a_type_is_equal_to_itself_alone(column: pa.Array[Any]) -> None:
    for index in range(len(column)):
        sought = RowSet([column.slice(index, 1)])
        found = sought.holds([column]).tolist()
        assert found == [at == index for at in range(len(column))]


def test_every_nan_is_the_same() -> None:
    bits = [0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000123]
    nans = pa.array(struct.unpack("<3d", struct.pack("<3Q", *bits)))
    assert RowSet([nans.slice(0, 1)]).holds([nans]).tolist() == [True, True, True]


@settings(derandomize=True, deadline=None, max_examples=80)
@given(seed=st.integers(0, 10_000))
def test_rows_of_several_columns_are_found_like_tuples_in_a_set(seed: int) -> None:
    rng = seeded(seed)
    pools = [rng.choice(list(COLUMNS.values())) for _ in range(rng.randint(1, 4))]

    def draw(count: int) -> list[pa.Array[Any]]:
        return [
            pool.take(pa.array([rng.randrange(len(pool)) for _ in range(count)], pa.int64()))
            for pool in pools
        ]

    sought, asked = draw(rng.randint(0, 12)), draw(rng.randint(0, 60))
    known = set(rows_of(sought))
    assert RowSet(sought).holds(asked).tolist() == [row in known for row in rows_of(asked)]


def test_many_distinct_values_in_every_column_do_not_overflow() -> None:
    count = 70_000
    columns = [pa.array(range(start, start + count)) for start in (0, 7, 10**12, -count)]
    sought = RowSet(columns)
    assert sought.holds(columns).all()
    shifted = [*columns[:3], pa.array([*range(-count + 1, 0), -count])]
    assert not sought.holds(shifted).any()
