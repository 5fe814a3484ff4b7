"""The page `docs/reference/types.md`, its tables written from the code itself.

`python -m tests.catalog.iceberg.types.types_page` writes it; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.columns import spark_type
from lakeport.catalog.iceberg.types import columns_for, describe, prunable
from tests.arrow_values import BIGNUM, BIT, HUGEINT, TIME_TZ, UHUGEINT
from tests.strategies import GEOMETRY

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "types.md"

_arrow: Any = pa


@dataclass(frozen=True, slots=True)
class Row:
    """`duckdb` is the type of a DuckDB column that arrives so; empty if none does by itself."""

    duckdb: str
    field: Field


def _row(duckdb: str, data_type: pa.DataType) -> Row:
    return Row(duckdb, pa.field("x", data_type))


ROWS = (
    _row("BOOLEAN", pa.bool_()),
    _row("BOOLEAN (lossless)", pa.bool8()),
    _row("TINYINT", pa.int8()),
    _row("SMALLINT", pa.int16()),
    _row("INTEGER", pa.int32()),
    _row("BIGINT", pa.int64()),
    _row("UTINYINT", pa.uint8()),
    _row("USMALLINT", pa.uint16()),
    _row("UINTEGER", pa.uint32()),
    _row("UBIGINT", pa.uint64()),
    _row("HUGEINT (lossless)", HUGEINT),
    _row("UHUGEINT (lossless)", UHUGEINT),
    _row("BIGNUM", BIGNUM),
    _row("FLOAT", pa.float32()),
    _row("DOUBLE", pa.float64()),
    _row("DECIMAL(9, 2)", pa.decimal128(9, 2)),
    _row("", pa.decimal32(7, 3)),
    _row("", pa.decimal64(15, 5)),
    _row("", pa.decimal128(5, -2)),
    _row("VARCHAR", pa.string()),
    _row("", pa.large_string()),
    _row("", pa.string_view()),
    _row("JSON (lossless)", pa.json_(pa.string())),
    _row("UUID (lossless)", pa.uuid()),
    _row("ENUM", pa.dictionary(pa.uint8(), pa.string())),
    _row("", pa.run_end_encoded(pa.int32(), pa.string())),
    _row("BLOB", pa.binary()),
    _row("", pa.large_binary()),
    _row("", pa.binary_view()),
    _row("", pa.binary(3)),
    _row("BIT (lossless)", BIT),
    Row("GEOMETRY", pa.field("x", pa.binary(), metadata=GEOMETRY)),
    _row("DATE", pa.date32()),
    _row("", pa.date64()),
    _row("TIME", pa.time64("us")),
    _row("TIME_NS", pa.time64("ns")),
    _row("", pa.time32("s")),
    _row("", pa.time32("ms")),
    _row("TIMETZ (lossless)", TIME_TZ),
    _row("TIMESTAMP", pa.timestamp("us")),
    _row("TIMESTAMP_S", pa.timestamp("s")),
    _row("TIMESTAMP_MS", pa.timestamp("ms")),
    _row("TIMESTAMP_NS", pa.timestamp("ns")),
    _row("TIMESTAMPTZ", pa.timestamp("us", "UTC")),
    _row("TIMESTAMPTZ", pa.timestamp("us", "Europe/Zurich")),
    _row("", pa.timestamp("s", "UTC")),
    _row("", pa.timestamp("ns", "UTC")),
    _row("INTERVAL", pa.month_day_nano_interval()),
    _row("", pa.duration("us")),
    _row("LIST", pa.list_(pa.field("l", pa.int64()))),
    _row("", pa.large_list(pa.int64())),
    _row("", pa.list_view(pa.int64())),
    _row("ARRAY(3)", pa.list_(pa.int64(), 3)),
    _row("STRUCT", pa.struct([pa.field("a", pa.int64())])),
    _row("MAP", pa.map_(pa.string(), pa.int64())),
    _row("UNION", pa.sparse_union([pa.field("a", pa.int64()), pa.field("b", pa.string())])),
    _row("NULL", pa.null()),
)

_TRINO: dict[type[IcebergType], str] = {
    IntegerType: "integer",
    LongType: "bigint",
    FloatType: "real",
    StringType: "varchar",
    BinaryType: "varbinary",
    FixedType: "varbinary",
    TimestampType: "timestamp(6)",
    TimestamptzType: "timestamp(6) with time zone",
}
_DUCKDB: dict[type[IcebergType], str] = {
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    StringType: "VARCHAR",
    BinaryType: "BLOB",
    FixedType: "BLOB",
    TimestamptzType: "TIMESTAMP WITH TIME ZONE",
}


def trino_type(found: IcebergType) -> str:
    match found:
        case StructType():
            inner = ", ".join(f"{f.name} {trino_type(f.field_type)}" for f in found.fields)
            return f"row({inner})"
        case ListType():
            return f"array({trino_type(found.element_type)})"
        case MapType():
            return f"map({trino_type(found.key_type)}, {trino_type(found.value_type)})"
    return _TRINO.get(type(found), str(found))


def duckdb_type(found: IcebergType) -> str:
    """What DuckDB's own Iceberg reader calls it; a test asks DuckDB."""
    match found:
        case StructType():
            inner = ", ".join(f"{f.name} {duckdb_type(f.field_type)}" for f in found.fields)
            return f"STRUCT({inner})"
        case ListType():
            return f"{duckdb_type(found.element_type)}[]"
        case MapType():
            return f"MAP({duckdb_type(found.key_type)}, {duckdb_type(found.value_type)})"
    return _DUCKDB.get(type(found), str(found).upper().replace(", ", ","))


