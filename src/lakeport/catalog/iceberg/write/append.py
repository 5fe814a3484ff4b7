"""Rows appended to a table in one commit, checked as the table's definition asks.

Appends do not conflict: when another writer was faster, the same files are committed on top of what it
did. Keys are compared with the rows at the head before each attempt, and whoever changed the columns or
the constraints meanwhile makes the append fail, since its rows were checked against the old ones.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import AssertCurrentSchemaId, AssertDefaultSpecId

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.definition import OWN, Described, described
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.plan import plan_scan
from lakeport.catalog.iceberg.scan import open_split
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.iceberg.types import Column, from_logical
from lakeport.catalog.iceberg.write.files import DataFiles, WriteOptions
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.rows.conform import conform_insert
from lakeport.catalog.rows.constraints import check_rows
from lakeport.catalog.rows.keys import KeyGuard
from lakeport.core.errors import ConflictError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName, quoted

_ATTEMPTS = 10
_FORMAT = 2
_NUMBER_OF_RETRIES = "commit.retry.num-retries"


def append(
    table: Table, batches: Iterable[pa.RecordBatch], options: WriteOptions | None = None
) -> int:
    """How many rows were added; none make no commit. `table` is left at the state it produced."""
    head = _loaded(table, table.metadata)
    opened = head.metadata
    if opened.format_version != _FORMAT:
        raise UnsupportedError(
            f"tables of Iceberg format {opened.format_version} are read-only",
            hint=f"create one of format {_FORMAT} and copy the rows",
        )
    shape = described(opened, opened.schema())
    definition = shape.definition
    guards = [KeyGuard(key, definition.schema) for key in definition.keys]
    files = DataFiles(head.io, opened, shape.columns, options)
    with _or_nothing(files):
        rows = sum(_add(batch, shape, guards, files) for batch in batches)
        for guard in guards:
            guard.check_repeats()
        files.finish()
    if files.done:
        _commit(table, files, opened, guards)
    return rows


@contextmanager
def _or_nothing(files: DataFiles) -> Iterator[None]:
    """Not around a commit: when nobody knows whether it was made, its files must stay."""
    try:
        yield
    except BaseException:
        files.discard()
        raise


def _add(
    batch: pa.RecordBatch, shape: Described, guards: Sequence[KeyGuard], files: DataFiles
) -> int:
    rows = conform_insert(batch, shape.definition)
    check_rows(rows, shape.definition)
    for guard in guards:
        guard.add(rows)
    files.add(stored_rows(rows, shape.columns))
    return rows.num_rows


def stored_rows(rows: pa.RecordBatch, columns: Sequence[Column]) -> pa.RecordBatch:
    stored = [
        from_logical(array, column) for array, column in zip(rows.columns, columns, strict=True)
    ]
    fields = [pa.field(column.field.name, column.stored) for column in columns]
    return with_columns(stored, pa.schema(fields), rows.num_rows)


# -- the commit ----------------------------------------------------------------------------------


def _commit(
    table: Table, files: DataFiles, opened: TableMetadata, guards: Sequence[KeyGuard]
) -> None:
    for attempt in range(_ATTEMPTS):
        with _or_nothing(files):
            head = _loaded(table, opened)
            _check_unchanged(head.metadata, opened)
            for guard in guards:
                guard.check_against(_kept_rows(head, guard.key.columns))
        try:
            done = _committed(head, files.done)
        except CommitFailedException:
            time.sleep(random.uniform(0, 0.01 * 2**attempt))  # noqa: S311  only to get out of step
        else:
            table.metadata, table.metadata_location = done.metadata, done.metadata_location
            return
    files.discard()
    raise ConflictError(
        f"the table changed {_ATTEMPTS} times while rows were committed", hint="run it again"
    )


def _loaded(table: Table, opened: TableMetadata) -> Table:
    """The table as it is now."""
    try:
        head = table.catalog.load_table(table.name())
    except NoSuchTableError as error:
        raise NotFoundError(
            f"table {quoted('.'.join(table.name()))} was dropped", hint="create it again"
        ) from error
    if head.metadata.table_uuid != opened.table_uuid:
        raise ConflictError(
            f"table {quoted('.'.join(table.name()))} was replaced by another one meanwhile",
            hint="run it again",
        )
    return head


def _committed(head: Table, files: Sequence[DataFile]) -> Table:
    # PyIceberg's own retry would not look at keys and constraints again. It is told by a property,
    # which is set on a copy and never written.
    metadata = head.metadata
    properties = {**metadata.properties, _NUMBER_OF_RETRIES: "0"}
    once = Table(
        head.name(),
        metadata.model_copy(update={"properties": properties}),
        head.metadata_location,
        head.io,
        head.catalog,
    )
    with once.transaction() as transaction:
        with transaction.update_snapshot().fast_append() as snapshot:
            for file in files:
                snapshot.append_data_file(file)
        # An append of PyIceberg's asks for nothing but the snapshot it comes after.
        transaction._stage(  # noqa: SLF001
            (),
            (
                AssertCurrentSchemaId.model_validate(
                    {"current-schema-id": metadata.current_schema_id}
                ),
                AssertDefaultSpecId.model_validate({"default-spec-id": metadata.default_spec_id}),
            ),
        )
    return once


def _check_unchanged(now: TableMetadata, opened: TableMetadata) -> None:
    if (now.current_schema_id, now.default_spec_id, _own(now)) != (
        opened.current_schema_id,
        opened.default_spec_id,
        _own(opened),
    ):
        raise ConflictError(
            "the table's columns or constraints changed while rows were written",
            hint="run it again",
        )


def _own(metadata: TableMetadata) -> dict[str, str]:
    return {key: value for key, value in metadata.properties.items() if key.startswith(OWN)}


def _kept_rows(table: Table, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of the rows that are there now."""
    metadata = table.metadata
    *namespace, name = table.name()
    source = Source(TableName(".".join(namespace), name), metadata, table.io, Caches())
    moment = Moment(metadata.current_snapshot(), metadata.schema())
    request = ScanRequest(columns=tuple(names))
    for split in plan_scan(source, moment, request).splits:
        with open_split(source, moment, request, split) as stream:
            yield from stream
