"""Data files that grow as rows arrive, one or more per partition, in bounded memory.

Rows wait until they fill a row group; when all that wait together are too many bytes, the longest queue
goes first. In a table with a sort order they wait for as long as memory allows, because a file is sorted
as a whole. Every file begun is known to `RUNNING` until somebody answers for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile
from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.iceberg.write.encoders import Encoders
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.catalog.iceberg.write.partition_files import FileMaker, PartitionFiles
from lakeport.catalog.iceberg.write.partitions import (
    PartitionValues,
    partition_key,
    partitioned,
)

__all__ = ["DataFiles", "WriteOptions"]


@dataclass(slots=True)
class _Partition:
    """The rows that have not been handed on yet, and the files for all of them."""

    files: PartitionFiles
    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0

    def keep(self, rows: pa.RecordBatch, size: int) -> None:
        self.batches.append(rows)
        self.rows += rows.num_rows
        self.bytes += size

    def taken(self, schema: pa.Schema) -> tuple[pa.Table, int]:
        """All that waits, and its bytes."""
        rows, size = pa.Table.from_batches(self.batches, schema), self.bytes
        self.batches, self.rows, self.bytes = [], 0, 0
        return rows, size

    def compact(self, schema: pa.Schema) -> None:
        """The same rows in memory of their own."""
        if not self.rows:
            return
        rows, size = self.taken(schema)
        # What is one piece already, `combine_chunks` would leave where it is.
        one = rows.column(0).num_chunks == 1
        copy = rows.take(np.arange(rows.num_rows)) if one else rows.combine_chunks()
        for batch in copy.to_batches():
            self.keep(batch, size * batch.num_rows // rows.num_rows)


class DataFiles:
    """Takes stored rows, gives manifest entries. Belongs to one thread."""

    def __init__(
        self,
        io: FileIO,
        metadata: TableMetadata,
        columns: Sequence[Column],
        options: WriteOptions | None = None,
    ) -> None:
        self._options = options or WriteOptions.of(metadata.properties)
        self._maker = FileMaker(io, metadata, columns, self._options)
        self._encoders = Encoders(self._options.threads, self._options.encoding_bytes)
        self._partitions: dict[PartitionValues, _Partition] = {}
        self._open: OrderedDict[PartitionValues, None] = OrderedDict()
        self._held = 0  # bytes of the rows that wait and of those that share their memory

    @property
    def done(self) -> list[DataFile]:
        """What to commit, once finished."""
        return self._maker.done

    def add(self, rows: pa.RecordBatch) -> None:
        if not rows.num_rows:
            return
        metadata = self._maker.metadata
        whole = pa.RecordBatch.from_arrays(rows.columns, schema=self._maker.schema)
        size = whole.nbytes
        self._held += size
        for values, part in partitioned(whole, metadata.spec(), metadata.schema()):
            key = partition_key(values)
            partition = self._partition(key, values)
            partition.keep(part, size * part.num_rows // whole.num_rows)
            handed_on = self._write_full(key)
            if part.num_rows == whole.num_rows:  # otherwise others still share its memory
                self._held -= handed_on
        if self._held > self._options.waiting_bytes:
            self._relieve()

    def finish(self) -> None:
        """Everything written and closed."""
        for key in self._partitions:
            self._write(key)
        for key, partition in self._partitions.items():
            self._encoders.give(key, 0, partition.files.close)
        self._encoders.finish()

    def discard(self) -> None:
        """Nothing is left of the files, wherever they were."""
        self._encoders.stop()
        for partition in self._partitions.values():
            partition.files.abandon()
        self._partitions.clear()
        self._maker.discard()

    def forget(self) -> None:
        """Somebody else answers for the files from here on."""
        self._partitions.clear()
        self._maker.forget()

    def _partition(self, key: PartitionValues, values: PartitionValues) -> _Partition:
        found = self._partitions.get(key)
        if found is None:
            files = PartitionFiles(self._maker, len(self._partitions), values)
            found = self._partitions[key] = _Partition(files)
        return found

    def _relieve(self) -> None:
        """Hand on the longest queues until half of what may wait is left.

        A few rows of a small partition hold on to all that came with them: the rest is copied.
        """
        waiting = sum(partition.bytes for partition in self._partitions.values())
        while waiting > self._options.waiting_bytes // 2:
            longest = max(self._partitions, key=lambda key: self._partitions[key].bytes)
            waiting -= self._write(longest)
        for partition in self._partitions.values():
            partition.compact(self._maker.schema)
        self._held = waiting

    def _write_full(self, key: PartitionValues) -> int:
        """Hand on what is enough for a row group, or for a file that is sorted as a whole."""
        partition, options = self._partitions[key], self._options
        if self._maker.order is not None:
            # Sorting needs a copy, so a run is half of what may wait.
            return self._write(key) if partition.bytes >= options.waiting_bytes // 2 else 0
        if partition.rows >= options.row_group_rows:
            return self._write(key, whole_groups=True)
        return self._write(key) if partition.bytes >= options.row_group_bytes else 0

    def _write(self, key: PartitionValues, *, whole_groups: bool = False) -> int:
        """Hand on what waits, or as much of it as fills row groups; how many bytes that were."""
        partition = self._partitions[key]
        if not partition.rows:
            return 0
        rows, size = partition.taken(self._maker.schema)
        limit = self._options.row_group_rows
        now = rows.num_rows // limit * limit if whole_groups else rows.num_rows
        left = rows.num_rows - now
        for batch in rows.slice(now).to_batches():
            partition.keep(batch, size * batch.num_rows // rows.num_rows)
        size -= size * left // rows.num_rows
        self._encoders.give(key, size, partial(partition.files.write, rows.slice(0, now)))
        self._open[key] = None
        self._open.move_to_end(key)
        while len(self._open) > self._options.open_files:
            oldest, _ = self._open.popitem(last=False)
            self._encoders.give(oldest, 0, self._partitions[oldest].files.close)
        return size
