"""What a column is after somebody else has changed the table: words count only while they fit."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimeType,
    UnknownType,
)

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.types import (
    columns_for,
    describe,
    from_logical,
    read_annotations,
    to_logical,
)
from lakeport.catalog.iceberg.types.stored import stored_type
from lakeport.core.errors import CorruptDataError, LimitError
from tests.arrow_rows import random_array
from tests.strategies import random_schema, seeded


def only(kind: IcebergType, word: str | None = None, *, doc: str | None = None) -> Field:
    annotations = read_annotations(None if word is None else f'{{"1": "{word}"}}')
    (column,) = columns_for(Schema(NestedField(1, "x", kind, doc=doc)), annotations)
    return column.arrow


@pytest.mark.parametrize(
    ("kind", "word", "found"),
    [
        (IntegerType(), "uint8", pa.uint8()),
        (LongType(), "uint8", pa.int64()),
        (LongType(), "uint32", pa.uint32()),
        (DecimalType(20, 0), "uint64", pa.uint64()),
        (DecimalType(22, 0), "uint64", pa.decimal128(22, 0)),
        (DoubleType(), "uint8", pa.float64()),
        (TimestampType(), "date64[ms]", pa.timestamp("us")),
        (DateType(), "date64[ms]", pa.date64()),
        (FixedType(16), "hugeint", pa.opaque(pa.binary(16), "hugeint", "DuckDB")),
        (FixedType(8), "hugeint", pa.binary(8)),
        (StringType(), "list<item>", pa.string()),
        (StringType(), "dictionary<uint8, string>", pa.dictionary(pa.uint8(), pa.string())),
        (LongType(), "dictionary<uint8, string>", pa.int64()),
        (LongType(), "run_end_encoded<int32, uint8>", pa.int64()),
        (StringType(), "struct", pa.string()),
        (LongType(), "sparse_union<0>", pa.int64()),
        (TimeType(), None, pa.time64("us")),
        (UnknownType(), None, pa.null()),
    ],
    ids=str,
)
def test_a_word_counts_while_the_storage_type_is_the_one_it_was_written_for(
    kind: IcebergType, word: str | None, found: pa.DataType
) -> None:
    assert only(kind, word).type == found


def test_a_struct_is_no_union_any_more_once_a_field_was_added() -> None:
    union = pa.sparse_union([pa.field("a", pa.int64()), pa.field("b", pa.string())])
    description = describe([pa.field("u", union)])
    (field,) = description.fields
    assert isinstance(field.field_type, StructType)
    grown = StructType(*field.field_type.fields, NestedField(9, "c", LongType()))
    (column,) = columns_for(Schema(NestedField(1, "u", grown)), description.annotations)
    assert pa.types.is_struct(column.arrow.type)


def test_only_storage_and_members_of_unions_say_that_a_field_is_never_null() -> None:
    assert only(IntegerType(), "uint8 not null") == pa.field("x", pa.uint8())
    assert only(StructType(), "sparse_union<0>").type == pa.struct([])


def test_names_and_order_may_change_and_dropped_columns_do_no_harm() -> None:
    description = describe([pa.field("a", pa.uint8()), pa.field("b", pa.uint16())])
    first, second = description.fields
    renamed = NestedField(first.field_id, "other", first.field_type)
    (column,) = columns_for(Schema(renamed), description.annotations)
    assert column.arrow == pa.field("other", pa.uint8())
    turned = columns_for(Schema(second, first), description.annotations)
    assert [c.arrow.type for c in turned] == [pa.uint16(), pa.uint8()]


def test_columns_that_differ_in_case_only_have_two_names() -> None:
    names = ["a", "A", "a_1", "rowid", "B", "straße", "STRASSE"]
    schema = Schema(*(NestedField(at, name, LongType()) for at, name in enumerate(names, 1)))
    columns = columns_for(schema, {})
    assert [column.arrow.name for column in columns] == [
        *("a", "A_2", "a_1", "rowid_1", "B", "straße", "STRASSE_1"),
    ]
    assert [column.field.name for column in columns] == names


def test_fields_that_differ_in_case_only_have_two_names() -> None:
    inner = StructType(NestedField(2, "x", LongType()), NestedField(3, "X", LongType()))
    assert only(inner).type == pa.struct([pa.field("x", pa.int64()), pa.field("X_1", pa.int64())])


def test_comments_are_kept_on_every_level() -> None:
    inner = StructType(NestedField(2, "x", LongType(), doc="inside"))
    field = only(ListType(3, inner), doc="outside")
    assert field.metadata == {b"comment": b"outside"}
    nested = field.type.value_type.field("x")
    assert nested.metadata == {b"comment": b"inside"}
    (described,) = describe([field]).fields
    assert described.doc == "outside"
    assert described.field_type.element_type.fields[0].doc == "inside"  # type: ignore[attr-defined]


def test_what_is_required_is_not_null_on_every_level() -> None:
    kind = MapType(
        2, StringType(), 3, ListType(4, LongType(), element_required=True), value_required=True
    )
    found = only(kind).type
    assert not found.item_field.nullable
    assert not found.item_type.value_field.nullable
    assert found.equals(stored_type(kind), check_metadata=True)


def test_geometry_of_format_3_is_geometry_to_users() -> None:
    field = only(GeometryType())
    assert field.type == pa.binary()
    assert field.metadata == {
        b"ARROW:extension:name": b"geoarrow.wkb",
        b"ARROW:extension:metadata": b"{}",
    }
    elsewhere = only(GeographyType("EPSG:4326", "vincenty"))
    assert elsewhere.metadata == {
        b"ARROW:extension:name": b"geoarrow.wkb",
        b"ARROW:extension:metadata": b'{"crs": "EPSG:4326", "edges": "vincenty"}',
    }


# -- anything at all -----------------------------------------------------------------------------

_WORDS = (
    *("uint8", "int16", "uint64", "timestamp[s]", "time32[ms]", "null", "json", "hugeint", "bool8"),
    *("date64[ms]", "decimal32(7, 3)", "fixed_size_binary[3]", "time_tz", "large_string", "struct"),
    *("list<item>", "fixed_size_list<x>[2]", "list_view<l>", "map<k, v>", "sorted_map<key, value>"),
    *("sparse_union<0>", "dense_union<3, 1>", "sparse_union<1, 2> not null", "uint8 not null"),
)
_WRAPPERS = (
    "{}",
    "dictionary<uint8, {}>",
    "ordered_dictionary<int8, {}>",
    "run_end_encoded<int32, {}>",
    'extension<arrow.uuid, "", {}>',
    'extension<arrow.opaque, "{{", {}>',
    'extension<arrow.fixed_shape_tensor, "{{\\"shape\\":[2]}}", {}>',
    'extension<arrow.json, "", {}>',
    'extension<somebody.else, "x", {}>',
)


@pytest.mark.parametrize("seed", range(400))
def test_whatever_the_property_says_a_table_is_read(seed: int) -> None:
    rng = seeded(seed)
    schema = Schema(*describe(random_schema(rng, depth=3)).fields)
    words = {
        field_id: rng.choice(_WRAPPERS).format(rng.choice(_WORDS))
        for field_id in range(1, schema.highest_field_id + 1)
        if rng.random() < 0.7
    }
    for column in columns_for(schema, read_annotations(json.dumps(words))):
        rows = random_array(rng, column.stored, 10, nullable=column.field.optional)
        try:
            found = to_logical(rows, column)
        except (CorruptDataError, LimitError):
            continue
        found.validate(full=True)
        assert found.type.equals(column.arrow.type, check_metadata=True)
        assert to_logical(from_logical(found, column), column).type == found.type
