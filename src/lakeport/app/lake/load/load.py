"""`load`: files into one table, new or not, here or on a server, in one commit.

A new table's columns are what all files together need. An existing table keeps its columns: a file
may lack some of them (DEFAULT or NULL), but not bring others. `replace` puts the rows in the place of all
that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa

from lakeport.app.lake.load.columns import refuse_others
from lakeport.app.lake.load.inputs import FileOptions, Input, opened
from lakeport.app.lake.load.place import Place, Standing
from lakeport.app.lake.load.schema import common_schema
from lakeport.catalog.definition import Definition, check_columns
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.names import fold, quoted

Mode: TypeAlias = Literal["create", "append", "replace", "either"]
Progress: TypeAlias = Callable[[int, int], None]
"""Is told the rows so far and the bytes that were sent for them, now and then."""


@dataclass(frozen=True, slots=True)
class LoadedFile:
    file: str
    rows: int


@dataclass(frozen=True, slots=True)
class Loaded:
    table: str
    created: bool
    replaced: bool
    rows: int
    version: int
    snapshot_id: int | None
    files: tuple[LoadedFile, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """What to load into which table. `mode` says whether the table may or must be new.

    The rest is for a new table: terms like `day(at)` and `price desc`, and the types that somebody has
    declared for its columns, which files alone can only be guessed to have.
    """

    table: str
    files: Sequence[Path]
    options: FileOptions = field(default_factory=FileOptions)
    mode: Mode = "either"
    partitioned_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()
    declared: pa.Schema | None = None


def load_files(place: Place, wanted: Load, progress: Progress = lambda _, __: None) -> Loaded:
    name = place.name_of(wanted.table)
    with opened(wanted.files, wanted.options) as inputs:
        table = _existing(place, wanted)
        rows = _Rows(inputs, lambda total: progress(total, place.bytes_sent))
        if table is None:
            with place.made(name, _definition(inputs, wanted)) as made:
                written = place.write(made, rows.of(made.schema), replace=False)
        else:
            made = table
            for source in inputs:
                refuse_others(source.label, source.names(), table.schema)
            is_replaced = wanted.mode == "replace"
            written = place.write(table, rows.of(table.schema), replace=is_replaced)
        return Loaded(
            table=str(made.name),
            created=table is None,
            replaced=table is not None and wanted.mode == "replace",
            rows=written.rows,
            version=written.version,
            snapshot_id=written.snapshot_id,
            files=tuple(LoadedFile(*counted) for counted in rows.counts),
        )


def _existing(place: Place, wanted: Load) -> Standing | None:
    try:
        found = place.find(wanted.table)
    except NotFoundError:
        if wanted.mode == "append":
            raise
        return None
    if wanted.mode == "create":
        raise AlreadyExistsError(
            f"there is already a table {quoted(str(found.name))}",
            hint="leave --create out to append to it",
        )
    if wanted.partitioned_by or wanted.sorted_by:
        raise InvalidRequestError(
            f"table {quoted(str(found.name))} is there already, and a load does not change its layout",
            hint="leave --partition-by and --sort-by out",
        )
    return found


def _definition(inputs: Sequence[Input], wanted: Load) -> Definition:
    schema = common_schema(inputs)
    if not schema.names:
        raise InvalidRequestError(
            f"{', '.join(source.label for source in inputs)}: no columns for a new table",
            hint="a file without rows can only be loaded into a table that is there",
        )
    schema = _as_declared(schema, wanted.declared)
    check_columns(schema)
    return Definition(schema, partitioned_by=wanted.partitioned_by, sorted_by=wanted.sorted_by)


def _as_declared(found: pa.Schema, declared: pa.Schema | None) -> pa.Schema:
    """The declared columns first, whether or not a file has them; then what else there is."""
    if declared is None:
        return found
    known = {fold(name) for name in declared.names}
    return pa.schema([*declared, *(column for column in found if fold(column.name) not in known)])


class _Rows:
    """The batches of all inputs, counted per input while they are taken."""

    def __init__(self, inputs: Sequence[Input], progress: Callable[[int], None]) -> None:
        self._inputs = inputs
        self._progress = progress
        self.counts: list[tuple[str, int]] = []

    def of(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        total = 0
        for source in self._inputs:
            before = total
            for batch in source.batches(schema):
                total += batch.num_rows
                yield batch
                self._progress(total)
            self.counts.append((source.label, total - before))
