"""DELETE by row id: positions are gathered while ids arrive, and written down when they are committed.

The statement may be opened before the scan that feeds it, so ids are resolved when they arrive. Eight
bytes are kept for each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import take_rows, with_columns
from lakeport.catalog.iceberg.change.addresses import Addresses, Origins
from lakeport.catalog.iceberg.change.removal import Removal
from lakeport.catalog.iceberg.change.rows import Bookmark
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.files import Wanted
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.types import to_logical
from lakeport.catalog.iceberg.write.follow import altered, fits_still
from lakeport.catalog.iceberg.write.statement import Committer, Statement
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.rows.conform import conform_delete
from lakeport.catalog.rows.rowid import Numbers


class Delete(Statement):
    """`latest` gives the table's state by now."""

    def __init__(
        self,
        source: Source,
        committer: Committer,
        latest: Callable[[], Source],
        context: WriteContext | None = None,
    ) -> None:
        super().__init__(source, committer, context)
        self._origins = Origins(source, latest)
        self._named: dict[int, list[Numbers]] = {}
        self._removal: Removal | None = None
        self._shown = _Shown(source)

    def prepare(self, head: Head) -> Effect | None:
        removal = self._removal
        if removal is None or not removal.rows:
            return None
        removal.check(head)
        return removal.prepare(head)

    def discard(self) -> None:
        if self._removal is not None:
            self._removal.discard()

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        addresses = self._origins.resolve(conform_delete(batch))
        shown = self._shown.rows_at(self._origins, addresses) if returning else None
        for number, these in addresses.by_file():
            self._named.setdefault(number, []).append(addresses.positions[these])
        return shown

    def _finish(self) -> None:
        self._shown.close()
        self._removal = Removal(self._opened, self._origins, self._named)
        self._named = {}

    def _forget(self) -> None:
        self._shown.close()
        self._named = {}
        if self._removal is not None:
            self._removal.forget()
            self._removal = None


class _Shown:
    """Whole rows for RETURNING, as the table was described when the statement was opened."""

    def __init__(self, opened: Source) -> None:
        schema = opened.metadata.schema()
        self._columns = columns_of(opened, schema)
        self._definition = definition_of(opened, schema)
        wanted = Wanted(schema, tuple(column.field for column in self._columns))
        self._bookmark = Bookmark(wanted)

    def rows_at(self, origins: Origins, addresses: Addresses) -> pa.RecordBatch:
        pieces, order = [], [np.zeros(0, np.int64)]
        for number, these in addresses.by_file():
            met = origins.files[number]
            source = met.origin.inventory.source
            if not fits_still(self._columns, self._definition, source):
                raise altered(source)
            with origins.reading(met.origin):
                rows = self._bookmark.rows_at(source, met.file, addresses.positions[these])
            pieces.append(self._logical(rows))
            order.append(these)
        gathered = glue_rows(pieces, self._definition.schema)
        if len(pieces) == 1:
            return gathered
        back = np.argsort(np.concatenate(order), kind="stable")
        return take_rows(gathered, pa.array(back))

    def close(self) -> None:
        self._bookmark.close()

    def _logical(self, stored: pa.RecordBatch) -> pa.RecordBatch:
        columns = [
            to_logical(array, column)
            for array, column in zip(stored.columns, self._columns, strict=True)
        ]
        return with_columns(columns, self._definition.schema, stored.num_rows)
