"""One data file to be read for one request: what every step of reading it needs to know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import keep_arrays
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.files.projection import Projection
from lakeport.catalog.iceberg.files.request import Request, request_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import Chunk, DataFile, Kept, Source
from lakeport.core.errors import CorruptDataError


@dataclass(frozen=True, slots=True)
class Task:
    """`what` is how messages call the file."""

    source: Source
    file: DataFile
    wanted: Wanted
    request: Request
    what: str

    def check_rows(self, found: int) -> None:
        """Row ids are counted by the metadata: in another file they would name other rows."""
        if found != self.file.rows:
            raise CorruptDataError(
                f"{self.what} holds {found} rows, the table's metadata says {self.file.rows}",
                hint="something replaced the file; restore it, or read an older snapshot",
            )

    def chunk(
        self, start: int, projection: Projection, read: tuple[Array, ...], rows: int
    ) -> Chunk:
        """What was asked for, made of the columns that were read."""
        kept = None if self.wanted.kept is None else self.wanted.kept(start, rows)
        if kept is not None:
            mask = _as_mask(kept)
            read, rows = keep_arrays(read, mask), mask.true_count
        columns = projection.root.build_children(read, rows)
        for field, column in zip(self.request.columns, columns, strict=True):
            # Downstream a required column is promised to hold no NULL, and readers rely on it.
            if field.required and column.null_count:
                raise CorruptDataError(
                    f"{self.what} holds NULL in the required column `{field.name}`",
                    hint="make the column optional, or rewrite the file",
                )
        return Chunk(start, self.request.batch(columns, rows), kept)

    def unread(self, first: int, end: int, projection: Projection) -> Iterator[Chunk]:
        """Rows of which nothing asked for is in the file: that they exist is all there is to know."""
        for start in range(first, end, self.wanted.batch_rows):
            yield self.chunk(start, projection, (), min(self.wanted.batch_rows, end - start))


def _as_mask(kept: Kept) -> pa.BooleanArray:
    """Packed by numpy: pyarrow goes from row to row, which took as long as filtering two columns."""
    packed: Any = np.packbits(kept, bitorder="little")
    mask: Any = pa.Array.from_buffers(pa.bool_(), len(kept), [None, pa.py_buffer(packed)])
    return mask  # type: ignore[no-any-return]


def task_of(source: Source, file: DataFile, wanted: Wanted) -> Task:
    what = f"data file `{last_name(file.path)}` of table `{source.name}`"
    return Task(source, file, wanted, request_of(wanted), what)
