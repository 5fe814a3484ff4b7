"""One Parquet file that grows by row groups, and what a manifest will say of it.

Columns are found by the field ids that each carries. A file that cannot be written, because the disk is
full or the folder read-only, is an error that says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.typedef import Record
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.failures import last_name, writing
from lakeport.catalog.iceberg.types import stored_type
from lakeport.catalog.iceberg.write.metrics import Metrics
from lakeport.catalog.iceberg.write.options import Compression
from lakeport.core.names import quoted

_arrow: Any = pa
_parquet: Any = pq
_FIELD_ID = "PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file belongs: its partition, and the order its rows are in, if any."""

    spec_id: int
    partition: tuple[Any, ...]
    sort_order_id: int | None


class GrowingFile:
    """`dictionaries` are the columns that get one, by their paths."""

    def __init__(
        self,
        io: FileIO,
        path: str,
        schema: pa.Schema,
        compression: Compression,
        metrics: Metrics,
        dictionaries: Sequence[str],
    ) -> None:
        self.path = path
        self._what = f"data file {quoted(last_name(path))}"
        self._metrics = metrics
        with writing(self._what):
            self._sink: Any = io.new_output(path).create()
            self._writer: Any = _parquet.ParquetWriter(
                self._sink,
                schema,
                compression=compression.codec,
                compression_level=compression.level,
                use_dictionary=list(dictionaries),
                store_decimal_as_integer=True,
            )

    @property
    def size(self) -> int:
        """Bytes so far."""
        found: int = self._sink.tell()
        return found

    def write(self, rows: pa.Table) -> None:
        """One row group."""
        self._metrics.add(rows)
        with writing(self._what):
            self._writer.write_table(rows, row_group_size=rows.num_rows)

    def close(self, place: Place) -> DataFile:
        with writing(self._what):
            self._writer.close()
            size = self.size
            self._sink.close()
        entry = DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=self.path,
            file_format=FileFormat.PARQUET,
            partition=Record(*place.partition),
            file_size_in_bytes=size,
            sort_order_id=place.sort_order_id,
            equality_ids=None,
            key_metadata=None,
            **self._metrics.finished(self._writer.writer.metadata),
        )
        entry.spec_id = place.spec_id  # `from_args` takes it and forgets it
        return entry

    def abandon(self) -> None:
        # The writer too: left open, it would try to end the file when it is collected.
        for end in (self._writer.close, self._sink.close):
            with suppress(OSError, ValueError, pa.ArrowException):
                end()


def file_schema(fields: tuple[NestedField, ...]) -> pa.Schema:
    return pa.schema([_file_field(field) for field in fields])


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
