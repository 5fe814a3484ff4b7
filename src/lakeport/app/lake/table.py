"""One table of a lake for Python programs: read it, change it, look at its past.

A handle is cheap and live: it holds the table's name and its port, never rows. What a storage cannot
do (an Iceberg table of format 1 cannot be written) is an `UnsupportedError` that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import pyarrow as pa

from lakeport.app.lake.alteration import Alteration, Columns
from lakeport.app.lake.given import GivenRows, given_rows
from lakeport.app.lake.readable import Readable
from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import Change
from lakeport.catalog.ports import (
    Alterable,
    Ref,
    Referable,
    SnapshotInfo,
    Table,
    TableState,
    Travelable,
    Truncatable,
    WriteContext,
    Written,
    require,
)
from lakeport.catalog.query import Point, Query, open_query, point_of, schema_at
from lakeport.catalog.statements import delete_where, insert_rows, overwrite_rows, update_where
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import PreconditionError
from lakeport.core.names import quoted

A = TypeVar("A")


class LakeTable(Readable):
    """Made by `Lake.table`. `port` is the table as `catalog.ports` knows it, for whoever needs more."""

    def __init__(self, port: Table, context: WriteContext | None = None) -> None:
        self.port = port
        self._context = context

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

    def history(self) -> Sequence[SnapshotInfo]:
        """Every commit that was not expired, oldest first."""
        return self._with(Travelable).history()

    # -- writing ---------------------------------------------------------------------------------

    def append(self, rows: GivenRows) -> Written:
        """Arrow data, a data frame or dictionaries, in one commit.

        Columns are found by name, in any case and order; one that is missing gets its DEFAULT.
        """
        return insert_rows(self.port, given_rows(rows), self._context)

    def overwrite(self, rows: GivenRows) -> Written:
        """These rows in place of all that are there, in one commit; the old ones stay in its past."""
        return overwrite_rows(self.port, given_rows(rows), self._context)

    def delete(self, where: str | None = None) -> Written:
        """Every row for which the SQL condition is TRUE; all of them without one."""
        return delete_where(self.port, where, self._context)

    def update(self, values: Mapping[str, str], where: str | None = None) -> Written:
        """`update({"price": "price * 2"}, where="k = 1")`: new values are SQL over the old row."""
        return update_where(self.port, values, where, self._context)

    def truncate(self) -> Written:
        """All rows go at once, without reading any."""
        return self._with(Truncatable).truncate(self._context)

    def alter(
        self,
        *changes: Change,
        rename: Mapping[str, str] | None = None,
        types: Mapping[str, pa.DataType | Field] | None = None,
        add: Columns = (),
        drop: Iterable[str] = (),
    ) -> TableState:
        """All of it as one version, or nothing: `alter(add={"note": pa.string()}, drop=["old"])`.

        First the `changes` of `lakeport.catalog.changes`, then `rename`, `types`, `add`, `drop`. A dot
        leads to a field inside a column: `"address.city"`.
        """
        wanted = Alteration(rename or {}, types or {}, add, drop)
        return self._with(Alterable).alter((*changes, *wanted.changes()), self._context)

    # -- tags and branches -----------------------------------------------------------------------

    def refs(self) -> Sequence[Ref]:
        """Tags and branches."""
        return self._with(Referable).refs()

    def tag(self, name: str, at: Point | None = None) -> Ref:
        """A name for a version, now's without one; it is kept from expiring as long as it is named."""
        return self._refer(name, "tag", at)

    def branch(self, name: str, at: Point | None = None) -> Ref:
        return self._refer(name, "branch", at)

    def drop_ref(self, name: str) -> None:
        """The rows it named stay readable by version until they expire."""
        self._with(Referable).drop_ref(name)

    def _refer(self, name: str, kind: Literal["tag", "branch"], at: Point | None) -> Ref:
        point = None if at is None else point_of(at)
        state = self.port.state() if point is None else self._with(Travelable).state_at(point)
        if state.snapshot_id is None:
            raise PreconditionError(
                f"nothing had been written to table {quoted(self.name)} then",
                hint="a tag or branch needs a snapshot: write something first",
            )
        ref = Ref(name, kind, state.snapshot_id)
        self._with(Referable).create_ref(ref)
        return ref

    def _open(self, query: Query) -> BatchStream:
        return open_query(self.port, query)

    def _with(self, ability: type[A]) -> A:
        return require(self.port, ability, f"table {quoted(self.name)}")
