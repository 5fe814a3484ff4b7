"""Rows at certain positions of data files, as stored: only the row groups that hold one are read.

In bulk each file is read once, front to back, by the threads and in the lanes of a scan, and nothing is
made of the rows around the wanted ones. Who asks for a few rows after the other, in the order of a scan,
is better served by a `Bookmark`: it keeps the chunk it stands in and goes on from there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import take_rows
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.files.starts import group_starts
from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk, DataFile, Kept, Source
from lakeport.catalog.iceberg.scan.ahead import Chunks, ReadAhead
from lakeport.catalog.iceberg.scan.lanes import Lanes, joined, share
from lakeport.catalog.iceberg.scan.width import for_chunks, rows_at_once
from lakeport.catalog.iceberg.storage import is_mapped
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import InternalError

# Less than this is read before a thread is up.
_THREADED_BYTES = MEBIBYTE
# Of what is read at once only the wanted rows stay. Of 100 k of 6 M rows all over lineitem twice as many
# rows at once took a tenth less CPU than a scan's chunks, four times as many no less.
_WIDER = 2


def rows_in_bulk(
    source: Source, wanted: Wanted, named: Sequence[tuple[DataFile, Numbers]]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows at ascending positions of each file, in batches with the number of their file."""
    options = replace(
        source.options,
        batch_bytes=_WIDER * source.options.batch_bytes,
        batch_rows=_WIDER * source.options.batch_rows,
    )
    chunky = replace(source, options=for_chunks(options))
    rows = rows_at_once(wanted.fields, options)
    is_large = sum(file.bytes for file, _ in named) >= _THREADED_BYTES
    helpers = source.options.threads - 1 if is_large else 0
    shared = [_lanes(source, file, wanted, helpers) for file, _ in named]
    parts = [
        [
            partial(_read, chunky, file, _narrowed(wanted, fields, rows), positions)
            for fields in lanes
        ]
        for (file, positions), lanes in zip(named, shared, strict=True)
    ]
    with closing(ReadAhead(parts, threads=helpers, most=source.options.queue_bytes)) as ahead:
        for number, lanes in enumerate(shared):
            for chunk in joined(partial(ahead.take, number), lanes):
                if chunk.rows.num_rows:
                    yield number, chunk.rows


def _lanes(source: Source, file: DataFile, wanted: Wanted, helpers: int) -> Lanes:
    # As in a scan: columns of a remote file are fetched together.
    is_shared = helpers > 0 and is_mapped(source.io, file.path)
    return share(file, wanted.fields, helpers + 1 if is_shared else 1)


def _narrowed(wanted: Wanted, fields: Sequence[int], rows: int) -> Wanted:
    return replace(wanted, fields=tuple(wanted.fields[at] for at in fields), batch_rows=rows)


def _read(source: Source, file: DataFile, wanted: Wanted, positions: Numbers) -> Chunks:
    """One lane; all of a file end with the last row that is wanted."""

    def kept(start: int, count: int) -> Kept | None:
        first, end = np.searchsorted(positions, (start, start + count))
        if end - first == count:
            return None
        mask = np.zeros(count, np.bool_)
        mask[positions[first:end] - start] = True
        return mask

    end = int(positions[-1]) + 1
    with closing(read_file(source, file, replace(wanted, positions=positions, kept=kept))) as read:
        for chunk in read:
            if chunk.kept is not None and chunk.start + chunk.count > end:
                yield replace(chunk, kept=chunk.kept[: end - chunk.start])
                return
            yield chunk


class Bookmark:
    """Where the reading of rows stopped. Going forward is cheap; close it in the end."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._path: str | None = None
        self._starts: Numbers = np.zeros(1, np.int64)
        self._chunks: Generator[Chunk, None, None] | None = None
        self._held: Chunk | None = None

    def rows_at(self, source: Source, file: DataFile, positions: Numbers) -> pa.RecordBatch:
        """The rows at any positions, in the order given."""
        order = np.argsort(positions, kind="stable")
        ascending = positions[order]
        pieces = []
        start = 0
        while start < len(ascending):
            chunk = self._chunk_with(source, file, int(ascending[start]))
            end = int(np.searchsorted(ascending, chunk.start + chunk.count))
            pieces.append(take_rows(chunk.rows, pa.array(ascending[start:end] - chunk.start)))
            start = end
        rows = pieces[0] if len(pieces) == 1 else glue_rows(pieces, pieces[0].schema)
        if np.array_equal(order, np.arange(len(order))):
            return rows
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return take_rows(rows, pa.array(back))

    def close(self) -> None:
        if self._chunks is not None:
            self._chunks.close()
        self._path = self._chunks = self._held = None

    def _chunk_with(self, source: Source, file: DataFile, position: int) -> Chunk:
        if not self._is_ahead(file, position):
            self._open(source, file, position)
        while self._held is None or position >= self._held.start + self._held.count:
            found = None if self._chunks is None else next(self._chunks, None)
            if found is None:
                raise InternalError(f"row {position} is missing where its row group was read")
            self._held = found
        return self._held

    def _is_ahead(self, file: DataFile, position: int) -> bool:
        """Whether the row is in the held chunk, or after it in the same row group."""
        held = self._held
        if file.path != self._path or held is None or position < held.start:
            return False
        here, there = np.searchsorted(self._starts, (held.start, position), side="right")
        return bool(here == there) or position < held.start + held.count

    def _open(self, source: Source, file: DataFile, position: int) -> None:
        self.close()
        self._path = file.path
        self._starts = group_starts(source, file)
        alone = replace(self._wanted, positions=np.array([position], np.int64))
        self._chunks = read_file(source, file, alone)
