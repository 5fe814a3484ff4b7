"""What the parts of a scan over the wire cost by themselves: the limits that a server on them has."""

from __future__ import annotations

import time

import pyarrow as pa

from bench.iceberg_parts import lineitem
from bench.iceberg_parts.measure import Task
from bench.iceberg_parts.race import QUICK_ROWS, is_quick, race
from bench.iceberg_parts.readers import QUERIES
from lakeport.flight.framing import FrameEncoder

_MESSAGE_ROWS = 8_192
_ROUNDS = 2


def decoding(folder: str, table: str, query: str) -> float:
    """The least CPU seconds in which pyarrow's decoder gives the rows in a process of its own.

    Of `ParquetFile.iter_batches` as it comes and of Lakeport's scan, which has it work in less
    memory; of deletes only the latter knows.
    """
    tasks = [Task("lakeport", folder, table, QUERIES[query], runs=2)]
    if table == "lineitem":
        tasks.append(Task("raw files", folder, table, QUERIES[query], runs=2))
    return min(found.cpu for found in race(tasks, _ROUNDS))


def framing() -> float:
    """Seconds to make the messages of the whole table out of batches that lie in memory."""
    rows = QUICK_ROWS if is_quick() else lineitem.SCALE_ONE
    part = next(iter(lineitem.parts(rows, lineitem.FILES)))
    batches: list[pa.RecordBatch] = part.combine_chunks().to_batches(max_chunksize=_MESSAGE_ROWS)
    encoder = FrameEncoder(part.schema, most_bytes=1 << 24, cut=True)
    start = time.perf_counter()
    for batch in batches:
        for _ in encoder.batch(batch):
            pass
    return (time.perf_counter() - start) * lineitem.FILES
