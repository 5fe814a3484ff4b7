"""The new values of an UPDATE while its batches arrive: kept in order, any of them found again by number.

Only the last value of a row counts, and which that is nobody knows before the end. So values wait; a few
megabytes of them in memory, the rest in a temporary file that nobody else sees.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import take_rows
from lakeport.catalog.iceberg.change.addresses import grouped
from lakeport.catalog.iceberg.failures import writing
from lakeport.catalog.iceberg.parts import MEBIBYTE
from lakeport.catalog.rows.rowid import Numbers

_BLOCK_BYTES = 16 * MEBIBYTE


class ValueLog:
    """Takes batches of one schema, then gives rows. Belongs to one thread; close it in the end."""

    def __init__(self, schema: pa.Schema, block_bytes: int = _BLOCK_BYTES) -> None:
        self._schema = schema
        self._block_bytes = block_bytes
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0
        self._spill: _Spill | None = None
        self._starts = [0]  # of the blocks
        self._blocks: list[pa.RecordBatch] | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._waiting_bytes += batch.nbytes
        if self._waiting_bytes >= self._block_bytes:
            block = self._glued()
            with writing("the new values of an UPDATE"):
                self._spill = self._spill or _Spill(self._schema)
                self._spill.write(block)

    def finish(self) -> None:
        rest = self._glued()
        spilled = [] if self._spill is None else self._spill.read()
        self._blocks = [*spilled, rest]

    def rows(self, numbers: Numbers) -> pa.RecordBatch:
        """The rows of these numbers, counted from the first one added, in the order given."""
        blocks = self._blocks or []
        places = np.searchsorted(self._starts, numbers, side="right") - 1
        pieces, order = [], []
        for block, these in grouped(places):
            pieces.append(_picked(blocks[block], numbers[these] - self._starts[block]))
            order.append(these)
        if len(pieces) == 1:
            return pieces[0]
        gathered = glue_rows(pieces, self._schema)
        there = np.concatenate([np.zeros(0, np.int64), *order])
        return take_rows(gathered, pa.array(np.argsort(there, kind="stable")))

    def close(self) -> None:
        self._waiting, self._blocks = [], None
        if self._spill is not None:
            self._spill.close()
            self._spill = None

    def _glued(self) -> pa.RecordBatch:
        block = glue_rows(self._waiting, self._schema)
        self._waiting, self._waiting_bytes = [], 0
        self._starts.append(self._starts[-1] + block.num_rows)
        return block


def _picked(block: pa.RecordBatch, rows: Numbers) -> pa.RecordBatch:
    """Usually rows that follow each other, as a scan gives them, which need not be copied."""
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 == len(rows) and (rows[1:] > rows[:-1]).all():
        return block.slice(first, len(rows))
    return take_rows(block, pa.array(rows))


class _Spill:
    """Blocks in a temporary file, which is mapped to read them: pages come and go as they are needed."""

    def __init__(self, schema: pa.Schema) -> None:
        opened: Any = tempfile.NamedTemporaryFile(prefix="lakeport-", suffix=".arrow")  # noqa: SIM115 - `close` ends it
        self._file = opened
        self._writer = pa.ipc.new_file(opened, schema)

    def write(self, block: pa.RecordBatch) -> None:
        self._writer.write_batch(block)

    def read(self) -> list[pa.RecordBatch]:
        self._writer.close()
        self._file.flush()
        reader = pa.ipc.open_file(pa.memory_map(self._file.name))
        return [reader.get_batch(index) for index in range(reader.num_record_batches)]

    def close(self) -> None:
        self._writer.close()
        self._file.close()
