"""`load`: files into one table, new or not, in one commit.

A new table's columns are what all files together need. An existing table keeps its columns: a file
may lack some of them (DEFAULT or NULL), but not bring others. `replace` puts the rows in the place of all
that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa

from lakeport.app.lake.find import find_table, parse_name
from lakeport.app.lake.load.columns import refuse_others
from lakeport.app.lake.load.inputs import FileOptions, Input, opened
from lakeport.app.lake.load.schema import common_schema
from lakeport.app.lake.writing import create_table, drop_namespace, drop_table
from lakeport.catalog.definition import Definition, check_columns
from lakeport.catalog.ports import Catalog, Table, WriteContext, Written
from lakeport.catalog.statements import insert_rows, overwrite_rows
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.names import TableName, quoted

Mode: TypeAlias = Literal["create", "append", "replace", "either"]
Progress: TypeAlias = Callable[[int], None]
"""Is told the number of rows so far, now and then."""


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

    The last two are for a new table, as terms like `day(at)` and `price desc`.
    """

    table: str
    files: Sequence[Path]
    options: FileOptions = field(default_factory=FileOptions)
    mode: Mode = "either"
    partitioned_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()


def load_files(
    catalog: Catalog,
    wanted: Load,
    progress: Progress = lambda _: None,
    context: WriteContext | None = None,
) -> Loaded:
    name = parse_name(catalog, wanted.table)
    with opened(wanted.files, wanted.options) as inputs:
        table = _existing(catalog, wanted)
        rows = _Rows(inputs, progress)
        if table is None:
            written = _into_new(catalog, name, wanted, rows, context)
        else:
            for source in inputs:
                refuse_others(source.label, source.names(), table.state().definition.schema)
            write = overwrite_rows if wanted.mode == "replace" else insert_rows
            written = write(table, rows.of(table), context)
        return Loaded(
            table=str(catalog.namespace(name.namespace).table(name.table).name),
            created=table is None,
            replaced=table is not None and wanted.mode == "replace",
            rows=written.rows,
            version=written.version,
            snapshot_id=written.snapshot_id,
            files=tuple(LoadedFile(*counted) for counted in rows.counts),
        )


def _existing(catalog: Catalog, wanted: Load) -> Table | None:
    try:
        found = find_table(catalog, wanted.table)
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


def _into_new(
    catalog: Catalog,
    name: TableName,
    wanted: Load,
    rows: _Rows,
    context: WriteContext | None,
) -> Written:
    """What was made is taken back if the rows cannot be loaded: nothing stays of a load that failed."""
    schema = common_schema(rows.inputs)
    if not schema.names:
        raise InvalidRequestError(
            f"{', '.join(source.label for source in rows.inputs)}: no columns for a new table",
            hint="a file without rows can only be loaded into a table that is there",
        )
    check_columns(schema)
    is_known = _has_namespace(catalog, name.namespace)
    definition = Definition(
        schema, partitioned_by=wanted.partitioned_by, sorted_by=wanted.sorted_by
    )
    table = create_table(catalog, name, definition)
    try:
        return insert_rows(table, rows.of(table), context)
    except BaseException:
        # Whatever stops the undoing, the reason for it is what the user must hear.
        with suppress(LakeportError):
            drop_table(catalog, name)
            if not is_known:
                drop_namespace(catalog, name.namespace)
        raise


def _has_namespace(catalog: Catalog, name: str) -> bool:
    try:
        catalog.namespace(name)
    except NotFoundError:
        return False
    return True


class _Rows:
    """The batches of all inputs, counted per input while they are taken."""

    def __init__(self, inputs: Sequence[Input], progress: Progress) -> None:
        self.inputs = inputs
        self._progress = progress
        self.counts: list[tuple[str, int]] = []

    def of(self, table: Table) -> Iterator[pa.RecordBatch]:
        schema = table.state().definition.schema
        total = 0
        for source in self.inputs:
            before = total
            for batch in source.batches(schema):
                total += batch.num_rows
                yield batch
                self._progress(total)
            self.counts.append((source.label, total - before))
