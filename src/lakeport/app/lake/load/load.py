"""`load`: files into one table, new or not, in one commit.

A new table's columns are what all files together need. An existing table keeps its columns: a file
may lack some of them (DEFAULT or NULL), but not bring others.
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
from lakeport.app.lake.writing import append_rows, create_table, drop_table, ensure_namespace
from lakeport.catalog.definition import Definition, check_columns
from lakeport.catalog.ports import Catalog, DynamicCatalog, Table, Written
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.names import (
    TableName,
    quoted,
    why_unsafe_namespace,
    why_unsafe_table,
)

Mode: TypeAlias = Literal["create", "append", "either"]
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
    rows: int
    version: int
    snapshot_id: int | None
    files: tuple[LoadedFile, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """What to load into which table. `mode` says whether the table may or must be new."""

    table: str
    files: Sequence[Path]
    options: FileOptions = field(default_factory=FileOptions)
    mode: Mode = "either"


def load_files(catalog: Catalog, wanted: Load, progress: Progress = lambda _: None) -> Loaded:
    name = parse_name(catalog, wanted.table)
    with opened(wanted.files, wanted.options) as inputs:
        table = _existing(catalog, wanted)
        rows = _Rows(inputs, progress)
        if table is not None:
            for source in inputs:
                refuse_others(source.label, source.names(), table.state().definition.schema)
            written = append_rows(catalog, table, rows.of(table))
        else:
            written = _into_new(catalog, name, inputs, rows)
        return Loaded(
            table=str(catalog.namespace(name.namespace).table(name.table).name),
            created=table is None,
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
    return found


def _into_new(catalog: Catalog, name: TableName, inputs: Sequence[Input], rows: _Rows) -> Written:
    """What was made is taken back if the rows cannot be loaded: nothing stays of a load that failed."""
    _refuse_unsafe(name)
    schema = common_schema(inputs)
    if not schema.names:
        raise InvalidRequestError(
            f"{', '.join(source.label for source in inputs)}: no columns for a new table",
            hint="a file without rows can only be loaded into a table that is there",
        )
    check_columns(schema)
    made_namespace = ensure_namespace(catalog, name.namespace)
    made_table = False
    try:
        table = create_table(catalog, name, Definition(schema))
        made_table = True
        return append_rows(catalog, table, rows.of(table))
    except BaseException:
        # Whatever stops the undoing, the reason for it is what the user must hear.
        with suppress(LakeportError):
            if made_table:
                drop_table(catalog, name)
            if made_namespace and isinstance(catalog, DynamicCatalog):
                catalog.drop_namespace(name.namespace)
        raise


class _Rows:
    """The batches of all inputs, counted per input while they are taken."""

    def __init__(self, inputs: Sequence[Input], progress: Progress) -> None:
        self._inputs = inputs
        self._progress = progress
        self.counts: list[tuple[str, int]] = []

    def of(self, table: Table) -> Iterator[pa.RecordBatch]:
        schema = table.state().definition.schema
        total = 0
        for source in self._inputs:
            before = total
            for batch in source.batches(schema):
                total += batch.num_rows
                yield batch
                self._progress(total)
            self.counts.append((source.label, total - before))


def _refuse_unsafe(name: TableName) -> None:
    for kind, part, reason in (
        ("namespace", name.namespace, why_unsafe_namespace(name.namespace)),
        ("table", name.table, why_unsafe_table(name.table)),
    ):
        if reason is not None:
            raise InvalidRequestError(
                f"a {kind} cannot be called {quoted(part)}: {reason}", hint="choose another name"
            )
