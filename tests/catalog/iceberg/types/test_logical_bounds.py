"""Bounds of stored values become bounds of logical ones, or say nothing; never something else."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types import from_logical, logical_bounds, prunable
from lakeport.catalog.iceberg.types.scalars import storage_of
from lakeport.catalog.predicates.bounds import bounds_of
from lakeport.catalog.predicates.kinds import value_type
from lakeport.catalog.predicates.ordering import decoded, keys
from tests.arrow_rows import random_array
from tests.catalog.iceberg.types.stored_rows import columns_of
from tests.catalog.iceberg.types.test_logical_types import RARE
from tests.strategies import ENCODED, GEOMETRY, LEAVES, seeded

_compute: Any = pc

UNORDERED = {"interval", "hugeint", "uhugeint", "bit", "bignum", "time_tz", "duration", "null"}


def is_ordered(data_type: pa.DataType) -> bool:
    return not any(word in str(data_type) for word in UNORDERED)


@pytest.mark.parametrize("data_type", [*LEAVES, *ENCODED], ids=str)
def test_bounds_of_stored_rows_are_those_of_the_rows(data_type: pa.DataType) -> None:
    (column,) = columns_of(pa.schema([pa.field("x", data_type)]))
    assert prunable(column) is is_ordered(data_type)
    rng = seeded(7)
    segments = [random_array(rng, data_type, rng.randint(1, 20)) for _ in range(40)]
    stored = [from_logical(segment, column) for segment in segments]
    found = logical_bounds(*ends(stored), column)
    if not prunable(column):
        assert found is None
        return
    assert found is not None
    assert {end.type for end in found} == {value_type(data_type)}
    if pa.types.is_floating(value_type(data_type)):
        return  # NaN is above everything here and nothing there
    expected = bounds_of(segments)
    for end, wanted in zip(found, (expected.minimum, expected.maximum), strict=True):
        assert keys(end).equals(keys(decoded(wanted)))


def ends(stored: list[Array]) -> tuple[Array, Array]:
    """The least and the greatest stored value of each segment, as files say it."""
    arrays = [storage_of(array) for array in stored]
    found = [[_compute.min_max(array)[end] for array in arrays] for end in ("min", "max")]
    low, high = (pa.concat_arrays([_one(scalar) for scalar in side]) for side in found)
    return _like(low, stored[0].type), _like(high, stored[0].type)


def _one(scalar: Any) -> Array:
    # Not through Python: an infinite date is no Python object.
    return _compute.if_else(pa.array([True]), scalar, scalar)  # type: ignore[no-any-return]


def _like(array: Array, data_type: pa.DataType) -> Array:
    if isinstance(data_type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(data_type, array)
    return array


def test_bounds_that_the_column_cannot_hold_say_nothing() -> None:
    (column,) = columns_of(pa.schema([pa.field("x", pa.timestamp("s"))]))
    half: Array = pa.array([1_000_000, 1_500_000, None, 2**63 - 1], pa.int64()).view(
        pa.timestamp("us")
    )
    found = logical_bounds(half, half, column)
    assert found is not None
    assert [end.view(pa.int64()).to_pylist() for end in found] == [[1, None, None, 2**63 - 1]] * 2
    (narrow,) = columns_of(pa.schema([pa.field("x", pa.uint8())]))
    found = logical_bounds(pa.array([-1, 0], pa.int32()), pa.array([255, 256], pa.int32()), narrow)
    assert found is not None
    assert [end.to_pylist() for end in found] == [[None, 0], [255, None]]


@pytest.mark.parametrize("name", RARE)
def test_nested_and_nameless_columns_are_not_pruned(name: str) -> None:
    (column,) = columns_of(pa.schema([pa.field("x", pa.list_(RARE[name].type))]))
    assert not prunable(column)
    assert logical_bounds(pa.array([b""]), pa.array([b""]), column) is None


def test_geometry_is_not_pruned_by_its_bytes() -> None:
    (column,) = columns_of(pa.schema([pa.field("x", pa.binary(), metadata=GEOMETRY)]))
    assert not prunable(column)
