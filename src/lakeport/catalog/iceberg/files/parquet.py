"""Reads a Parquet file lazily, by the numbers of its leaves, about as much at a time as one message.

pyarrow joins the end of one row group with the beginning of the next one it was asked for, so only
neighbours are asked for together: the rows of a batch always follow each other in the file. Of a
remote file one row group is asked for at a time, because all that was asked for is fetched ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from lakeport.catalog.arrays.containers import child_fields, is_nested
from lakeport.catalog.iceberg.files.constants import partition_constants
from lakeport.catalog.iceberg.files.dictionaries import few_valued
from lakeport.catalog.iceberg.files.footer import Footer, footer_of
from lakeport.catalog.iceberg.files.groups import possible_groups
from lakeport.catalog.iceberg.files.mapping import identified
from lakeport.catalog.iceberg.files.projection import Matcher, Projection
from lakeport.catalog.iceberg.files.task import Task
from lakeport.catalog.iceberg.files.width import rows_per_batch
from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk
from lakeport.catalog.iceberg.storage import TAIL, OpenFile
from lakeport.core.errors import CorruptDataError

# A row group's columns are fetched ahead, in few large requests, unless that would fill the memory;
# then each column is read through a window of its own.
_AHEAD = 64 * MEBIBYTE


def read_parquet(task: Task, opened: Callable[[], OpenFile]) -> Iterator[Chunk]:
    """The file is opened when the first byte of it is needed."""
    footer = footer_of(task, opened)
    constants = partition_constants(task.source, task.file)
    nodes = identified(task, footer.nodes, constants)
    matcher = Matcher(task.what, nodes, constants, footer.cheapest)
    projection = matcher.match(task.request.columns)
    groups = possible_groups(footer, matcher, task.wanted)
    if not projection.leaves:
        for group in groups:
            first, end = footer.starts[group : group + 2].tolist()
            yield from task.unread(first, end, projection)
    elif groups:
        yield from _read(task, opened(), footer, projection, groups)


def _read(
    task: Task, opened: OpenFile, footer: Footer, projection: Projection, groups: Sequence[int]
) -> Iterator[Chunk]:
    leaves = list(projection.leaves)
    # Its stubs know names only; numbers of leaves do as well.
    dictionaries: Any = few_valued(footer, projection.leaves, groups)
    ahead = not opened.is_local and _largest(footer, projection.leaves, groups) <= _AHEAD
    # The reader does not own the file: whoever opened it closes it.
    reader = pq.ParquetFile(
        opened.handle,
        metadata=footer.metadata,
        read_dictionary=dictionaries,
        pre_buffer=ahead,
        buffer_size=0 if opened.is_local or ahead else max(_AHEAD // len(leaves), TAIL),
        # Free where pages carry no checksum, 3 % where they do.
        page_checksum_verification=True,
        coerce_int96_timestamp_unit=_finest_unit(projection.root.target),
    ).reader
    size = rows_per_batch(footer, projection.leaves, task)
    for run in _runs(groups) if opened.is_local else ([group] for group in groups):
        start, end = int(footer.starts[run[0]]), int(footer.starts[run[-1] + 1])
        # Threads of its own would cost a third more: whoever reads many files has better ones.
        for batch in reader.iter_batches(size, run, leaves, use_threads=False):
            yield task.chunk(start, projection, tuple(batch.columns), batch.num_rows)
            start += batch.num_rows
        if start != end:
            raise CorruptDataError(
                f"{task.what} is damaged: it ends before row {end}",
                hint="restore the file from a backup, or read an older snapshot",
            )


def _largest(footer: Footer, leaves: Sequence[int], groups: Sequence[int]) -> int:
    """How many bytes of a row group must be fetched at most."""
    return max(
        sum(footer.chunk(group, leaf).total_compressed_size for leaf in leaves) for group in groups
    )


def _runs(groups: Sequence[int]) -> Iterator[list[int]]:
    """Groups that are neighbours in the file, together."""
    run: list[int] = []
    for group in groups:
        if run and group != run[-1] + 1:
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _finest_unit(target: pa.DataType) -> Literal["us", "ns"]:
    """INT96 holds any day, but few of them can be counted in nanoseconds from 1970."""
    if isinstance(target, pa.TimestampType):
        return "ns" if target.unit == "ns" else "us"
    units = (
        {_finest_unit(field.type) for field in child_fields(target)} if is_nested(target) else ()
    )
    return "ns" if "ns" in units else "us"
