"""UPDATE by row id: the old rows go by position, and new ones are written, in one snapshot.

New values wait until all have arrived, because the last one of a row counts. Then whole rows are made of
them and the old ones, for the head as it is then. When somebody alters the table before the commit, they
are made again: columns are followed by field id, and where that has no meaning the statement has to run
again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa

from lakeport.catalog.definition import Definition, Key, column_index
from lakeport.catalog.iceberg.change.addresses import Addresses, Origins, join
from lakeport.catalog.iceberg.change.edits import Edit, NewValues, last_edits
from lakeport.catalog.iceberg.change.removal import Removal
from lakeport.catalog.iceberg.change.whole_rows import WholeRows
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.write.follow import fits_still
from lakeport.catalog.iceberg.write.keys import HeadKeys, Leaving
from lakeport.catalog.iceberg.write.rows import NewRows
from lakeport.catalog.iceberg.write.statement import Committer, Statement
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.rows.conform import conform_update
from lakeport.catalog.rows.constraints import check_not_null
from lakeport.catalog.rows.received import as_received


class Update(Statement):
    """`latest` gives the table's state by now."""

    def __init__(
        self,
        source: Source,
        committer: Committer,
        latest: Callable[[], Source],
        context: WriteContext | None = None,
    ) -> None:
        super().__init__(source, committer, context)
        schema = source.metadata.schema()
        self._columns = columns_of(source, schema)
        self._definition = definition_of(source, schema)
        self._origins = Origins(source, latest)
        self._named: list[Addresses] = []
        self._values: NewValues | None = None
        self._edits: list[Edit] = []
        self._removal: Removal | None = None
        self._rows: NewRows | None = None
        self._keys: HeadKeys | None = None

    def prepare(self, head: Head) -> Effect | None:
        removal, values = self._removal, self._values
        if removal is None or values is None or not removal.rows:
            return None
        removal.check(head)
        rows = self._current_rows(head.source, values)
        gone = removal.prepare(head)
        if self._keys is None:
            self._keys = HeadKeys(rows.guards)
        self._keys.check(head, Leaving(gone.removed, gone.deleted))
        return replace(gone, added=rows.files, guards=rows.guards)

    def discard(self) -> None:
        if self._rows is not None:
            self._rows.discard()
        if self._removal is not None:
            self._removal.discard()

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        assignment = conform_update(batch, self._definition)
        # What needs whole rows is checked when they are made; this much can be said at once.
        check_not_null(assignment.values, Definition(assignment.values.schema))
        if self._values is None:
            self._values = NewValues(assignment.values.schema, self._columns)
        self._values.add(assignment.values)
        self._named.append(self._origins.resolve(assignment.row_ids))
        return as_received(batch, assignment) if returning else None

    def _finish(self) -> None:
        if self._values is None:
            return
        self._values.finish()
        named = join(self._named)
        self._named = []
        self._edits = last_edits(self._origins, named)
        by_file = {number: [named.positions[these]] for number, these in named.by_file()}
        self._removal = Removal(self._opened, self._origins, by_file)

    def _forget(self) -> None:
        self._named, self._edits = [], []
        self._keys = None
        for held in (self._rows, self._removal):
            if held is not None:
                held.forget()
        if self._values is not None:
            self._values.close()
        self._rows = self._removal = self._values = None

    # -- the new rows ----------------------------------------------------------------------------

    def _current_rows(self, source: Source, values: NewValues) -> NewRows:
        """In files that fit the table as it is now."""
        before = self._rows
        if before is not None:
            if fits_still(before.columns, before.definition, source):
                return before
            before.discard()
            self._rows = self._keys = None
        rows = NewRows(source, _touched_keys(source, values))
        self._rows = rows  # from here on `discard` removes its files
        for batch in WholeRows(source, values).of(self._edits):
            rows.add(batch)
        rows.finish()
        return rows


def _touched_keys(source: Source, values: NewValues) -> tuple[Key, ...]:
    """Keys of today's definition that a column which is set is part of.

    One whose column is gone, by the hand of another engine, is touched by everything: it admits no row.
    """
    schema = source.metadata.schema()
    columns = columns_of(source, schema)
    known = pa.schema([column.arrow for column in columns])

    def touches(name: str) -> bool:
        index = column_index(known, name)
        return index is None or values.sets(columns[index])

    keys = definition_of(source, schema).keys
    return tuple(key for key in keys if any(touches(name) for name in key.columns))
