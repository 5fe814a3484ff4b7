"""Parquet data files as different writers make them: pyarrow, PyIceberg's writer and DuckDB's COPY.

With or without field ids, in many row groups or one, every encoding, page version and codec; and the
odd ones: identity-partition columns left out (Hive tables), INT96 timestamps, no footer statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import ParquetFormatWriter, PyArrowFileIO
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType, UnknownType

from tests.lakes.storage import arrow_schema

Codec = Literal["none", "snappy", "gzip", "zstd", "lz4", "brotli"]


@dataclass(frozen=True, slots=True)
class Style:
    """How a data file is written. `without` names top-level columns that the file does not hold."""

    writer: Literal["pyarrow", "pyiceberg", "duckdb"] = "pyarrow"
    ids: bool = True
    row_group_rows: int = 1 << 20
    dictionary: bool = True
    page_version: Literal["1.0", "2.0"] = "1.0"
    codec: Codec = "zstd"
    footer_statistics: bool = True
    page_index: bool = False
    int96: bool = False
    integer_decimals: bool = False
    without: frozenset[str] = frozenset()


PLAIN = Style()


def write_parquet(path: Path, rows: pa.Table, schema: Schema, style: Style = PLAIN) -> None:
    """A column of type unknown is never stored, as the specification says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = [
        field
        for field in schema.fields
        if field.name not in style.without and not isinstance(field.field_type, UnknownType)
    ]
    stored = Schema(*kept, schema_id=schema.schema_id)
    table = rows.select([field.name for field in kept])
    table = with_ids(table, stored) if style.ids else table.cast(arrow_schema(stored))
    match style.writer:
        case "pyarrow":
            _by_pyarrow(path, table, style)
        case "pyiceberg":
            _by_pyiceberg(path, table, stored, style)
        case "duckdb":
            _by_duckdb(path, table, stored, style)


def with_ids(table: pa.Table, schema: Schema) -> pa.Table:
    """The same rows, every field with its id, nested ones too."""
    wanted = arrow_schema(schema, ids=True)
    columns = [column.cast(field.type) for column, field in zip(table.columns, wanted, strict=True)]
    return pa.Table.from_arrays(columns, schema=wanted)


def _by_pyarrow(path: Path, table: pa.Table, style: Style) -> None:
    pq.write_table(
        table,
        path,
        row_group_size=style.row_group_rows,
        use_dictionary=style.dictionary,
        data_page_version=style.page_version,
        compression=style.codec,
        write_statistics=style.footer_statistics,
        write_page_index=style.page_index,
        use_deprecated_int96_timestamps=style.int96,
        store_decimal_as_integer=style.integer_decimals,
        store_schema=False,  # other writers leave no Arrow schema behind
    )


def _by_pyiceberg(path: Path, table: pa.Table, schema: Schema, style: Style) -> None:
    properties = {"write.parquet.row-group-limit": str(style.row_group_rows)}
    output = PyArrowFileIO().new_output(str(path))
    writer = ParquetFormatWriter(output, schema, properties)
    writer.write(table)
    # `close` would also compute bounds, which cannot hold every date; ours come from the rows.
    assert writer._writer is not None
    assert writer._fos is not None
    with writer._fos:
        writer._writer.close()


def _by_duckdb(path: Path, table: pa.Table, schema: Schema, style: Style) -> None:
    options = [
        "FORMAT parquet",
        f"ROW_GROUP_SIZE {max(style.row_group_rows, 1)}",
        f"PARQUET_VERSION {'V2' if style.page_version == '2.0' else 'V1'}",
        f"COMPRESSION {'uncompressed' if style.codec == 'none' else style.codec}",
    ]
    if style.ids:
        options.append(f"FIELD_IDS {_duckdb_ids(schema.fields)}")
    connection = _database().cursor()
    connection.register("given", table.replace_schema_metadata(None))
    connection.execute(f"COPY (FROM given) TO '{path}' ({', '.join(options)})")
    connection.unregister("given")


@cache
def _database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def _duckdb_ids(fields: tuple[NestedField, ...]) -> str:
    return "{" + ", ".join(f"{_quoted(one.name)}: {_duckdb_id(one)}" for one in fields) + "}"


def _duckdb_id(field: NestedField) -> str:
    inner = _duckdb_children(field.field_type)
    if not inner:
        return str(field.field_id)
    below = ", ".join(f"{_quoted(one.name)}: {_duckdb_id(one)}" for one in inner)
    return f"{{__duckdb_field_id: {field.field_id}, {below}}}"


def _duckdb_children(kind: IcebergType) -> tuple[NestedField, ...]:
    match kind:
        case StructType():
            return kind.fields
        case ListType():
            return (kind.element_field,)
        case MapType():
            return (kind.key_field, kind.value_field)
    return ()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
