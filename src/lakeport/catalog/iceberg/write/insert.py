"""INSERT: rows are made to fit and written when they arrive, keys are checked when they are committed.

Appends never conflict with each other. When somebody altered the table in between, the rows follow
their columns by field id; where that has no meaning any more the statement has to run again.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.definition import default_of
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.write.files import WriteOptions
from lakeport.catalog.iceberg.write.follow import altered, fits_still, follow
from lakeport.catalog.iceberg.write.keys import HeadKeys
from lakeport.catalog.iceberg.write.rows import NewRows
from lakeport.catalog.iceberg.write.statement import Committer, Statement
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.rows.conform import conform_insert


class Insert(Statement):
    def __init__(
        self,
        source: Source,
        committer: Committer,
        context: WriteContext | None = None,
        options: WriteOptions | None = None,
    ) -> None:
        super().__init__(source, committer, context)
        self._options = options
        self._rows = NewRows(source, options=options)
        self._keys: HeadKeys | None = None

    def prepare(self, head: Head) -> Effect | None:
        if not self._rows.count:
            return None
        rows = self._fitting(head.source)
        if self._keys is None:
            self._keys = HeadKeys(rows.guards)
        self._keys.check(head)
        return Effect(rows.count, added=rows.files, guards=rows.guards)

    def discard(self) -> None:
        self._rows.discard()

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch:
        rows = conform_insert(batch, self._rows.definition)
        self._rows.add(rows, at_once=returning)
        return rows

    def _finish(self) -> None:
        self._rows.finish()

    def _forget(self) -> None:
        self._rows.forget()
        self._keys = None

    def _fitting(self, source: Source) -> NewRows:
        """In files that fit the table as it is now."""
        if not fits_still(self._rows.columns, self._rows.definition, source):
            self._rows = self._followed(source)
            self._keys = None
        return self._rows

    def _followed(self, source: Source) -> NewRows:
        """The same rows in files of the table as it is now."""
        staged, fresh = self._rows, NewRows(source, options=self._options)
        before, after = _defaults(staged), _defaults(fresh)
        if before != {key: after.get(key) for key in before}:
            raise altered(source)  # a column that was left out got the old DEFAULT
        try:
            for rows in staged.read():
                current = follow(rows, staged.columns, source)
                fresh.add(conform_insert(current, fresh.definition))
            fresh.finish()
        except BaseException:
            fresh.discard()
            raise
        staged.discard()
        return fresh


def _defaults(rows: NewRows) -> dict[int, str | None]:
    columns = zip(rows.columns, rows.definition.schema, strict=True)
    return {column.field.field_id: default_of(field) for column, field in columns}
