"""The files of one partition: each grows by row groups until it has its target size.

In a table with a sort order, the rows of one call are sorted as a whole and their file ends with them:
one sorted run per file. Used by one thread at a time, not always the same one.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.iceberg.write.dictionaries import SAMPLE, with_dictionary
from lakeport.catalog.iceberg.write.metrics import Metrics
from lakeport.catalog.iceberg.write.modes import modes_of
from lakeport.catalog.iceberg.write.options import Compression, WriteOptions
from lakeport.catalog.iceberg.write.parquet import GrowingFile, Place, file_schema
from lakeport.catalog.iceberg.write.partitions import PartitionValues
from lakeport.catalog.iceberg.write.sorting import order_of, sorted_places


@dataclass(slots=True)
class _Shared:
    """What the partitions of one statement have in common and any thread may touch."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    begun: list[str] = field(default_factory=list)
    done: list[DataFile] = field(default_factory=list)
    dictionaries: list[str] | None = None


class FileMaker:
    """Begins files of one table and answers for all that were begun."""

    def __init__(
        self,
        io: FileIO,
        metadata: TableMetadata,
        columns: Sequence[Column],
        options: WriteOptions,
    ) -> None:
        self.options = options
        self.metadata = metadata
        self.schema = file_schema(tuple(column.field for column in columns))
        self.order = order_of(metadata)
        self._io = io
        self._columns = columns
        self._compression = Compression.of(metadata.properties)
        self._modes = modes_of(metadata.properties)
        self._locations = load_location_provider(metadata.location, metadata.properties)
        self._run = uuid.uuid4()
        self._shared = _Shared()

    @property
    def done(self) -> list[DataFile]:
        """By partition, and in each in the order of its rows: as their names say, not their folders."""
        return sorted(self._shared.done, key=lambda file: last_name(file.file_path))

    def begin(self, name: str, rows: pa.Table) -> GrowingFile:
        """A new file that these rows will be the first of."""
        path = self._locations.new_data_location(f"{name}-{self._run}.parquet")
        RUNNING.begin(path)
        with self._shared.lock:
            self._shared.begun.append(path)
        return GrowingFile(
            self._io,
            path,
            self.schema,
            self._compression,
            Metrics(self._columns, self._modes),
            self._dictionaries(rows),
        )

    def close(self, file: GrowingFile, place: Place) -> None:
        done = file.close(place)
        with self._shared.lock:
            self._shared.done.append(done)

    def discard(self) -> None:
        """Nothing is left of any file."""
        for path in self._shared.begun:
            with suppress(OSError):
                self._io.delete(path)
        self.forget()

    def forget(self) -> None:
        """Somebody else answers for the files from here on."""
        RUNNING.end(self._shared.begun)
        self._shared.begun.clear()

    def _dictionaries(self, rows: pa.Table) -> list[str]:
        """Chosen once: another partition has other values, but not another kind of values."""
        if rows.num_rows < SAMPLE:
            return []
        if self._shared.dictionaries is None:
            self._shared.dictionaries = with_dictionary(rows)
        return self._shared.dictionaries


class PartitionFiles:
    def __init__(self, maker: FileMaker, ordinal: int, values: PartitionValues) -> None:
        self._maker = maker
        self._ordinal = ordinal
        self._count = 0
        order = maker.order
        self._place = Place(
            maker.metadata.default_spec_id, values, None if order is None else order.order_id
        )
        self._file: GrowingFile | None = None

    def write(self, rows: pa.Table) -> None:
        for group in self._groups(rows):
            if self._file is None:
                self._file = self._maker.begin(f"{self._ordinal:05d}-{self._count:05d}", group)
                self._count += 1
            self._file.write(group)
            if self._file.size >= self._maker.options.file_bytes:
                self.close()
        if self._maker.order is not None:
            self.close()

    def close(self) -> None:
        if self._file is not None:
            self._maker.close(self._file, self._place)
            self._file = None

    def abandon(self) -> None:
        """Let go of an open file, which will be removed."""
        if self._file is not None:
            self._file.abandon()
            self._file = None

    def _groups(self, rows: pa.Table) -> Iterator[pa.Table]:
        limit = self._maker.options.row_group_rows
        # A thousand small pieces would each be looked at by everything that comes.
        rows = rows.combine_chunks()
        places = None
        if self._maker.order is not None:
            (whole,) = rows.to_batches()
            places = sorted_places(whole, self._maker.order, self._maker.metadata.schema())
        for start in range(0, rows.num_rows, limit):
            yield (
                rows.slice(start, limit)
                if places is None
                else rows.take(places[start : start + limit])
            )
