"""Delete files made by hand, and a table's state to read them with."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField
from pyroaring import BitMap

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.parts import DataFile, DeleteFile, Source
from lakeport.core.names import TableName

MAGIC = b"\xd1\xd3\x39\x64"
PATH_ID, POSITION_ID = 2147483546, 2147483545


def bare_source() -> Source:
    """Of a table whose metadata say nothing: enough for deletes by position."""
    metadata = new_table_metadata(
        Schema(NestedField(1, "id", LongType())),
        UNPARTITIONED_PARTITION_SPEC,
        UNSORTED_SORT_ORDER,
        "file:///nowhere",
        {},
    )
    return Source(TableName("s", "t"), metadata, PyArrowFileIO(), Caches())


def data_file(path: str, rows: int, *deletes: DeleteFile) -> DataFile:
    return DataFile(0, path, "PARQUET", rows, 1, 1, 0, Record(), deletes)


def positions_table(rows: Sequence[tuple[str | None, int | None]], *, ids: bool = True) -> pa.Table:
    def field(name: str, kind: pa.DataType, field_id: int) -> Any:
        metadata = {"PARQUET:field_id": str(field_id)} if ids else None
        return pa.field(name, kind, metadata=metadata)

    schema = pa.schema(
        [field("file_path", pa.string(), PATH_ID), field("pos", pa.int64(), POSITION_ID)]
    )
    return pa.Table.from_pylist([{"file_path": path, "pos": at} for path, at in rows], schema)


def position_deletes(path: Path, rows: pa.Table, **options: Any) -> DeleteFile:
    pq.write_table(rows, path, **options)
    return DeleteFile(
        f"file://{path}", "PARQUET", "positions", rows.num_rows, path.stat().st_size, 2
    )


def vector_blob(positions: Sequence[int]) -> bytes:
    body = MAGIC + struct.pack("<QI", 1, 0) + BitMap(positions).serialize()
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def vector(path: Path, blob: bytes, rows: int, *, offset: int = 4) -> DeleteFile:
    """`blob` after some other bytes, as in a Puffin file."""
    path.write_bytes(b"PFA1" + blob + b"the footer")
    return DeleteFile(
        f"file://{path}", "PUFFIN", "vector", rows, 1, 2, offset=offset, length=len(blob)
    )
