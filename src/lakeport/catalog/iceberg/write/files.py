"""Data files that grow as rows arrive, one or more per partition, in bounded memory.

Rows wait until they fill a row group; when all that wait together are too many bytes, the longest queue
goes first. Files end at a target size. In a table with a sort order, rows wait for as long as memory
allows and each file is sorted as a whole: one file, one sorted run. Every file begun is known to
`RUNNING` until somebody answers for it, and `discard` leaves none behind.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.iceberg.write.metrics import Metrics
from lakeport.catalog.iceberg.write.modes import modes_of
from lakeport.catalog.iceberg.write.options import Compression, WriteOptions
from lakeport.catalog.iceberg.write.parquet import GrowingFile, Place, file_schema
from lakeport.catalog.iceberg.write.partitions import (
    PartitionValues,
    partition_key,
    partitioned,
)
from lakeport.catalog.iceberg.write.sorting import order_of, sorted_places

__all__ = ["DataFiles", "WriteOptions"]


@dataclass(slots=True)
class _Queue:
    """Rows of one partition that have not been written yet."""

    values: PartitionValues
    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Open:
    place: Place
    file: GrowingFile


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
        self._compression = Compression.of(metadata.properties)
        self._schema = file_schema(tuple(column.field for column in columns))
        self._modes = modes_of(metadata.properties)
        self._order = order_of(metadata)
        self._run = uuid.uuid4()
        self._queues: dict[PartitionValues, _Queue] = {}
        self._open: OrderedDict[PartitionValues, _Open] = OrderedDict()
        self._begun: list[str] = []
        self._waiting = 0
        self.done: list[DataFile] = []

    def add(self, rows: pa.RecordBatch) -> None:
        spec, schema = self._metadata.spec(), self._metadata.schema()
        for values, part in partitioned(rows, spec, schema):
            batch = pa.RecordBatch.from_arrays(part.columns, schema=self._schema)
            self._flush_full(self._enqueue(values, [batch]))
        while self._waiting > self._options.waiting_bytes:
            self._flush(max(self._queues.values(), key=lambda queue: queue.bytes))

    def finish(self) -> None:
        """Everything written and closed; `done` is then what to commit."""
        for queue in list(self._queues.values()):
            self._flush(queue)
        for key in list(self._open):
            self._close(key)

    def discard(self) -> None:
        """Nothing is left of the files, wherever they were."""
        for opened in self._open.values():
            opened.file.abandon()
        self._open.clear()
        for path in self._begun:
            with suppress(OSError):
                self._io.delete(path)
        self.forget()

    def forget(self) -> None:
        """Somebody else answers for the files from here on."""
        self._queues.clear()
        RUNNING.end(self._begun)
        self._begun = []

    # -- waiting ---------------------------------------------------------------------------------

    def _enqueue(self, values: PartitionValues, batches: Sequence[pa.RecordBatch]) -> _Queue:
        queue = self._queues.setdefault(partition_key(values), _Queue(values))
        for batch in batches:
            size = batch.nbytes
            queue.batches.append(batch)
            queue.rows += batch.num_rows
            queue.bytes += size
            self._waiting += size
        return queue

    def _flush_full(self, queue: _Queue) -> None:
        options = self._options
        if self._order is not None:
            # Sorting needs a copy, so a run is half of what may wait.
            if queue.bytes >= options.waiting_bytes // 2:
                self._flush(queue)
        elif queue.rows >= options.row_group_rows:
            self._flush(queue, whole_groups=True)
        elif queue.bytes >= options.row_group_bytes:
            self._flush(queue)

    def _flush(self, queue: _Queue, *, whole_groups: bool = False) -> None:
        """Write what waits, or as much of it as fills row groups."""
        key = partition_key(queue.values)
        del self._queues[key]
        self._waiting -= queue.bytes
        if not queue.rows:
            return
        rows = pa.Table.from_batches(queue.batches, self._schema)
        queue.batches.clear()
        limit = self._options.row_group_rows
        now = rows.num_rows // limit * limit if whole_groups else rows.num_rows
        for group in self._groups(rows.slice(0, now)):
            opened = self._open.get(key) or self._begin(key, queue.values)
            self._open.move_to_end(key)
            opened.file.write(group)
            if opened.file.size >= self._options.file_bytes:
                self._close(key)
        self._enqueue(queue.values, rows.slice(now).to_batches())
        if self._order is not None and key in self._open:
            self._close(key)

    def _groups(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Row groups; in the table's order if it has one."""
        limit = self._options.row_group_rows
        places = None
        if self._order is not None:
            (whole,) = rows.combine_chunks().to_batches()
            rows = pa.Table.from_batches([whole])
            places = sorted_places(whole, self._order, self._metadata.schema())
        for start in range(0, rows.num_rows, limit):
            yield (
                rows.slice(start, limit)
                if places is None
                else rows.take(places[start : start + limit])
            )

    # -- files -----------------------------------------------------------------------------------

    def _begin(self, key: PartitionValues, values: PartitionValues) -> _Open:
        while len(self._open) >= self._options.open_files:
            self._close(next(iter(self._open)))
        metadata = self._metadata
        locations = load_location_provider(metadata.location, metadata.properties)
        path = locations.new_data_location(f"{len(self._begun):05d}-{self._run}.parquet")
        RUNNING.begin(path)
        self._begun.append(path)
        metrics = Metrics(self._columns, self._modes)
        file = GrowingFile(self._io, path, self._schema, self._compression, metrics)
        order_id = None if self._order is None else self._order.order_id
        opened = _Open(Place(metadata.default_spec_id, values, order_id), file)
        self._open[key] = opened
        return opened

    def _close(self, key: PartitionValues) -> None:
        opened = self._open.pop(key)
        try:
            self.done.append(opened.file.close(opened.place))
        except BaseException:
            opened.file.abandon()
            raise
