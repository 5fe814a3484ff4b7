"""Files that know their own types: Parquet, and Arrow IPC as a file or a stream."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lakeport.app.lake.load.columns import refuse_twins
from lakeport.catalog.arrow import Field
from lakeport.core.errors import InvalidRequestError

BATCH_ROWS = 65_536
_EXTENSION = b"ARROW:extension:"
_FILE_MAGIC = b"ARROW1"


class ParquetInput:
    is_guessed = False

    def __init__(self, label: str, place: Path) -> None:
        self.label = label
        self._place = place

    def names(self) -> list[str]:
        return self.schema().names

    def schema(self) -> pa.Schema:
        with _whole(self.label, "Parquet"), pq.ParquetFile(self._place) as file:
            return _distinct(plain_schema(file.schema_arrow), self.label)

    def batches(self, _schema: pa.Schema) -> Generator[pa.RecordBatch, None, None]:
        with _whole(self.label, "Parquet"), pq.ParquetFile(self._place) as file:
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                yield with_plain_schema(batch)


class ArrowInput:
    is_guessed = False

    def __init__(self, label: str, place: Path) -> None:
        self.label = label
        self._place = place

    def names(self) -> list[str]:
        return self.schema().names

    def schema(self) -> pa.Schema:
        with _whole(self.label, "Arrow"), self._opened() as reader:
            return _distinct(plain_schema(reader.schema), self.label)

    def batches(self, _schema: pa.Schema) -> Generator[pa.RecordBatch, None, None]:
        with _whole(self.label, "Arrow"), self._opened() as reader:
            if isinstance(reader, pa.RecordBatchFileReader):
                found: Iterator[pa.RecordBatch] = map(
                    reader.get_batch, range(reader.num_record_batches)
                )
            else:
                found = iter(reader)
            for batch in found:
                yield with_plain_schema(batch)

    @contextmanager
    def _opened(self) -> Iterator[pa.RecordBatchFileReader | pa.RecordBatchStreamReader]:
        with pa.memory_map(str(self._place)) if self._size() else pa.BufferReader(b"") as source:
            if source.read(len(_FILE_MAGIC)) == _FILE_MAGIC:
                with pa.ipc.open_file(source) as reader:
                    yield reader
            else:
                source.seek(0)
                with pa.ipc.open_stream(source) as stream:
                    yield stream

    def _size(self) -> int:
        return self._place.stat().st_size


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Without what other programs wrote beside the columns: pandas' index, Parquet's field ids."""
    return pa.schema([_plain(column) for column in schema])


def with_plain_schema(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(batch.columns, schema=plain_schema(batch.schema))


def _distinct(schema: pa.Schema, label: str) -> pa.Schema:
    refuse_twins(label, schema.names)
    return schema


def _plain(column: Field) -> Field:
    held = (column.metadata or {}).items()
    kept: dict[bytes | str, bytes | str] = {k: v for k, v in held if k.startswith(_EXTENSION)}
    return column.with_metadata(kept) if kept else column.remove_metadata()


@contextmanager
def _whole(label: str, format_name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidRequestError(
            f"{label} is no {format_name} file, or a damaged one: {str(error).splitlines()[0]}",
            hint="--format names another format",
        ) from error
