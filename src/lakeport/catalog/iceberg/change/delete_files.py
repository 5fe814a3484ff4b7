"""Files of position deletes: rows of (path of a data file, position in it), sorted by both.

Positions of one data file are never divided. A file of deletes is about one data file where that has
many; few positions of many data files of a partition share one, so that a statement that touches a row
here and there does not leave thousands of tiny files. Either way the bounds of the paths, which are
written in full, tell every engine which data files it concerns, and of one that concerns a single file
that it does: equal bounds are what makes it "file-scoped" to Iceberg's own library.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import to_bytes
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile as Entry
from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, StringType

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.change.addresses import Met
from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.failures import writing
from lakeport.catalog.iceberg.manifests.entries import partition_key
from lakeport.catalog.iceberg.parts import DataFile
from lakeport.catalog.rows.rowid import Numbers

# Reserved by Iceberg's specification.
_PATH_ID, _POSITION_ID = 2147483546, 2147483545


def _field(name: str, kind: pa.DataType, field_id: int) -> Field:
    return pa.field(name, kind, nullable=False, metadata={"PARQUET:field_id": str(field_id)})


# Paths repeat by the thousand: spelled out they would fill the memory. The file has plain texts.
_SCHEMA = pa.schema(
    [
        _field("file_path", pa.dictionary(pa.int32(), pa.string()), _PATH_ID),
        _field("pos", pa.int64(), _POSITION_ID),
    ]
)

# Who reads one data file decodes the positions of all that share the file: so many are a megabyte.
_SHARED_POSITIONS = 100_000
_GROUP_ROWS = 1 << 20


@dataclass(frozen=True, slots=True)
class _Portion:
    """The deletes of one file: data files in the order of their paths, all of one partition."""

    spec_id: int
    partition: Record
    positions: Mapping[str, Numbers]


class DeleteFiles:
    """Written at once; `discard` removes them. Belongs to one thread."""

    def __init__(self, io: FileIO, metadata: TableMetadata) -> None:
        self._io = io
        self._locations = load_location_provider(metadata.location, metadata.properties)
        self._run = uuid.uuid4()
        self._begun: list[str] = []

    def write(self, deletes: Iterable[tuple[Met, Numbers]]) -> tuple[Entry, ...]:
        """Ascending positions of each data file; manifest entries of what was written."""
        return tuple(self._write(portion) for portion in _portions(deletes))

    def discard(self) -> None:
        for path in self._begun:
            with suppress(OSError):
                self._io.delete(path)
        self.forget()

    def forget(self) -> None:
        """They belong to the table now, or to nobody."""
        RUNNING.end(self._begun)
        self._begun = []

    def _write(self, portion: _Portion) -> Entry:
        name = f"{len(self._begun):05d}-{self._run}-deletes.parquet"
        path = self._locations.new_data_location(name)
        self._begun.append(path)
        RUNNING.begin(path)
        with writing("a delete file"), self._io.new_output(path).create() as sink:
            opened: Any = sink
            writer: Any = pq.ParquetWriter(opened, _SCHEMA, compression="zstd", store_schema=False)
            with writer:
                writer.write_table(_table(portion.positions), row_group_size=_GROUP_ROWS)
            size = opened.tell()
        return _entry(path, size, portion, writer.writer.metadata)


def _portions(deletes: Iterable[tuple[Met, Numbers]]) -> Iterator[_Portion]:
    places: dict[object, list[tuple[DataFile, Numbers]]] = {}
    for met, positions in deletes:
        place = (met.file.spec_id, partition_key(met.candidate.partition))
        places.setdefault(place, []).append((met.file, positions))
    for named in places.values():
        like = named[0][0]
        some: dict[str, Numbers] = {}
        count = 0
        for file, positions in sorted(named, key=lambda one: one[0].path.encode()):
            if some and count + len(positions) > _SHARED_POSITIONS:
                yield _Portion(like.spec_id, like.partition, some)
                some, count = {}, 0
            some[file.path] = positions
            count += len(positions)
        yield _Portion(like.spec_id, like.partition, some)


def _table(deletes: Mapping[str, Numbers]) -> pa.Table:
    counts = [len(positions) for positions in deletes.values()]
    codes = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    paths = pa.DictionaryArray.from_arrays(codes, pa.array(list(deletes), pa.string()))
    positions = pa.array(np.concatenate(list(deletes.values())))
    return pa.Table.from_arrays([paths, positions], schema=_SCHEMA)


def _entry(path: str, size: int, portion: _Portion, footer: pq.FileMetaData) -> Entry:
    deletes = portion.positions
    names = list(deletes)
    lowest = min(int(positions[0]) for positions in deletes.values())
    highest = max(int(positions[-1]) for positions in deletes.values())
    groups = [footer.row_group(index) for index in range(footer.num_row_groups)]
    sizes = [sum(group.column(at).total_compressed_size for group in groups) for at in range(2)]
    counts = dict.fromkeys((_PATH_ID, _POSITION_ID), footer.num_rows)
    entry = Entry.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=portion.partition,
        record_count=footer.num_rows,
        file_size_in_bytes=size,
        column_sizes=dict(zip((_PATH_ID, _POSITION_ID), sizes, strict=True)),
        value_counts=counts,
        null_value_counts=dict.fromkeys(counts, 0),
        nan_value_counts={},
        lower_bounds=_bounds(names[0], lowest),
        upper_bounds=_bounds(names[-1], highest),
        split_offsets=None,
        sort_order_id=None,
        equality_ids=None,
        key_metadata=None,
    )
    entry.spec_id = portion.spec_id  # known to the manifest, not to the entry
    return entry


def _bounds(path: str, position: int) -> dict[int, bytes]:
    return {
        _PATH_ID: to_bytes(StringType(), path),
        _POSITION_ID: to_bytes(LongType(), position),
    }
