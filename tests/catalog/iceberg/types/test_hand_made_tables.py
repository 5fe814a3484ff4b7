"""Tables made without Lakeport's writer, with the property written by hand: read as what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    FixedType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)

from lakeport.catalog.expressions import narrow
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.types import stored_field
from lakeport.catalog.ports import ScanRequest, Table
from lakeport.catalog.reading import read
from lakeport.core.errors import CorruptDataError
from lakeport.core.timepoint import AtVersion
from tests.lakes.lake import Lake
from tests.lakes.table import LakeTable

UNION = StructType(
    NestedField(9, "tag", IntegerType(), required=True),
    NestedField(10, "number", LongType()),
    NestedField(11, "text", StringType()),
)
SCHEMA = Schema(
    NestedField(1, "k", LongType(), required=True),
    NestedField(2, "small", IntegerType()),
    NestedField(3, "at", TimestampType()),
    NestedField(4, "noon", LongType()),
    NestedField(5, "mood", StringType()),
    NestedField(6, "huge", FixedType(16)),
    NestedField(7, "pair", ListType(8, IntegerType(), element_required=False)),
    NestedField(12, "either", UNION),
)
WORDS = {
    "2": "uint8",
    "3": "timestamp[s]",
    "4": "time64[us]",
    "5": "dictionary<uint8, string>",
    "6": "hugeint",
    "7": "fixed_size_list<item>[2]",
    "8": "uint16",
    "12": "sparse_union<0, 1>",
}
TYPES: dict[str, pa.DataType] = {
    "k": pa.int64(),
    "small": pa.uint8(),
    "at": pa.timestamp("s"),
    "noon": pa.time64("us"),
    "mood": pa.dictionary(pa.uint8(), pa.string()),
    "huge": pa.opaque(pa.binary(16), "hugeint", "DuckDB"),
    "pair": pa.list_(pa.uint16(), 2),
    "either": pa.union(
        [pa.field("number", pa.int64()), pa.field("text", pa.string())], "sparse", type_codes=[0, 1]
    ),
}


def record(k: int, **more: Any) -> dict[str, Any]:
    return {
        "k": k,
        "small": k * 10,
        "at": k * 60_000_000,
        "noon": k * 3_600_000_000,
        "mood": ("glad", "sad")[k % 2],
        "huge": k.to_bytes(16, "little"),
        "pair": [k, 65_535],
        "either": {"tag": 0, "number": k} if k % 2 else {"tag": 1, "text": str(k)},
        **more,
    }


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


@pytest.fixture
def catalog(lake: Lake) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(lake.profile) as found:
        yield found


def made(lake: Lake, *rows: Mapping[str, Any], words: str | None = None) -> LakeTable:
    text = json.dumps(WORDS) if words is None else words
    table = lake.create("s.t", SCHEMA, properties={"lakeport.types": text})
    for one in rows:
        table.append(stored([one]))
    return table


def stored(rows: list[Mapping[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), pa.schema([stored_field(f) for f in SCHEMA.fields]))


def found(catalog: IcebergCatalog) -> Table:
    return catalog.namespace("s").table("t")


def rows(catalog: IcebergCatalog, request: ScanRequest | None = None) -> pa.Table:
    with read(found(catalog), request) as stream:
        return stream.read_all()


def test_columns_and_values_are_what_the_property_says(lake: Lake, catalog: IcebergCatalog) -> None:
    made(lake, record(1), record(2), {"k": 3})
    shown = rows(catalog)
    assert {field.name: field.type for field in shown.schema} == TYPES
    assert shown.select(["small", "mood", "pair", "either"]).to_pylist() == [
        {"small": 10, "mood": "sad", "pair": [1, 65_535], "either": 1},
        {"small": 20, "mood": "glad", "pair": [2, 65_535], "either": "2"},
        {"small": None, "mood": None, "pair": None, "either": None},
    ]
    assert shown["at"].cast(pa.int64()).to_pylist() == [60, 120, None]


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("small > 15", [2]),
        ("\"at\" = TIMESTAMP '1970-01-01 00:01:00'", [1]),
        ("noon >= TIME '02:00:00'", [2]),
        ("mood = 'sad'", [1]),
        ("huge = 2", [2]),
        ("pair[1] = 1", [1]),
        ("either.text = '2'", [2]),
        ("small IS NULL", [3]),
    ],
)
def test_conditions_are_about_what_users_see(
    lake: Lake, catalog: IcebergCatalog, sql: str, keys: list[int]
) -> None:
    made(lake, record(1), record(2), {"k": 3})
    condition = narrow(sql, found(catalog).state().definition.schema)
    request = ScanRequest(
        columns=("k",), predicate=condition.predicate, expression=condition.expression
    )
    assert rows(catalog, request)["k"].to_pylist() == keys


def test_a_renamed_column_keeps_its_type_and_a_widened_one_does_not(
    lake: Lake, catalog: IcebergCatalog
) -> None:
    table = made(lake, record(1))
    fields = {field.name: field for field in SCHEMA.fields}
    fields["small"] = NestedField(2, "small", LongType())
    fields["mood"] = NestedField(5, "feeling", StringType())
    del fields["huge"]
    table.evolve(Schema(*fields.values(), schema_id=1))
    shown = rows(catalog)
    assert shown.schema.field("small").type == pa.int64()
    assert shown.schema.field("feeling").type == TYPES["mood"]
    assert shown["feeling"].to_pylist() == ["sad"]
    before = rows(catalog, ScanRequest(at=AtVersion(1)))
    assert {field.name: field.type for field in before.schema} == TYPES


def test_without_the_property_the_storage_types_are_shown(
    lake: Lake, catalog: IcebergCatalog
) -> None:
    made(lake, record(1), words="not JSON")
    shown = rows(catalog).select(["small", "mood", "noon"])
    assert shown.to_pylist() == [{"small": 10, "mood": "sad", "noon": 3_600_000_000}]
    assert shown.schema.field("small").type == pa.int32()


@pytest.mark.parametrize(
    "wrong",
    [{"small": 256}, {"at": 1}, {"noon": -1}, {"pair": [1, 2, 3]}, {"pair": [1, -1]}],
    ids=str,
)
def test_a_value_that_does_not_fit_names_its_column(
    lake: Lake, catalog: IcebergCatalog, wrong: dict[str, Any]
) -> None:
    made(lake, record(1), record(2, **wrong))
    (name,) = wrong
    with pytest.raises(CorruptDataError, match=f"`{name}`"):
        rows(catalog)
    others = tuple(other for other in TYPES if other != name)
    assert rows(catalog, ScanRequest(columns=others)).num_rows == 2


def test_a_column_with_more_values_than_its_index_counts_is_read(
    lake: Lake, catalog: IcebergCatalog
) -> None:
    table = made(lake)
    table.append(stored([record(n % 2, mood=f"mood {n}") | {"k": n} for n in range(1_000)]))
    shown = rows(catalog, ScanRequest(columns=("k", "mood")))
    assert shown.schema.field("mood").type == TYPES["mood"]
    assert shown.num_rows == 1_000
    texts = [value for chunk in shown["mood"].chunks for value in chunk.to_pylist()]
    assert texts == [f"mood {n}" for n in shown["k"].to_pylist()]
