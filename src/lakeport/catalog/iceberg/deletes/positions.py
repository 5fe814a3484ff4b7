"""Position delete files: rows of (path of a data file, position of a row in it).

One may serve many data files, so a small one is decoded once into the positions of each; of a large
one only the row groups that may name the data file in question are read. The two columns have field
ids of their own; files of writers that leave ids out have them by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.deletes.delete_file import as_data_file, delete_footer, delete_name
from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.nodes import Node
from lakeport.catalog.iceberg.parts import DeleteFile, Source
from lakeport.catalog.iceberg.storage import OpenFile, open_file
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.names import quoted

_PATH_ID, _PATH = 2147483546, "file_path"
_POSITION_ID, _POSITION = 2147483545, "pos"
_FIELDS = Schema(
    NestedField(_PATH_ID, _PATH, StringType(), required=True),
    NestedField(_POSITION_ID, _POSITION, LongType(), required=True),
)

_WHOLE_ROWS = 1_000_000  # 8 MB of positions
_BATCH_ROWS = 1 << 17
_ENTRY_BYTES = 200

_Paths: TypeAlias = "pa.DictionaryArray[Any, Any]"


@dataclass(frozen=True, slots=True)
class PositionsByFile:
    """A decoded delete file: ascending positions by the path of their data file."""

    by_path: Mapping[str, Numbers]

    @property
    def nbytes(self) -> int:
        return sum(
            positions.nbytes + len(path) + _ENTRY_BYTES for path, positions in self.by_path.items()
        )


def positions_in(
    source: Source, delete: DeleteFile, path: str, whole_rows: int = _WHOLE_ROWS
) -> Numbers:
    """What one delete file says of one data file: ascending, each position once.

    A file of more than `whole_rows` is not decoded, and kept, as a whole.
    """
    if delete.rows > whole_rows:
        read = _decoded(source, delete, path)
    else:
        read = source.caches.positions.get(delete.path, lambda: _decoded(source, delete, None))
    return read.by_path.get(path, np.zeros(0, np.int64))


def _decoded(source: Source, delete: DeleteFile, only: str | None) -> PositionsByFile:
    with reading(delete_name(source, delete)):
        if delete.format.lower() != "parquet":
            return PositionsByFile(_grouped(_other_format(source, delete), only))
        with open_file(source.io, delete.path) as opened:
            footer = delete_footer(source, delete, opened)
            return PositionsByFile(_grouped(_parquet(footer, opened, only), only))


# -- reading -------------------------------------------------------------------------------------


def _parquet(footer: Footer, opened: OpenFile, only: str | None) -> Iterator[pa.RecordBatch]:
    paths = _node(footer.nodes, _PATH_ID, _PATH)
    positions = _node(footer.nodes, _POSITION_ID, _POSITION)
    file = pq.ParquetFile(
        opened.handle,
        metadata=footer.metadata,
        read_dictionary=[paths.name],
        pre_buffer=not opened.is_local,
    )
    leaves = [paths.leaves.start, positions.leaves.start]
    groups = [
        group
        for group in range(footer.metadata.num_row_groups)
        if only is None or _may_name(footer.chunk(group, leaves[0]), only)
    ]
    yield from file.reader.iter_batches(_BATCH_ROWS, groups, leaves, use_threads=False)


def _node(nodes: Sequence[Node], field_id: int, name: str) -> Node:
    for node in nodes:
        if node.field_id == field_id:
            return node
    for node in nodes:
        if node.name == name:
            return node
    raise ValueError(f"it has no column {quoted(name)}")


def _may_name(paths: pq.ColumnChunkMetaData, path: str) -> bool:
    statistics = paths.statistics
    if statistics is None or not statistics.has_min_max:
        return True
    lowest, highest = statistics.min, statistics.max
    if not isinstance(lowest, str) or not isinstance(highest, str):
        return True
    return lowest <= path <= highest


def _other_format(source: Source, delete: DeleteFile) -> Iterator[pa.RecordBatch]:
    wanted = Wanted(_FIELDS, _FIELDS.fields)
    return (chunk.rows for chunk in read_file(source, as_data_file(delete), wanted))


# -- sorting -------------------------------------------------------------------------------------


def _grouped(batches: Iterable[pa.RecordBatch], only: str | None) -> dict[str, Numbers]:
    pieces: dict[str, list[Numbers]] = {}
    for batch in filter(len, batches):
        paths, positions = _plain(batch.column(0), batch.column(1))
        for path, found in _by_path(paths, positions):
            if only is None or path == only:
                pieces.setdefault(path, []).append(found)
    return {path: np.unique(np.concatenate(found)) for path, found in pieces.items()}


def _plain(paths: Array, positions: Array) -> tuple[_Paths, Numbers]:
    if paths.null_count or positions.null_count:
        raise ValueError("a deleted row has no path or no position")
    encoded: Any = paths if isinstance(paths, pa.DictionaryArray) else paths.dictionary_encode()
    numbers: Numbers = positions.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return encoded, numbers


def _by_path(paths: _Paths, positions: Numbers) -> Iterator[tuple[str, Numbers]]:
    """The positions of each path. The specification wants files sorted by path; not all are."""
    codes: Any = paths.indices.to_numpy(zero_copy_only=False)
    if np.any(codes[1:] < codes[:-1]):
        order = np.argsort(codes, kind="stable")
        codes, positions = codes[order], positions[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    names = paths.dictionary
    for code, found in zip(codes[starts], np.split(positions, starts[1:]), strict=True):
        yield names[int(code)].as_py(), found
