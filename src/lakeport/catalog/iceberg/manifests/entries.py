"""The live files of one manifest, as columns.

What an entry inherits from its place in the manifest list (its sequence number, its partition spec)
is filled in. Entries of removed files are left out. Files share few partitions, so those are kept
once, and an entry has the index of its own.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.types import IcebergType

from lakeport.catalog.iceberg.manifests.container import open_container
from lakeport.catalog.iceberg.manifests.layout import layout_of
from lakeport.catalog.iceberg.manifests.listing import Listed
from lakeport.catalog.iceberg.manifests.metrics import Metrics, binaries_of, numbers_of

Integers: TypeAlias = npt.NDArray[np.int64]
Partition: TypeAlias = tuple[Any, ...]

# Field ids of Iceberg's specification, in the order in which `decode_manifest` takes them.
_FIELDS = (0, 3, 134, 100, 101, 102, 103, 104, 109, 110, 137, 125, 128, 135, 143, 144, 145)
_STATUS, _SEQUENCE = 0, 1  # places of the first two
_ADDED, _DELETED = 1, 2  # what a status may be

EQUALITY = 2  # what the content of a delete file may be; the other is positions


@dataclass(frozen=True, slots=True)
class Manifest:
    """Entry *i* of every column is about one file.

    `partitions` are the distinct partition tuples, `partition` says which is a file's. Their values
    belong to the partition fields with the ids `partition_fields`, and had the types
    `partition_kinds` when they were written. The four last are about deletes.
    """

    spec_id: int
    paths: pa.LargeStringArray
    formats: tuple[str, ...]
    rows: Integers
    sizes: Integers
    sequences: Integers
    partition_fields: tuple[int, ...]
    partition_kinds: tuple[IcebergType, ...]
    partitions: tuple[Partition, ...]
    partition: Integers
    metrics: Metrics
    content: tuple[int, ...]
    equality_ids: tuple[tuple[int, ...], ...]
    referenced: tuple[str | None, ...]
    places: tuple[tuple[int, int] | None, ...]

    def __len__(self) -> int:
        return len(self.paths)

    def path(self, entry: int) -> str:
        return str(self.paths[entry].as_py())

    def partition_of(self, entry: int) -> Partition:
        return self.partitions[int(self.partition[entry])]

    @property
    def nbytes(self) -> int:
        # A Python object takes about 100 bytes, a reference to a shared one 8.
        objects = 100 * len(self.partitions) * (1 + len(self.partition_fields))
        references = 8 * 4 * len(self)
        deletes = 100 * sum(each is not None for each in (*self.referenced, *self.places))
        numbers = self.rows, self.sizes, self.sequences, self.partition
        return (
            self.paths.nbytes
            + sum(each.nbytes for each in numbers)
            + self.metrics.nbytes
            + objects
            + references
            + deletes
        )


def decode_manifest(data: bytes, listed: Listed) -> Manifest:
    """`ValueError` and its like if the bytes are no manifest."""
    records = open_container(data)
    layout = layout_of(records, _FIELDS)
    live = [row for row in layout.rows(records) if row[_STATUS] != _DELETED]
    columns: list[Sequence[Any]] = list(zip(*live, strict=True)) if live else [()] * layout.width
    _, _, content, paths, formats, partitions, rows, sizes, *rest = columns
    values, nulls, nans, lowers, uppers, equality_ids, referenced, offsets, lengths, _ = rest
    distinct, partition = _distinct(partitions)
    return Manifest(
        spec_id=listed.spec_id,
        paths=pa.array(paths, pa.large_string()),
        formats=tuple(_FORMATS.get(name, name.upper()) for name in formats),
        rows=np.array(rows, np.int64),
        sizes=np.array(sizes, np.int64),
        sequences=np.array([_sequence(row, listed) for row in live], np.int64),
        partition_fields=tuple(field.field_id for field in layout.partition),
        partition_kinds=tuple(field.field_type for field in layout.partition),
        partitions=distinct,
        partition=partition,
        metrics=Metrics(
            numbers_of(values),
            numbers_of(nulls),
            numbers_of(nans),
            binaries_of(lowers),
            binaries_of(uppers),
        ),
        content=tuple(kind or 0 for kind in content),
        equality_ids=tuple(tuple(ids or ()) for ids in equality_ids),
        referenced=tuple(referenced),
        places=tuple(
            None if offset is None or length is None else (offset, length)
            for offset, length in zip(offsets, lengths, strict=True)
        ),
    )


# One object for all files of a format.
_FORMATS = {"PARQUET": "PARQUET", "AVRO": "AVRO", "ORC": "ORC", "PUFFIN": "PUFFIN"}


def _sequence(row: Sequence[Any], listed: Listed) -> int:
    """The data sequence number: written down only once a file has survived its first commit.

    An entry without one that is not new is from format 1, where all numbers are 0.
    """
    own: int | None = row[_SEQUENCE]
    if own is not None:
        return own
    return listed.sequence if row[_STATUS] == _ADDED else 0


def _distinct(partitions: Sequence[Partition]) -> tuple[tuple[Partition, ...], Integers]:
    places: dict[Hashable, int] = {}
    found: list[Partition] = []
    indices = np.empty(len(partitions), np.int64)
    for file, partition in enumerate(partitions):
        place = places.setdefault(partition_key(partition), len(found))
        if place == len(found):
            found.append(partition)
        indices[file] = place
    return tuple(found), indices


def partition_key(partition: Partition) -> Hashable:
    """Equal for equal partitions: floats by their bits, as NaN is one and the two zeros are two."""
    if any(isinstance(value, float) for value in partition):
        return tuple(
            struct.pack("d", value) if isinstance(value, float) else value for value in partition
        )
    return partition
