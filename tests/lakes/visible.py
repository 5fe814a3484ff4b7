"""The oracle: which rows of a snapshot a reader must see, from the specification's rules on deletes.

Everything is kept in memory as it was written: rows per data file, positions and values per delete
file. Nothing is read back from disk, so no reader's mistake can hide here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import NestedField

from tests.lakes.manifests import DATA, EQUALITY_DELETES, FileEntry, Manifest
from tests.lakes.storage import (
    arrow_schema,
    default_array,
    leaf_array,
    leaves,
    plain_values,
    project_array,
    project_rows,
)


@dataclass(frozen=True, slots=True)
class Contents:
    """What was written to each file: rows and their schema, positions, or equal values."""

    rows: dict[str, tuple[pa.Table, Schema]] = field(default_factory=dict)
    positions: dict[tuple[str, int | None], dict[str, frozenset[int]]] = field(default_factory=dict)
    equal: dict[str, tuple[pa.Table, tuple[NestedField, ...]]] = field(default_factory=dict)


def visible_rows(contents: Contents, manifests: Iterable[Manifest], schema: Schema) -> pa.Table:
    """In order of the data files' paths, which is the order of row ids."""
    listed = [entry for manifest in manifests for entry in manifest.live]
    deletes = [entry for entry in listed if entry.content != DATA]
    files = sorted((one for one in listed if one.content == DATA), key=lambda one: one.path)
    parts = []
    for file in files:
        rows, written = contents.rows[file.path]
        gone = deleted_positions(contents, file, deletes)
        kept = [at for at in range(rows.num_rows) if at not in gone]
        projected = project_rows(rows, written, schema)
        parts.append(projected.take(pa.array(kept, pa.int64())))
    return pa.concat_tables([pa.Table.from_batches([], arrow_schema(schema)), *parts])


def deleted_positions(
    contents: Contents, file: FileEntry, deletes: Sequence[FileEntry]
) -> frozenset[int]:
    gone: set[int] = set()
    vectors = [one for one in deletes if one.format == "PUFFIN" and one.referenced == file.path]
    # A deletion vector holds all positions: position delete files of that data file no longer count.
    for one in vectors or deletes:
        if one.content == EQUALITY_DELETES or _sequence(one) < _sequence(file):
            continue
        if one.format != "PUFFIN" and not _same_partition(one, file):
            continue
        gone |= contents.positions[one.path, one.offset].get(file.path, frozenset())
    for one in deletes:
        in_scope = one.everywhere or _same_partition(one, file)
        newer = _sequence(one) > _sequence(file)
        if one.content == EQUALITY_DELETES and newer and in_scope:
            gone |= _equal_rows(contents, file, one)
    return frozenset(gone)


def _sequence(entry: FileEntry) -> int:
    if entry.sequence is None:
        raise ValueError(f"{entry.path} was never committed")
    return entry.sequence


def _same_partition(one: FileEntry, other: FileEntry) -> bool:
    return one.spec_id == other.spec_id and repr(one.partition) == repr(other.partition)


def _equal_rows(contents: Contents, file: FileEntry, delete: FileEntry) -> set[int]:
    rows, written = contents.rows[file.path]
    given, fields = contents.equal[delete.path]
    targets = set(zip(*(_keys(_whole(column)) for column in given.columns), strict=True))
    compared = [_keys(_leaf(rows, written, one)) for one in fields]
    return {at for at, row in enumerate(zip(*compared, strict=True)) if row in targets}


def _leaf(rows: pa.Table, written: Schema, wanted: NestedField) -> Any:
    """The rows' values of one field, which the file may lack or hold in a narrower type."""
    for leaf, way in leaves(written):
        if leaf.field_id == wanted.field_id:
            return project_array(leaf_array(rows, way), leaf.field_type, wanted.field_type)
    return default_array(wanted, rows.num_rows)


def _whole(column: Any) -> Any:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def _keys(array: Any) -> list[str]:
    """NULL equals NULL and NaN equals NaN, so texts are compared."""
    return [repr(value) for value in plain_values(array)]
