from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.arrays.containers import (
    child_fields,
    has_even_lengths,
    is_list,
    nulls,
    put_together,
    take_apart,
    with_child_fields,
)
from lakeport.catalog.arrow import Array
from tests.strategies import ENCODED, LEAVES, random_type, seeded

_LISTS = [[1], [2, 3], None, [4], []]
_PAIRS = [[1, 2], None, [3, 4], [None, 6]]

LISTS: list[Array] = [
    pa.array(_LISTS, pa.list_(pa.int64())),
    pa.array(_LISTS, pa.large_list(pa.int64())),
    pa.array(_LISTS, pa.list_view(pa.int64())),
    pa.array(_LISTS, pa.large_list_view(pa.int64())),
    pa.array(_PAIRS, pa.list_(pa.int64(), 2)),
]
OTHERS: list[Array] = [
    pa.array([[(1, 2)], None, [(3, None), (5, 6)], []], pa.map_(pa.int8(), pa.int8())),
    pa.array([{"a": 1}, None, {"a": None}, {"a": 2}], pa.struct([("a", pa.int8())])),
    pa.UnionArray.from_sparse(
        pa.array([0, 1, 1, 0], pa.int8()),
        [pa.array([1, None, 3, 4], pa.int8()), pa.array(list("abcd"))],
        ["a", "b"],
    ),
    pa.UnionArray.from_dense(
        pa.array([0, 1, 1, 0], pa.int8()),
        pa.array([0, 0, 1, 1], pa.int32()),
        [pa.array([1, 4], pa.int8()), pa.array(list("bc"))],
        ["a", "b"],
    ),
]
SLICES = [slice(0, None), slice(1, None), slice(1, 3), slice(2, 2), slice(0, 0)]


def _kind(array: Array) -> str:
    return str(array.type)


@pytest.mark.parametrize("part", SLICES, ids=str)
@pytest.mark.parametrize("array", LISTS + OTHERS, ids=_kind)
def test_what_was_taken_apart_goes_together_again(array: Array, part: slice) -> None:
    shown = array[part]
    built = put_together(take_apart(shown), array.type)
    built.validate(full=True)
    assert built.to_pylist() == shown.to_pylist()


@pytest.mark.parametrize("part", SLICES, ids=str)
@pytest.mark.parametrize("target", LISTS, ids=_kind)
@pytest.mark.parametrize("kind", [array.type for array in LISTS], ids=str)
def test_every_kind_of_list_becomes_every_other(
    kind: pa.DataType, target: Array, part: slice
) -> None:
    # Pairs fit a list of any kind, the fixed-size one included.
    shown: Array = pa.array(_PAIRS, kind)[part]
    assert has_even_lengths(shown, 2)
    built = put_together(take_apart(shown), target.type)
    built.validate(full=True)
    assert built.to_pylist() == shown.to_pylist()


@pytest.mark.parametrize("array", LISTS + OTHERS, ids=_kind)
def test_a_type_is_rebuilt_from_its_own_fields(array: Array) -> None:
    rebuilt = with_child_fields(array.type, child_fields(array.type))
    assert rebuilt.equals(array.type, check_metadata=True)


def test_a_taken_apart_slice_holds_only_what_it_shows() -> None:
    many = pa.array([[number] * 3 for number in range(1000)], pa.list_(pa.int64()))
    (values,) = take_apart(many.slice(500, 2)).children
    assert values.to_pylist() == [500] * 3 + [501] * 3


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("count", [0, 1, 9])
def test_nulls_of_any_type_can_be_read_down_to_the_leaves(seed: int, count: int) -> None:
    data_type = random_type(seeded(seed), LEAVES + ENCODED, depth=3)
    made = nulls(count, data_type)
    made.validate(full=True)
    assert made.type.equals(data_type, check_metadata=True)
    assert made.is_null().to_pylist() == [True] * count
    _read(made)


def _read(array: Array) -> None:
    if array.type.num_fields and not pa.types.is_run_end_encoded(array.type):
        for child in take_apart(array).children:
            _read(child)
    assert str(array)


def test_lists_are_told_from_other_containers() -> None:
    assert all(is_list(array.type) for array in LISTS)
    assert not any(is_list(array.type) for array in OTHERS)
