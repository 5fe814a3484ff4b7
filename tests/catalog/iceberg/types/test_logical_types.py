"""Every Arrow type through storage, Parquet and back: the same type, the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyiceberg.schema import Schema, assign_fresh_schema_ids
from pyiceberg.types import NestedField, StructType

from lakeport.catalog.arrays.containers import child_fields
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.iceberg.types import column_for, describe, from_logical, to_logical
from lakeport.core.errors import CorruptDataError, InvalidRequestError, LimitError
from tests.arrow_rows import random_array
from tests.behaviours.exact import assert_same_rows, numbered
from tests.catalog.iceberg.types.stored_rows import columns_of, through_parquet
from tests.catalog.iceberg.types.visible import visible_table
from tests.strategies import ENCODED, GEOMETRY, LEAVES, random_schema, random_table, seeded

_arrow: Any = pa
GEOMETRY_FIELD = pa.field("g", pa.binary(), metadata=GEOMETRY)


@pytest.mark.parametrize("data_type", [*LEAVES, *ENCODED], ids=str)
def test_each_type_comes_back_exactly(data_type: pa.DataType) -> None:
    table = numbered(random_table(seeded(11), pa.schema([pa.field("x", data_type)]), 60))
    assert_same_rows(through_parquet(table), visible_table(table))


@pytest.mark.parametrize("seed", range(300))
def test_generated_schemas_come_back_exactly(seed: int) -> None:
    rng = seeded(seed)
    table = numbered(random_table(rng, random_schema(rng, depth=3), rng.choice((0, 1, 40))))
    assert_same_rows(visible_table(through_parquet(table)), visible_table(table))


def values(data_type: pa.DataType, *rows: object) -> Array:
    built: Array = _arrow.array(list(rows), data_type)
    return built


def raw(data_type: pa.DataType, *numbers: int | None) -> Array:
    width = data_type.bit_width // 8
    coded = [None if n is None else n.to_bytes(width, "little", signed=True) for n in numbers]
    return _arrow.array(coded, pa.binary(width)).view(data_type)  # type: ignore[no-any-return]


RARE: dict[str, Array] = {
    "decimal of negative scale": raw(pa.decimal128(5, -2), 12345, None, -1),
    "decimal of more scale than digits": raw(pa.decimal128(3, 5), 999, None, -999),
    "no bytes at all": values(pa.binary(0), b"", None),
    "duration of nanoseconds": raw(pa.duration("ns"), 2**63 - 1, None, -(2**63)),
    "seconds with infinity": raw(pa.timestamp("s"), 2**63 - 1, -(2**63 - 1), 0, None, 9 * 10**12),
    "zoned milliseconds with infinity": raw(pa.timestamp("ms", "Asia/Tokyo"), 2**63 - 1, 7, None),
    "zone of an offset": raw(pa.timestamp("us", "+05:30"), 0, None),
    "list view": values(pa.list_view(pa.uint8()), [1, 2], None, []),
    "large list view": values(pa.large_list_view(pa.string()), ["a", None], None),
    "list of a named child": values(pa.list_(pa.field("l", pa.int32())), [1], None),
    "list of NOT NULL": values(pa.list_(pa.field("item", pa.int8(), nullable=False)), [1, 2], None),
    "lists of no elements": values(pa.list_(pa.int8(), 0), [], None, []),
    "sorted map": values(_arrow.map_(pa.string(), pa.uint8(), keys_sorted=True), [("a", 1)], None),
    "map of named children": values(
        _arrow.map_(pa.field("k", pa.date64(), nullable=False), pa.field("v", pa.int32())),
        [(0, 1)],
        None,
    ),
    "ordered dictionary": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.int8()), pa.array(["b", "a"]), ordered=True
    ),
    "dictionary of seconds": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.uint16()), raw(pa.timestamp("s"), 5, 2**63 - 1)
    ),
    "dictionary of UUIDs": pa.DictionaryArray.from_arrays(
        pa.array([0, None], pa.int8()), values(pa.uuid(), b"\x01" * 16)
    ),
    "run ends of bytes": pa.RunEndEncodedArray.from_arrays(
        pa.array([2, 3], pa.int16()), values(pa.large_binary(), b"x", None)
    ),
    "tensor": pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [2, 2], dim_names=["x", "y"]),
        values(pa.list_(pa.float32(), 4), [1, 2, 3, 4], None),
    ),
    "somebody's opaque type": pa.ExtensionArray.from_storage(
        pa.opaque(pa.large_string(), 'odd "name"', "Büro"), values(pa.large_string(), "x", None)
    ),
    "large JSON": pa.ExtensionArray.from_storage(
        pa.json_(pa.large_string()), values(pa.large_string(), "[]", None)
    ),
    "dense union": _arrow.UnionArray.from_dense(
        pa.array([5, 9, 5, 9], pa.int8()),
        pa.array([0, 0, 1, 1], pa.int32()),
        [pa.array([1, None], pa.uint16()), pa.array(["a", "b"])],
        ["number", "Tag"],
        [5, 9],
    ),
}


@pytest.mark.parametrize("name", RARE)
def test_rare_types_come_back_exactly(name: str) -> None:
    array = RARE[name]
    table = numbered(pa.table([array], schema=pa.schema([pa.field("x", array.type)])))
    assert_same_rows(through_parquet(table), visible_table(table))


@pytest.mark.parametrize("name", RARE)
def test_rare_types_come_back_from_inside_others(name: str) -> None:
    inner = RARE[name]
    fields = [pa.field("inner", inner.type), pa.field("n", pa.int8())]
    numbers: Array = pa.array([None] * len(inner), pa.int8())
    struct = pa.StructArray.from_arrays([inner, numbers], fields=fields)
    offsets = pa.array([0, 1, 1, len(inner)], pa.int32())
    lists = _arrow.ListArray.from_arrays(offsets, struct)
    table = numbered(pa.table([lists], schema=pa.schema([pa.field("x", lists.type)])))
    assert_same_rows(visible_table(through_parquet(table)), visible_table(table))


def test_geometry_is_known_anywhere() -> None:
    inner = pa.struct([GEOMETRY_FIELD, pa.field("n", pa.int8())])
    schema = pa.schema([GEOMETRY_FIELD, pa.field("s", inner), pa.field("l", _list(GEOMETRY_FIELD))])
    rows = [{"g": b"\x01", "s": {"g": b"\x02", "n": 1}, "l": [b"\x03", None]}, {}]
    table = numbered(pa.Table.from_pylist(rows, schema))
    assert_same_rows(visible_table(through_parquet(table)), visible_table(table))


def _list(child: Field) -> pa.DataType:
    return pa.list_(child)


def test_plain_columns_go_through_as_the_same_object() -> None:
    types: list[pa.DataType] = [
        pa.int64(),
        pa.string(),
        pa.float64(),
        pa.uuid(),
        pa.timestamp("us", "UTC"),
    ]
    nested = pa.list_(pa.field("element", pa.struct([pa.field("x", pa.int32())])))
    for data_type in [*types, nested]:
        (column,) = columns_of(pa.schema([pa.field("x", data_type)]))
        array = random_array(seeded(1), data_type, 5)
        assert from_logical(array, column) is array
        assert to_logical(array, column) is array


def test_bits_under_another_name_are_not_copied() -> None:
    for data_type in (pa.time64("ns"), pa.timestamp("us", "Asia/Tokyo"), pa.duration("s")):
        (column,) = columns_of(pa.schema([pa.field("x", data_type)]))
        array = random_array(seeded(1), data_type, 5, nullable=False)
        kept = from_logical(array, column)
        assert kept.buffers()[1].address == array.buffers()[1].address  # type: ignore[union-attr]


def test_slices_are_stored_as_what_they_show() -> None:
    for name, array in RARE.items():
        (column,) = columns_of(pa.schema([pa.field("x", array.type)]))
        part = array.slice(1, 1)
        back = to_logical(from_logical(part, column), column)
        back.validate(full=True)
        assert back.is_null().equals(part.is_null()), name


def test_what_hides_under_a_null_is_not_looked_at() -> None:
    far = raw(pa.timestamp("s"), 2**62, 1)
    struct = pa.StructArray.from_arrays([far], names=["t"], mask=pa.array([True, False]))
    (column,) = columns_of(pa.schema([pa.field("x", struct.type)]))
    back = to_logical(from_logical(struct, column), column)
    assert back.is_valid().to_pylist() == [False, True]
    assert back.slice(1).equals(struct.slice(1))


@pytest.mark.parametrize("seed", range(60))
def test_field_ids_are_those_a_catalog_gives(seed: int) -> None:
    described = Schema(*describe(random_schema(seeded(seed), depth=3)).fields)
    assert assign_fresh_schema_ids(described) == described


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data_type", "hint"),
    [
        (pa.decimal128(38, -1), r"decimal128\(38, 0\)"),
        (pa.decimal256(50, 2), "decimal128"),
        (pa.float16(), "float32"),
        (pa.struct([]), "give it a field"),
        (pa.sparse_union([]), "give it a field"),
        (_arrow.dictionary(pa.int8(), pa.list_(pa.int8())), "list"),
    ],
    ids=str,
)
def test_a_type_that_cannot_be_kept_is_refused_with_one_that_can(
    data_type: pa.DataType, hint: str
) -> None:
    for field in (pa.field("x", data_type), pa.field("x", pa.list_(data_type))):
        with pytest.raises(InvalidRequestError, match="`x") as caught:
            describe([field])
        assert caught.match(hint)


@pytest.mark.parametrize("number", [2**62, -(2**62), -(2**63), 2**63 - 2])
def test_a_timestamp_beyond_microseconds_is_refused(number: int) -> None:
    (column,) = columns_of(pa.schema([pa.field("x", pa.timestamp("s"))]))
    with pytest.raises(InvalidRequestError, match="`x`"):
        from_logical(raw(pa.timestamp("s"), number), column)


@pytest.mark.parametrize(
    ("data_type", "foreign"),
    [
        (pa.uint8(), values(pa.int32(), 300)),
        (pa.uint64(), values(pa.decimal128(20, 0), -1)),
        (pa.uint64(), values(pa.decimal128(20, 0), 10**20 - 1)),
        (pa.timestamp("s"), raw(pa.timestamp("us"), 1_500_000)),
        (pa.timestamp("s"), raw(pa.timestamp("us"), 1_500_000, 2**63 - 1)),
        (pa.time64("us"), values(pa.int64(), -1)),
        (pa.time32("s"), values(pa.int64(), 86_401)),
        (pa.null(), values(pa.string(), "x")),
        (pa.list_(pa.int64(), 2), values(_list(pa.field("element", pa.int64())), [1, 2, 3])),
    ],
    ids=str,
)
def test_a_value_that_another_engine_should_not_have_written_is_named(
    data_type: pa.DataType, foreign: Array
) -> None:
    (column,) = columns_of(pa.schema([pa.field("x", data_type)]))
    with pytest.raises(CorruptDataError, match="column `x` holds a value that is no"):
        to_logical(foreign, column)


def test_a_tag_of_no_member_is_named() -> None:
    union = RARE["dense union"]
    (column,) = columns_of(pa.schema([pa.field("x", union.type)]))
    struct = from_logical(union, column)
    broken = _arrow.StructArray.from_arrays(
        [pa.array([5, 9, 5, 7], pa.int32()), *(struct.field(at) for at in (1, 2))],  # type: ignore[attr-defined]
        fields=child_fields(column.stored),
    )
    with pytest.raises(CorruptDataError, match="tag"):
        to_logical(broken, column)


def test_more_values_than_an_index_counts_are_a_limit_and_half_of_them_fit() -> None:
    many: Array = pa.array([str(n) for n in range(300)])
    (column,) = columns_of(pa.schema([pa.field("x", pa.dictionary(pa.uint8(), pa.string()))]))
    with pytest.raises(LimitError, match="uint8"):
        to_logical(many, column)
    assert len(to_logical(many.slice(0, 150), column)) == 150
    (runs,) = columns_of(pa.schema([pa.field("x", pa.run_end_encoded(pa.int16(), pa.int64()))]))
    with pytest.raises(LimitError, match="int16"):
        to_logical(pa.array(np.zeros(40_000, dtype=np.int64)), runs)


# -- unions --------------------------------------------------------------------------------------


def test_a_union_is_a_struct_whose_tag_never_clashes() -> None:
    members: list[Field] = [
        pa.field("tag", pa.int64()),
        pa.field("TAG_", pa.string(), nullable=False),
    ]
    (field,) = describe([pa.field("u", pa.sparse_union(members))]).fields
    assert isinstance(field.field_type, StructType)
    assert [child.name for child in field.field_type.fields] == ["tag__", "tag", "TAG_"]
    (column,) = columns_of(pa.schema([pa.field("u", pa.sparse_union(members))]))
    assert column.arrow.type.equals(pa.sparse_union(members), check_metadata=True)


def test_a_union_survives_its_fields_being_listed_in_another_order() -> None:
    union = RARE["dense union"]
    description = describe([pa.field("u", union.type)])
    (field,) = description.fields
    assert isinstance(field.field_type, StructType)
    turned = StructType(*reversed(field.field_type.fields))
    column = column_for(NestedField(1, "u", turned), description.annotations)
    struct = from_logical(union, column)
    assert [child.name for child in child_fields(struct.type)] == ["Tag", "number", "tag_"]
    assert to_logical(struct, column).to_pylist() == [1, "a", None, "b"]


def test_a_null_where_a_union_is_expected_is_its_first_member() -> None:
    (column,) = columns_of(pa.schema([pa.field("u", RARE["dense union"].type)]))
    nothing: Array = _arrow.nulls(2, column.stored)
    assert to_logical(nothing, column).to_pylist() == [None, None]