def types_page() -> str:
    return _INTRODUCTION + "\n".join(_table()) + "\n" + _RULES


def _table() -> Iterator[str]:
    yield "| DuckDB | Arrow | Iceberg | word | prunes | Spark | Trino | DuckDB's own reader |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in ROWS:
        description = describe([row.field])
        (column,) = columns_for(Schema(*description.fields), description.annotations)
        word = description.annotations.get(1)
        kind = column.field.field_type
        cells = (
            row.duckdb,
            _code(_arrow_name(row.field)),
            _code(str(kind)),
            _code(str(word)) if word else "",
            "yes" if prunable(column) else "",
            *(_code(text) for text in (spark_type(kind), trino_type(kind), duckdb_type(kind))),
        )
        yield "| " + " | ".join(cells) + " |"


def _arrow_name(field: Field) -> str:
    metadata = field.metadata or {}
    if b"ARROW:extension:name" in metadata:
        return f"{field.type}, extension {metadata[b'ARROW:extension:name'].decode()}"
    if isinstance(field.type, pa.OpaqueType):
        return f"arrow.opaque {field.type.type_name}"
    if isinstance(field.type, pa.BaseExtensionType):
        return field.type.extension_name
    return str(field.type)


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


_INTRODUCTION = """\
# Types

<!-- Written by tests/catalog/iceberg/types/types_page.py: change the code, then run it. -->

Iceberg has few types; Arrow and DuckDB have many. Every Arrow type that a table may have is stored as one of
Iceberg's, and comes back exactly as it was. Where the storage type alone does not say what it was, a word in the table
property `lakeport.types` does. Other engines see the storage type. *Lossless* is what DuckDB's client sends with
`SET arrow_lossless_conversion = true`; without it those columns arrive as text, decimals, booleans or bytes. *Prunes*:
files and row groups are left out by the bounds of such a column.

"""

