"""Types as Spark and Iceberg write them, into ours and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.growth import Field, Type, model, schema_from_iceberg, schema_from_json
from lakeport.pipeline.growth.model import (
    DecimalOf,
    Foreign,
    ListOf,
    MapOf,
    Primitive,
    StructOf,
)
from lakeport.pipeline.growth.spark_words import cast_type, text_of, type_from_text
from lakeport.pipeline.growth.storing import stored
from tests.pipeline.growth.generated import GIVEN, types

# The specification's table: Spark's word, Iceberg's.
MAPPED = {
    "byte": "int",
    "short": "int",
    "integer": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "char(3)": "string",
    "varchar(3)": "string",
    "binary": "binary",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}


@pytest.mark.parametrize(("spark", "iceberg"), MAPPED.items())
def test_each_spark_type_has_its_iceberg_type(spark: str, iceberg: str) -> None:
    (column,) = schema_from_json(_schema(spark))
    assert stored(column.type) == Primitive(iceberg)


@pytest.mark.parametrize(
    "spark", ["void", "interval day", "interval", "variant", "time(6)", "geometry(4326)"]
)
def test_a_type_without_a_mapping_is_a_string(spark: str) -> None:
    (column,) = schema_from_json(_schema(spark))
    assert column.type == Foreign(spark)
    assert stored(column.type) == model.STRING


def test_a_schema_is_read_with_its_nesting_and_nullability() -> None:
    found = schema_from_json(
        json.dumps(
            {
                "type": "struct",
                "fields": [
                    {"name": "id", "type": "long", "nullable": False, "metadata": {}},
                    {
                        "name": "m",
                        "nullable": True,
                        "metadata": {},
                        "type": {
                            "type": "map",
                            "keyType": "string",
                            "valueType": {
                                "type": "array",
                                "elementType": "decimal(9,2)",
                                "containsNull": False,
                            },
                            "valueContainsNull": True,
                        },
                    },
                ],
            }
        )
    )
    inner = ListOf(DecimalOf(9, 2), required=True)
    assert found == (
        Field("id", model.LONG, required=True),
        Field("m", MapOf(model.STRING, inner)),
    )


@pytest.mark.parametrize(
    ("type_", "path", "expected"),
    [
        ("string", "x", model.COLLATED),
        ({"type": "array", "elementType": "string", "containsNull": True}, "x.element", None),
    ],
)
def test_a_collated_string_is_told_from_a_plain_one(
    type_: object, path: str, expected: Type | None
) -> None:
    schema = json.loads(_schema(type_))
    schema["fields"][0]["metadata"] = {"__COLLATIONS": {path: "icu.UNICODE_CI"}}
    (column,) = schema_from_json(json.dumps(schema))
    assert column.type == (expected or ListOf(model.COLLATED))
    assert stored(model.COLLATED) == model.STRING


def test_a_user_defined_type_goes_by_its_class() -> None:
    udt = '{"type": "udt", "class": "org.example.Point", "sqlType": "string"}'
    (column,) = schema_from_json(_schema(json.loads(udt)))
    assert column.type == Foreign("org.example.Point")


@pytest.mark.parametrize("text", ["", "[]", "null", '"int"', "{}", '{"fields": [{"name": "a"}]}'])
def test_what_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="no schema that Spark printed"):
        schema_from_json(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BIGINT", model.LONG),
        ("VARCHAR", model.STRING),
        ("decimal", DecimalOf(10, 0)),
        ("Decimal( 9 , 2 )", DecimalOf(9, 2)),
        ("numeric(3)", DecimalOf(3, 0)),
        ("timestamp_ltz", model.TIMESTAMPTZ),
        ("TIMESTAMP WITH TIME ZONE", model.TIMESTAMPTZ),
        ("string collate UNICODE", model.STRING),
        ("array < int >", ListOf(model.INT)),
        ("map<string,array<int>>", MapOf(model.STRING, ListOf(model.INT))),
        ("struct<a int, `b c`: date>", StructOf((Field("a", model.INT), Field("b c", model.DATE)))),
        ("struct<größe: int>", StructOf((Field("größe", model.INT),))),
        ("struct<`q``u`: int>", StructOf((Field("q`u", model.INT),))),
    ],
)
def test_ddl_is_read(text: str, expected: Type) -> None:
    assert type_from_text(text) == expected


def test_not_null_inside_a_struct_belongs_to_its_field() -> None:
    found = type_from_text(
        "struct<a: struct<x: int not null>, b: array<int> NOT NULL COMMENT 'a > b, not', c: int>"
    )
    assert isinstance(found, StructOf)
    assert [field.required for field in found.fields] == [False, True, False]


@pytest.mark.parametrize(
    "text", ["struct<w: void, x: int>", "struct<w: hugeint, x: int>", "struct<w: foo(1,2), x: int>"]
)
def test_an_unknown_type_does_not_hide_its_neighbours(text: str) -> None:
    found = type_from_text(text)
    assert isinstance(found, StructOf)
    assert [field.name for field in found.fields] == ["w", "x"]
    assert isinstance(found.fields[0].type, Foreign)


@pytest.mark.parametrize(
    "text", ["", "array<int", "array<int>>", "map<int>", "struct<a>", "int; drop table t", "int'"]
)
def test_what_is_no_type_is_foreign_as_a_whole(text: str) -> None:
    assert type_from_text(text) == Foreign(text)


@pytest.mark.parametrize("text", ["decimal(39,2)", "decimal(0,0)", "decimal(2,3)"])
def test_a_decimal_that_does_not_exist_is_foreign(text: str) -> None:
    assert type_from_text(text) == Foreign(text)


@given(types(GIVEN, 3))
def test_a_type_shown_is_read_as_the_same(type_: Type) -> None:
    assert text_of(type_from_text(text_of(type_))) == text_of(type_)


@given(st.text(max_size=30))
def test_any_text_is_some_type(text: str) -> None:
    text_of(type_from_text(text))


def test_casts_spell_out_what_a_setting_could_change() -> None:
    assert cast_type(model.TIMESTAMPTZ) == "TIMESTAMP_LTZ"
    assert cast_type(model.TIMESTAMP) == "TIMESTAMP_NTZ"
    assert cast_type(model.UUID) == "STRING"
    assert cast_type(Primitive("fixed[16]")) == "BINARY"
    assert cast_type(type_from_text("struct<`a b`: map<int, decimal(9,2)>>")) == (
        "STRUCT<`a b`: MAP<INT, DECIMAL(9, 2)>>"
    )


def test_an_iceberg_schema_is_read() -> None:
    found = schema_from_iceberg(
        {
            "type": "struct",
            "schema-id": 0,
            "fields": [
                {"id": 1, "name": "id", "required": True, "type": "uuid"},
                {"id": 2, "name": "price", "required": False, "type": "decimal(9, 2)"},
                {"id": 3, "name": "hash", "required": False, "type": "fixed[16]"},
                {"id": 4, "name": "at", "required": False, "type": "time"},
                {
                    "id": 5,
                    "name": "tags",
                    "required": False,
                    "type": {
                        "type": "map",
                        "key-id": 6,
                        "key": "string",
                        "value-id": 7,
                        "value": {
                            "type": "list",
                            "element-id": 8,
                            "element": {"type": "struct", "fields": []},
                            "element-required": True,
                        },
                        "value-required": True,
                    },
                },
            ],
        }
    )
    inner = ListOf(StructOf(()), required=True)
    assert found == (
        Field("id", model.UUID, required=True),
        Field("price", DecimalOf(9, 2)),
        Field("hash", Primitive("fixed[16]")),
        Field("at", Foreign("time")),
        Field("tags", MapOf(model.STRING, inner, required=True)),
    )


def _schema(type_: object) -> str:
    return json.dumps(
        {
            "type": "struct",
            "fields": [{"name": "x", "type": type_, "nullable": True, "metadata": {}}],
        }
    )
