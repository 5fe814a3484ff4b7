"""Shapes of lists and maps that writers of old left behind, made by changing a modern file's footer.

A list of required elements has the same levels in all its shapes, so its pages fit every one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
)

from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.catalog.iceberg.files.thrift import Item, change_footer, number, text
from tests.lakes.parquet import write_parquet
from tests.lakes.storage import arrow_schema

# parquet.thrift: FileMetaData.schema and the fields of a SchemaElement.
_SCHEMA, _TYPE, _REPETITION, _NAME, _CHILDREN, _CONVERTED, _ID, _LOGICAL = 2, 1, 3, 4, 5, 6, 9, 10
_REPEATED = 2
_MAP, _MAP_KEY_VALUE, _LIST = 1, 2, 3

NUMBERS = Schema(
    NestedField(1, "key", StringType(), required=False),
    NestedField(2, "numbers", ListType(3, IntegerType(), element_required=True), required=False),
    NestedField(4, "last", LongType(), required=False),
)
NUMBER_ROWS: list[dict[str, Any]] = [
    {"key": "a", "numbers": [1, 2], "last": 1},
    {"key": "b", "numbers": None, "last": 2},
    {"key": "c", "numbers": [], "last": 3},
    {"key": "d", "numbers": [5], "last": 4},
]


def written(path: Path, schema: Schema, rows: list[dict[str, Any]]) -> OneFile:
    table = pa.Table.from_pylist(rows, schema=arrow_schema(schema))
    write_parquet(path, table, schema)
    return one_file(path, schema, len(rows))


def elements(footer: Item) -> list[Item]:
    found: list[Item] = footer[_SCHEMA].value
    return found


def named(footer: Item, name: str) -> int:
    """Where the element of this name stands in the depth-first list."""
    return next(
        place for place, one in enumerate(elements(footer)) if one[_NAME].value == name.encode()
    )


def in_two_levels(name: str) -> Callable[[Item], None]:
    """`repeated int32 <name>` right below the list, as Avro's and Hive's old writers had it."""

    def change(footer: Item) -> None:
        place = named(footer, "list")
        repeated = elements(footer)[place + 1]
        repeated.value[_NAME] = text(name)
        repeated.value[_REPETITION] = number(_REPEATED)
        del elements(footer)[place]

    return change


def with_other_names(group: str, element: str) -> Callable[[Item], None]:
    def change(footer: Item) -> None:
        place = named(footer, "list")
        elements(footer)[place].value[_NAME] = text(group)
        elements(footer)[place + 1].value[_NAME] = text(element)

    return change


def only_converted(footer: Item) -> None:
    """Annotated in the old way alone."""
    for one in elements(footer):
        one.value.pop(_LOGICAL, None)


@pytest.mark.parametrize(
    "change",
    [
        in_two_levels("array"),
        in_two_levels("element"),
        in_two_levels("numbers_tuple"),
        with_other_names("bag", "array_element"),
        with_other_names("list", "item"),
        only_converted,
    ],
    ids=["array", "element", "tuple", "hive", "arrow", "converted types"],
)
def test_lists_of_numbers(tmp_path: Path, change: Callable[[Item], None]) -> None:
    file = written(tmp_path / "data.parquet", NUMBERS, NUMBER_ROWS)
    change_footer(tmp_path / "data.parquet", change)
    assert file.rows() == NUMBER_ROWS
    wider = file.evolved(
        NestedField(2, "n", ListType(3, LongType(), element_required=True), required=False)
    )
    assert [row["n"] for row in wider.rows()] == [row["numbers"] for row in NUMBER_ROWS]


def test_a_repeated_column_without_a_list_around_it(tmp_path: Path) -> None:
    """Protocol buffers have no NULL list: only what is there counts."""
    schema = Schema(
        NestedField(1, "n", ListType(2, IntegerType(), element_required=True), required=True)
    )
    rows: list[dict[str, Any]] = [{"n": [1, 2]}, {"n": []}, {"n": [3]}]
    file = written(tmp_path / "data.parquet", schema, rows)

    def change(footer: Item) -> None:
        in_two_levels("n")(footer)
        place = named(footer, "n")
        del elements(footer)[place]

    change_footer(tmp_path / "data.parquet", change)
    (repeated,) = pq.read_schema(tmp_path / "data.parquet")
    assert pa.types.is_list(repeated.type)
    # The id that Arrow shows is the repeated field's own, which Iceberg gives to the element.
    unnamed = OneFile(
        file.source,
        file.file,
        Schema(NestedField(2, "n", schema.fields[0].field_type, required=True)),
    )
    assert unnamed.rows() == rows


def test_lists_of_structs_in_two_levels(tmp_path: Path) -> None:
    inner = StructType(
        NestedField(3, "x", IntegerType(), required=False),
        NestedField(4, "y", StringType(), required=False),
    )
    schema = Schema(
        NestedField(1, "points", ListType(2, inner, element_required=True), required=False)
    )
    rows: list[dict[str, Any]] = [
        {"points": [{"x": 1, "y": "a"}, {"x": None, "y": None}]},
        {"points": None},
        {"points": []},
    ]
    file = written(tmp_path / "data.parquet", schema, rows)
    change_footer(tmp_path / "data.parquet", in_two_levels("array"))
    assert file.rows() == rows
    swapped = StructType(
        NestedField(4, "why", StringType(), required=False),
        NestedField(9, "z", LongType(), required=False),
    )
    evolved = file.evolved(
        NestedField(1, "p", ListType(2, swapped, element_required=True), required=False)
    )
    assert evolved.rows()[0] == {"p": [{"why": "a", "z": None}, {"why": None, "z": None}]}


MAPS = Schema(
    NestedField(
        1, "named", MapType(2, StringType(), 3, IntegerType(), value_required=False), required=False
    )
)
MAP_ROWS: list[dict[str, Any]] = [
    {"named": [("a", 1), ("b", None)]},
    {"named": None},
    {"named": []},
]


def renamed_map(group: str, key: str, value: str) -> Callable[[Item], None]:
    def change(footer: Item) -> None:
        place = named(footer, "key_value")
        for offset, name in enumerate((group, key, value)):
            elements(footer)[place + offset].value[_NAME] = text(name)

    return change


def annotated_inside(footer: Item) -> None:
    """MAP_KEY_VALUE where MAP belongs, as parquet-mr once wrote it."""
    outer = elements(footer)[named(footer, "named")]
    outer.value.pop(_LOGICAL, None)
    outer.value[_CONVERTED] = number(_MAP_KEY_VALUE)


@pytest.mark.parametrize(
    "change",
    [renamed_map("map", "k", "v"), annotated_inside, only_converted],
    ids=["other names", "MAP_KEY_VALUE", "converted types"],
)
def test_maps(tmp_path: Path, change: Callable[[Item], None]) -> None:
    file = written(tmp_path / "data.parquet", MAPS, MAP_ROWS)
    change_footer(tmp_path / "data.parquet", change)
    assert file.rows() == MAP_ROWS


def test_the_codec_of_these_tests_changes_nothing_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    file = written(path, NUMBERS, NUMBER_ROWS)
    before = path.read_bytes()
    change_footer(path, lambda _: None)
    assert path.read_bytes() == before
    assert file.rows() == NUMBER_ROWS
