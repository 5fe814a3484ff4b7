"""The footer of a Parquet file: its columns, row groups and their statistics. Read once, then kept.

It is fetched with one read of the file's end, two if it is long, and checked before pyarrow parses
it: a file that ends in the middle is told apart from one that is no Parquet file at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lakeport.catalog.iceberg.files.nodes import Node, nodes_of
from lakeport.catalog.iceberg.parts import MEBIBYTE
from lakeport.catalog.iceberg.storage import TAIL, OpenFile
from lakeport.core.errors import CorruptDataError, UnsupportedError

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.files.task import Task

_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_TRAILER = 8
# A key among the footer's pairs, as Thrift writes it: length, text, and the header of the value.
_ARROW_SCHEMA = b"\x18\x0cARROW:schema\x18"
_HIDDEN_SCHEMA = b"\x18\x0cARROW-schema\x18"
# About what the parsed form takes, by the growth of a process that held many of 10 to 1,000 columns.
_PARSED_PER_BYTE = 6
_PARSED_PER_COLUMN = 1_000
# Writers fill dictionaries up to a megabyte or two, and pages up to one.
_FIRST_BYTES = 4 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class Footer:
    """`starts[i]` is the position of row group i's first row in the file; the last entry is the end."""

    metadata: pq.FileMetaData
    nodes: tuple[Node, ...]
    starts: npt.NDArray[np.int64]
    nbytes: int

    def chunk(self, group: int, leaf: int) -> pq.ColumnChunkMetaData:
        chunk = self.metadata.row_group(group).column(leaf)
        if chunk.physical_type != self.metadata.schema.column(leaf).physical_type:
            # To ask for its statistics would end the process.
            message = "the types of its columns contradict each other"
            raise ValueError(message)
        return chunk

    def work(self) -> dict[int, int]:
        """What the first rows of each column cost to read, by its field id: bytes to be unpacked.

        That is a dictionary and a page of values, not more of a large column than of others.
        """
        if not self.metadata.num_row_groups:
            return {}
        return {
            node.field_id: sum(
                min(self.chunk(0, leaf).total_uncompressed_size, _FIRST_BYTES)
                for leaf in node.leaves
            )
            for node in self.nodes
            if node.field_id is not None
        }

    def bytes_of(self, field_ids: Sequence[int]) -> list[int]:
        """How many bytes of the first row group each of these columns unpacks to."""
        leaves = {node.field_id: node.leaves for node in self.nodes}
        return [
            sum(self.chunk(0, leaf).total_uncompressed_size for leaf in leaves.get(each, ()))
            for each in field_ids
        ]

    def runs(self, count: int) -> Iterator[npt.NDArray[np.int64]]:
        """The starts of so many row groups at a time, of all that hold rows."""
        firsts = self.starts[:-1][np.diff(self.starts) > 0]
        return (firsts[place : place + count] for place in range(0, len(firsts), count))

    def cheapest(self, leaves: range) -> int:
        """The leaf that costs the least to read: never a repeated one if another will do."""
        schema = self.metadata.schema
        if len(leaves) == 1 or not self.metadata.num_row_groups:
            return leaves[0]
        return min(
            leaves,
            key=lambda leaf: (
                schema.column(leaf).max_repetition_level,
                self.chunk(0, leaf).total_compressed_size,
            ),
        )


def footer_of(task: Task, opened: Callable[[], OpenFile]) -> Footer:
    footer = task.source.caches.footers.get(task.file.path, lambda: _read(opened(), task.what))
    task.check_rows(footer.metadata.num_rows)
    return footer


def _read(file: OpenFile, what: str) -> Footer:
    metadata = pq.read_metadata(pa.BufferReader(_without_arrow_schema(_tail(file, what))))
    try:
        _prove(metadata, file)
    except OSError as error:
        # A file may hide its columns only, behind a footer that anybody can read.
        if "decrypt" in str(error):
            raise _encrypted(what) from error
        raise
    counts = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    nodes = nodes_of(metadata.schema.to_arrow_schema())
    weight = _PARSED_PER_BYTE * metadata.serialized_size + _PARSED_PER_COLUMN * metadata.num_columns
    return Footer(metadata, nodes, starts, weight)


def _without_arrow_schema(tail: bytes) -> bytes:
    """Under another key nobody finds the types that Arrow's writers leave: only Parquet's own count.

    Its reader would bring them back: dictionaries of any size, 64-bit offsets, local time zones.
    """
    before, found, after = tail.rpartition(_ARROW_SCHEMA)
    return before + _HIDDEN_SCHEMA + after if found else tail


def _prove(metadata: pq.FileMetaData, file: OpenFile) -> None:
    """Has pyarrow look at every column chunk, which a damaged footer makes it refuse.

    Asked for such a chunk from Python it would end the process instead. With a buffer and no rows to
    fill it with, nothing is read from the file.
    """
    reader = pq.ParquetFile(file.handle, metadata=metadata, buffer_size=1, pre_buffer=False).reader
    leaves = list(range(metadata.num_columns))
    for group in range(metadata.num_row_groups if leaves else 0):
        next(reader.iter_batches(0, [group], leaves, use_threads=False), None)


def _tail(file: OpenFile, what: str) -> bytes:
    """The footer with the length and the magic word that end the file."""
    tail = file.read_tail(_TRAILER if file.is_local else TAIL)
    if tail[-4:] == _ENCRYPTED:
        raise _encrypted(what)
    length = int.from_bytes(tail[-_TRAILER:-4], "little") + _TRAILER
    if len(tail) < _TRAILER or tail[-4:] != _MAGIC or length > file.size:
        raise CorruptDataError(
            f"{what} is damaged: it does not end as a Parquet file does",
            hint="restore the file from a backup, or read an older snapshot that does not need it",
        )
    return tail[-length:] if length <= len(tail) else file.read_tail(length)


def _encrypted(what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is encrypted", hint="encrypted tables cannot be read yet")