_RULES = """
Dates and timestamps may be infinite as in DuckDB; other engines see the first or last moment of their type. Times of day,
durations and nanoseconds are counts in their own unit, because Spark opens no table with an Iceberg `time` and format 2
has no nanoseconds. A union is a struct of a `tag` and its members, all NULL but the one that counts. In nested types
every field follows the same rules on its own.

Not stored, and refused with the type to use instead: `float16`, `decimal256`, decimals whose scale would need more than
38 digits, structs without fields, dictionaries and run ends of nested values, dates and timestamps out of the range of
their storage type. Metadata of Arrow fields other than comment, DEFAULT and extension is not kept.

## The property `lakeport.types`

A JSON object from field ids to words, for example `{"2": "uint8", "7": "list<item>", "8": "timestamp[s]"}`. Ids never
change, so a column that another engine renames or moves keeps its type; lists, maps and structs have ids inside, and each
word is about one level.

| word | means |
|---|---|
| `uint8`, `timestamp[s]`, `decimal32(7, 3)`, `json`, `hugeint`… | that Arrow type |
| `list<item>`, `large_list<item>`, `list_view<item>`, `large_list_view<item>` | a list whose element field is called so; without a word it is `list<element>` |
| `fixed_size_list<item>[3]` | a list of exactly three elements |
| `map<key, value>`, `sorted_map<key, value>` | a map, the names of its two fields, and whether its keys are sorted |
| `sparse_union<0, 1>`, `dense_union<5, 9>` | a union and the codes of its members, which are the struct's fields after the tag, by field id |
| `dictionary<uint8, string>`, `ordered_dictionary<uint8, string>` | a dictionary of another word |
| `run_end_encoded<int32, string>` | run ends of another word |
| `extension<geoarrow.wkb, "{}", binary>` | an extension type: name, metadata, the word of its storage |
| `… not null` | a member of a union that is never NULL where it counts |

Names that are no plain words stand in double quotes, as JSON writes them.

- A word counts only while its storage type is the column's. A column that somebody widened is what it was widened to.
- A word that cannot be read, an id that no field has and a key that is no id are passed over. A property that is no
  JSON object counts as absent. The column is then what its Iceberg type says, and nothing is lost.
- A value that another engine stored and the type cannot hold (300 in a `uint8`) is an error that names the column.
- Properties have no history of their own, so a change of a word is written down in `lakeport.types.past`:
  `[{"before": 7, "types": {"2": "uint8"}}]` is how field 2 was described until version 7. Earlier versions are read with it.

## Defaults, constraints, comments

| property | holds |
|---|---|
| `lakeport.defaults` | `{"2": "now()"}`: the DEFAULT of columns by field id, as SQL. Columns without one show Iceberg's `write-default` (format 3) |
| `lakeport.constraints` | a list of `{"kind": "primary key", "name": "primary key", "columns": {"id": 1}}`; kinds are `primary key`, `unique` and `check`, the last with an `expression` and, for fields inside columns, `fields`: `{"4": ["address", "city"]}`. Both say which field each name meant, so a rename by another engine is followed |
| `comment` | the table's comment, as Spark and Trino keep it; a column's is its `doc` |

A constraint whose column is gone, or that cannot be read, stays: rows can be read, and none is written until it is dropped
(`lakeport doctor` names it). A new column of the old name does not take its place.
Iceberg's identifier fields are no PRIMARY KEY: nobody checks them.

## Changing columns

A field keeps its id as long as Iceberg can read its old files in the new type: `int` → `long`, `float` → `double`, more digits
of a decimal, and whatever changes the word alone (`int8` → `int16`, `string` → `large_string`). Such a change touches no file.
Any other type is written under a fresh id, all rows in one snapshot; so is a new column with a DEFAULT.

A column that the table is, or was, partitioned by can only grow in Iceberg's own way. Dropped with CASCADE, it takes the
partition field along and all rows are written to the new layout, because other engines cannot scan files whose partition has
lost its source. The names of partition fields (`at_day`) stay taken for good: Spark could not open a table in which a column has one.

A new table's folder is called after the table and its uuid. A dropped table's files stay there; the log line `table.dropped`
names the metadata file from which any Iceberg catalog can register it again. Properties of tables and namespaces that say where or
how files are reached (`s3.*`, `io-impl`, `write.data.path`…) are refused, and so are `lakeport.*` and `format-version`.

## Names

Two columns or fields of another engine's table whose names differ in case only are shown under two names: `a` and `A_1`.
A column called `rowid` is shown as `rowid_1`, because that name belongs to the row id.
"""


if __name__ == "__main__":
    PAGE.write_text(types_page(), encoding="utf-8")
