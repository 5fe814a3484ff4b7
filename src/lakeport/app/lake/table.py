"""One table of a lake for Python programs: read it, change it, look at its past.

A handle is cheap and live: it holds the table's name and its port, never rows. What a storage cannot
do (an Iceberg table of format 1 cannot be written) is an `UnsupportedError` that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa

from lakeport.app.lake.query import Point, Query, open_query, point_of, schema_at
from lakeport.app.lake.reader import closing_reader
from lakeport.catalog.changes import Change
from lakeport.catalog.ports import (
    Alterable,
    Ref,
    Referable,
    SnapshotInfo,
    Table,
    TableState,
    Travelable,
    Written,
    require,
)
from lakeport.catalog.statements import Rows, delete_where, update_where
from lakeport.catalog.streams import BatchStream
from lakeport.core.names import quoted

A = TypeVar("A")


class LakeTable:
    """Made by `Lake.table`. `port` is the table as `catalog.ports` knows it, for whoever needs more."""

    def __init__(self, port: Table, append: Callable[[Table, Rows], Written]) -> None:
        self.port = port
        self._append = append

    def __repr__(self) -> str:
        return f"<lakeport table {self.name}>"

    @property
    def name(self) -> str:
        return str(self.port.name)

    @property
    def schema(self) -> pa.Schema:
        """The columns now; comments and defaults are in the fields' metadata."""
        return schema_at(self.port, None)

    def schema_at(self, at: Point) -> pa.Schema:
        """The columns as they were at a point of the table's history."""
        return schema_at(self.port, point_of(at))

    # -- reading ---------------------------------------------------------------------------------

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        *,
        at: Point | None = None,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """Rows as Arrow batches, read while they are taken.

        `where` is SQL in DuckDB's dialect. `at` is a version, a `datetime` (UTC without a zone), or
        what `--at` takes: "2024-01-15", "tag:v1", "snapshot:123". Closing the reader, leaving its
        `with` block or dropping it frees threads and files at once.

        What fails while batches are read reaches you as Arrow's error with our words in it;
        `stream` keeps our own error classes.
        """
        return closing_reader(self.stream(columns, where, at=at, limit=limit))

    def stream(
        self,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        *,
        at: Point | None = None,
        limit: int | None = None,
    ) -> BatchStream:
        """The same rows as an iterator and context manager of Lakeport's own."""
        return open_query(self.port, Query(columns, where, limit, at))

    def history(self) -> Sequence[SnapshotInfo]:
        """Every commit that was not expired, oldest first."""
        return self._with(Travelable).history()

    def refs(self) -> Sequence[Ref]:
        """Tags and branches."""
        return self._with(Referable).refs()

    # -- writing ---------------------------------------------------------------------------------

    def append(self, rows: Rows) -> Written:
        """Arrow data or dictionaries, in one commit. A column that is missing gets its DEFAULT."""
        return self._append(self.port, rows)

    def delete(self, where: str | None = None) -> Written:
        """Every row for which the SQL condition is TRUE; all of them without one."""
        return delete_where(self.port, where)

    def update(self, values: Mapping[str, str], where: str | None = None) -> Written:
        """`update({"price": "price * 2"}, where="k = 1")`: new values are SQL over the old row."""
        return update_where(self.port, values, where)

    def alter(self, *changes: Change) -> TableState:
        """Changes of `lakeport.catalog.changes`, all or none: `alter(AddColumn(field))`."""
        return self._with(Alterable).alter(changes)

    def _with(self, ability: type[A]) -> A:
        return require(self.port, ability, f"table {quoted(self.name)}")
