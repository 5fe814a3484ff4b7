"""What a scan of an Iceberg table is made of, as plain values shared by planning and reading.

Planning finds the data files of a snapshot and what deletes apply to each; reading opens them. Both
know nothing of catalogs: a `Source` holds all that is needed to read one state of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record

from lakeport.core.names import TableName

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.caches import Caches

MEBIBYTE = 1 << 20

DeleteKind = Literal["positions", "vector", "equality"]
Kept: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Rows that are gone. `sequence` is the data sequence number; `equality_ids` the fields compared.

    A vector is a blob inside a Puffin file: `offset` and `length` say where.
    """

    path: str
    format: str
    kind: DeleteKind
    rows: int
    bytes: int
    sequence: int
    equality_ids: tuple[int, ...] = ()
    offset: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """One data file of a snapshot with the deletes that apply to it.

    `ordinal` is what a split names it by; where its row ids begin is the inventory's to say.
    """

    ordinal: int
    path: str
    format: str
    rows: int
    bytes: int
    sequence: int
    spec_id: int
    partition: Record
    deletes: tuple[DeleteFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is left of rows that follow each other in a file, as stored.

    `start` is the position of the first of them in the file; `kept` says which are left, None all.
    """

    start: int
    rows: pa.RecordBatch
    kept: Kept | None = None

    @property
    def count(self) -> int:
        """How many rows of the file it stands for."""
        return self.rows.num_rows if self.kept is None else len(self.kept)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How much is read at once. The defaults were chosen by bench/: with less than two chunks ready
    the threads wait for each other, with more a reader that stalls holds too much.

    `threads` work on one stream, its reader's own among them.
    """

    split_bytes: int = 128 * MEBIBYTE
    batch_bytes: int = 3 * MEBIBYTE // 2
    batch_rows: int = 65_536
    threads: int = 2
    queue_bytes: int = 12 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class Source:
    """One state of a table as its metadata file says it, and where its files are read from."""

    name: TableName
    metadata: TableMetadata
    io: FileIO
    caches: Caches
    options: ReadOptions = field(default_factory=ReadOptions)
    clock: Callable[[], int] | None = None


# Iceberg's default values are Python objects of the field's type.
Value = Any
