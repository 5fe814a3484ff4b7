"""One data file of a split: its chunks, without the rows that are gone.

Where no value is needed the file is not opened: metadata knows how many rows it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from threading import Event

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.iceberg.deletes import Deleted, deleted_rows
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.parts import Chunk, DataFile, Source
from lakeport.catalog.iceberg.scan.ahead import Chunks

# Rows without columns weigh nothing; this many row ids are a few megabytes.
_COUNTED_ROWS = 1 << 19


class Part:
    """`first` is where the file's row ids begin; `closed` says that nobody wants them any more."""

    def __init__(self, source: Source, file: DataFile, first: int, closed: Event) -> None:
        self.source = source
        self.file = file
        self.first = first
        self._closed = closed

    @cached_property
    def deleted(self) -> Deleted:
        """Read when first needed, by whichever thread needs it first."""
        return deleted_rows(self.source, self.file, self._closed.is_set)

    def read(self, wanted: Wanted) -> Chunks:
        """Nothing of a file whose rows are all gone."""
        if len(self.deleted) == self.file.rows:
            return
        if wanted.fields:
            # Those deleted are left out at once: an expression must not fail on a value that is
            # no longer there, and a row costs least before anything was made of it.
            kept = self.deleted.kept if len(self.deleted) else None
            yield from read_file(self.source, self.file, replace(wanted, kept=kept))
        else:
            yield from self._counted()

    def _counted(self) -> Iterator[Chunk]:
        rows = self.file.rows
        for start in range(0, rows, _COUNTED_ROWS):
            count = min(_COUNTED_ROWS, rows - start)
            kept = self.deleted.kept(start, count)
            left = count if kept is None else int(np.count_nonzero(kept))
            yield Chunk(start, with_columns([], pa.schema([]), left), kept)
