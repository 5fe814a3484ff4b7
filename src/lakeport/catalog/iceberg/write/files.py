"""Data files that grow as rows arrive, one or more per partition, in bounded memory.

Rows wait until they fill a row group; when all that wait together are too many bytes, the longest queue
goes first. Files end at a target size. Rows stay in the order they came in, and no file claims another.
`abandon` removes every file that was begun, so that a failed write leaves nothing behind.
"""

from __future__ import annotations

import re
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.parts import MEBIBYTE
from lakeport.catalog.iceberg.types import Column, stored_type
from lakeport.catalog.iceberg.write.metrics import Metrics
from lakeport.catalog.iceberg.write.partitions import PartitionValues, partitioned
from lakeport.core.errors import UnsupportedError

_arrow: Any = pa
_FIELD_ID = "PARQUET:field_id"
_MOST_OPEN = 64
_COUNT = re.compile(r"[1-9][0-9]{0,17}")
_CODECS = {
    "uncompressed": "none",
    **{name: name for name in ("zstd", "snappy", "gzip", "lz4", "brotli")},
}


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """`waiting_bytes` is for the rows of all partitions together."""

    row_group_rows: int = 122_880
    row_group_bytes: int = 64 * MEBIBYTE
    waiting_bytes: int = 192 * MEBIBYTE
    file_bytes: int = 128 * MEBIBYTE

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> WriteOptions:
        """What the table asks for, where it asks for something that makes sense."""
        usual = cls()
        rows = properties.get("write.parquet.row-group-limit", "")
        size = properties.get("write.target-file-size-bytes", "")
        return cls(
            row_group_rows=int(rows) if _COUNT.fullmatch(rows) else usual.row_group_rows,
            file_bytes=int(size) if _COUNT.fullmatch(size) else usual.file_bytes,
        )


@dataclass(slots=True)
class _Queue:
    """Rows of one partition that have not been written yet."""

    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0


class DataFiles:
    """Takes stored rows, gives manifest entries. Belongs to one thread."""

    def __init__(
        self,
        io: FileIO,
        metadata: TableMetadata,
        columns: Sequence[Column],
        options: WriteOptions | None = None,
    ) -> None:
        self._io = io
        self._metadata = metadata
        self._columns = columns
        self._options = options or WriteOptions.of(metadata.properties)
        self._codec: Any = _codec(metadata.properties)
        self._schema = pa.schema([_file_field(column.field) for column in columns])
        self._locations = load_location_provider(metadata.location, metadata.properties)
        self._run = uuid.uuid4()
        self._queues: dict[PartitionValues, _Queue] = {}
        self._open: OrderedDict[PartitionValues, _OpenFile] = OrderedDict()
        self._begun: list[str] = []
        self.done: list[DataFile] = []
        self._waiting = 0

    def add(self, rows: pa.RecordBatch) -> None:
        spec, schema = self._metadata.spec(), self._metadata.schema()
        for values, part in partitioned(rows, spec, schema):
            queue = self._enqueue(
                values, [pa.RecordBatch.from_arrays(part.columns, schema=self._schema)]
            )
            if queue.rows >= self._options.row_group_rows:
                self._flush(values, whole_groups=True)
            elif queue.bytes >= self._options.row_group_bytes:
                self._flush(values)
        while self._waiting > self._options.waiting_bytes:
            self._flush(max(self._queues, key=lambda values: self._queues[values].bytes))

    def finish(self) -> None:
        """Everything written and closed; `done` is then what to commit."""
        for values in list(self._queues):
            self._flush(values)
        for values in list(self._open):
            self._close(values)

    def abandon(self) -> None:
        for file in self._open.values():
            # The writer too: left open, it would try to end the file when it is collected.
            for end in (file.writer.close, file.sink.close):
                with suppress(OSError, ValueError):
                    end()
        self._open.clear()
        self._queues.clear()
        for path in self._begun:
            with suppress(OSError):
                self._io.delete(path)

    def _flush(self, values: PartitionValues, *, whole_groups: bool = False) -> None:
        """Write what waits, or as much of it as fills row groups."""
        queue = self._queues.pop(values)
        self._waiting -= queue.bytes
        if not queue.rows:
            return
        file = self._open.get(values) or self._begin(values)
        self._open.move_to_end(values)
        rows = pa.Table.from_batches(queue.batches, self._schema)
        limit = self._options.row_group_rows
        now = rows.num_rows // limit * limit if whole_groups else rows.num_rows
        for batch in rows.slice(0, now).to_batches():
            file.metrics.add(batch)
        file.writer.write_table(rows.slice(0, now), row_group_size=limit)
        self._enqueue(values, rows.slice(now).to_batches())
        if file.sink.tell() >= self._options.file_bytes:
            self._close(values)

    def _enqueue(self, values: PartitionValues, batches: Sequence[pa.RecordBatch]) -> _Queue:
        queue = self._queues.setdefault(values, _Queue())
        for batch in batches:
            queue.batches.append(batch)
            queue.rows += batch.num_rows
            queue.bytes += batch.nbytes
            self._waiting += batch.nbytes
        return queue

    def _begin(self, values: PartitionValues) -> _OpenFile:
        while len(self._open) >= _MOST_OPEN:
            self._close(next(iter(self._open)))
        name = f"{len(self._begun):05d}-{self._run}.parquet"
        path = self._locations.new_data_location(name)
        self._begun.append(path)
        sink: Any = self._io.new_output(path).create()
        writer = pq.ParquetWriter(
            sink,
            self._schema,
            compression=self._codec,
            store_decimal_as_integer=True,
        )
        file = _OpenFile(path, sink, writer, Metrics(self._columns))
        self._open[values] = file
        return file

    def _close(self, values: PartitionValues) -> None:
        file = self._open.pop(values)
        file.writer.close()
        size = file.sink.tell()
        file.sink.close()
        self.done.append(
            DataFile.from_args(
                content=DataFileContent.DATA,
                file_path=file.path,
                file_format=FileFormat.PARQUET,
                partition=Record(*values),
                file_size_in_bytes=size,
                sort_order_id=None,
                spec_id=self._metadata.default_spec_id,
                equality_ids=None,
                key_metadata=None,
                **file.metrics.finished(file.writer.writer.metadata),
            )
        )


@dataclass(frozen=True, slots=True)
class _OpenFile:
    path: str
    sink: Any
    writer: Any
    metrics: Metrics


def _codec(properties: Mapping[str, str]) -> str:
    asked = properties.get("write.parquet.compression-codec", "zstd").lower()
    if asked not in _CODECS:
        raise UnsupportedError(
            f"the table asks for files compressed with {asked}, which is not known here",
            hint=f"set write.parquet.compression-codec to one of {', '.join(_CODECS)}",
        )
    return _CODECS[asked]


def _file_field(found: NestedField) -> Field:
    """A field as Parquet keeps it: by its id."""
    return pa.field(
        found.name,
        _file_type(found.field_type),
        nullable=found.optional,
        metadata={_FIELD_ID: str(found.field_id)},
    )


def _file_type(found: IcebergType) -> pa.DataType:
    built: pa.DataType
    match found:
        case StructType():
            built = pa.struct([_file_field(child) for child in found.fields])
        case ListType():
            built = _arrow.list_(_file_field(found.element_field))
        case MapType():
            built = _arrow.map_(_file_field(found.key_field), _file_field(found.value_field))
        case _:
            built = stored_type(found)
    return built
