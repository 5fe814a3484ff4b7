"""Reads an ORC file stripe by stripe: the wanted columns whole, then projected as those of Parquet.

Arrow counts ORC's timestamps in nanoseconds, so what is further away than 1677 or 2262 fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyarrow import orc

from lakeport.catalog.iceberg.files.constants import partition_constants
from lakeport.catalog.iceberg.files.mapping import identified
from lakeport.catalog.iceberg.files.nodes import nodes_of
from lakeport.catalog.iceberg.files.projection import Matcher
from lakeport.catalog.iceberg.files.task import Task
from lakeport.catalog.iceberg.parts import Chunk
from lakeport.catalog.iceberg.storage import OpenFile


def read_orc(task: Task, opened: Callable[[], OpenFile]) -> Iterator[Chunk]:
    file: Any = orc.ORCFile(opened().handle)
    task.check_rows(file.nrows)
    constants = partition_constants(task.source, task.file)
    nodes = identified(task, nodes_of(file.schema), constants)
    projection = Matcher(task.what, nodes, constants).match(task.request.columns)
    needed = set(projection.leaves)
    names = [node.name for node in nodes if not needed.isdisjoint(node.leaves)]
    if not names:
        yield from task.unread(0, task.file.rows, projection)
        return
    start = 0
    for stripe in range(file.nstripes):
        batch = file.read_stripe(stripe, names)
        # The ORC reader checks less than Parquet's: damage may show as texts that are none.
        batch.validate(full=True)
        for rows in _slices(task, batch):
            yield task.chunk(start, projection, tuple(rows.columns), rows.num_rows)
            start += rows.num_rows


def _slices(task: Task, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A stripe is as large as its writer liked."""
    width = max(batch.nbytes // max(batch.num_rows, 1), 1)
    size = min(task.wanted.batch_rows, max(task.source.options.batch_bytes // width, 1))
    for first in range(0, batch.num_rows, size):
        yield batch.slice(first, size)
