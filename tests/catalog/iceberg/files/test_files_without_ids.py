"""Files whose writer knew nothing of Iceberg are read by the names that the table's mapping lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.io.pyarrow import _to_requested_schema, pyarrow_to_schema
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.name_mapping import MappedField, NameMapping, create_mapping_from_schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)

from lakeport.catalog.predicates import Compare, Op
from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.lakes.parquet import Style, write_parquet
from tests.lakes.storage import arrow_schema

SCHEMA = Schema(
    NestedField(1, "number", IntegerType(), required=False),
    NestedField(2, "label", StringType(), required=False),
    NestedField(3, "price", DecimalType(9, 2), required=False),
    NestedField(4, "day", DateType(), required=False),
    NestedField(5, "moment", TimestampType(), required=False),
    NestedField(
        6,
        "point",
        StructType(
            NestedField(7, "x", DoubleType(), required=False),
            NestedField(8, "y", DoubleType(), required=False),
        ),
        required=False,
    ),
    NestedField(
        9,
        "items",
        ListType(
            10, StructType(NestedField(11, "n", LongType(), required=False)), element_required=False
        ),
        required=False,
    ),
    NestedField(
        12, "named", MapType(13, StringType(), 14, LongType(), value_required=False), required=False
    ),
)
NOTHING: dict[str, Any] = dict.fromkeys(field.name for field in SCHEMA.fields)
ROWS: list[dict[str, Any]] = [
    {
        "number": 1,
        "label": "a",
        "price": pa.scalar("1.20").cast(pa.decimal128(9, 2)).as_py(),
        "day": pa.scalar(19_000, pa.date32()).as_py(),
        "moment": pa.scalar(10**15, pa.timestamp("us")).as_py(),
        "point": {"x": 1.0, "y": None},
        "items": [{"n": 1}, {"n": None}],
        "named": [("k", 1)],
    },
    NOTHING,
    {**NOTHING, "number": 3, "items": [], "named": []},
]
MAPPING = create_mapping_from_schema(SCHEMA)


def mapped(field_id: int, *names: str) -> MappedField:
    return MappedField.model_validate({"field-id": field_id, "names": names})


def written(folder: Path, style: Style, mapping: NameMapping | None) -> OneFile:
    path = folder / "data.parquet"
    write_parquet(path, pa.Table.from_pylist(ROWS, schema=arrow_schema(SCHEMA)), SCHEMA, style)
    properties = {}
    if mapping is not None:
        properties["schema.name-mapping.default"] = mapping.model_dump_json()
    return one_file(path, SCHEMA, len(ROWS), properties=properties)


WRITERS = [Style(writer="duckdb"), Style(writer="pyarrow"), Style(writer="pyiceberg")]


@pytest.mark.parametrize("style", WRITERS, ids=lambda style: style.writer)
def test_files_with_ids_need_no_mapping(tmp_path: Path, style: Style) -> None:
    file = written(tmp_path, style, None)
    assert file.read().schema.equals(arrow_schema(SCHEMA), check_metadata=True)
    rows = file.rows()
    if style.writer == "pyiceberg":  # which writes empty lists for NULL ones of structs
        rows[1]["items"] = rows[1]["items"] or None
    assert rows == ROWS


@pytest.mark.parametrize("writer", ["duckdb", "pyarrow"])
def test_files_without_ids_are_read_by_the_mapping(tmp_path: Path, writer: Any) -> None:
    file = written(tmp_path, Style(writer=writer, ids=False), MAPPING)
    assert file.rows() == ROWS


def test_the_mapping_is_used_as_pyiceberg_does(tmp_path: Path) -> None:
    file = written(tmp_path, Style(ids=False), MAPPING)
    whole = pq.read_table(tmp_path / "data.parquet").combine_chunks().to_batches()[0]
    expected = _to_requested_schema(SCHEMA, pyarrow_to_schema(whole.schema, MAPPING), whole)
    found = file.read()
    columns = [name for name in found.column_names if name != "items"]
    theirs = pa.Table.from_batches([expected]).select(columns)
    assert found.select(columns).to_pylist() == theirs.to_pylist()


def test_a_renamed_column_is_found_by_its_old_name(tmp_path: Path) -> None:
    file = written(tmp_path, Style(ids=False), MAPPING)
    point = StructType(
        NestedField(8, "x", DoubleType(), required=False),
        NestedField(7, "y", DoubleType(), required=False),
    )
    evolved = file.evolved(
        NestedField(6, "label", point, required=False),
        NestedField(1, "point", LongType(), required=False),
        NestedField(99, "number", LongType(), required=False),
    )
    assert evolved.rows()[0] == {"label": {"x": None, "y": 1.0}, "point": 1, "number": None}


def test_names_that_the_mapping_lacks_are_not_columns(tmp_path: Path) -> None:
    partial = NameMapping([mapped(1, "no", "number")])
    file = written(tmp_path, Style(ids=False), partial)
    assert file.rows("number") == [{"number": 1}, {"number": None}, {"number": 3}]


def test_row_groups_are_skipped_in_mapped_files_too(tmp_path: Path) -> None:
    file = written(tmp_path, Style(ids=False), MAPPING)
    assert file.chunks("number", where=Compare("number", Op.GT, pa.scalar(3, pa.int32()))) == []


def test_without_ids_and_without_a_mapping_nothing_is_guessed(tmp_path: Path) -> None:
    file = written(tmp_path, Style(ids=False), None)
    with pytest.raises(CorruptDataError, match="has no field ids") as caught:
        file.rows()
    assert "schema.name-mapping.default" in str(caught.value.hint)


def test_partition_columns_alone_need_no_ids(tmp_path: Path) -> None:
    region = NestedField(20, "region", StringType(), required=False)
    spec = PartitionSpec(PartitionField(20, 1000, IdentityTransform(), "region"))
    path = written(tmp_path, Style(ids=False), None).file.path
    file = one_file(path, Schema(*SCHEMA.fields, region), 3, spec=spec, partition=("north",))
    assert file.rows("region") == [{"region": "north"}] * 3


def partly_identified(folder: Path, mapping: NameMapping | None) -> OneFile:
    """`number` has its id, `label` has none."""
    path = folder / "data.parquet"
    fields: list[pa.Field[Any]] = [
        pa.field("number", pa.int32(), metadata={"PARQUET:field_id": "1"}),
        pa.field("label", pa.string()),
    ]
    schema = pa.schema(fields)
    pq.write_table(pa.Table.from_pylist([{"number": 1, "label": "a"}], schema), path)
    properties = (
        {} if mapping is None else {"schema.name-mapping.default": mapping.model_dump_json()}
    )
    return one_file(path, SCHEMA, 1, properties=properties)


def test_a_column_without_an_id_among_others_is_not_guessed(tmp_path: Path) -> None:
    file = partly_identified(tmp_path, None)
    assert file.rows("number", "day") == [{"number": 1, "day": None}]
    with pytest.raises(CorruptDataError, match="holds the column `label` without a field id"):
        file.rows("label")


def test_a_mapping_fills_in_missing_ids_and_changes_no_other(tmp_path: Path) -> None:
    swapped = NameMapping([mapped(2, "label"), mapped(3, "number")])
    file = partly_identified(tmp_path, swapped)
    assert file.rows("number", "label") == [{"number": 1, "label": "a"}]
