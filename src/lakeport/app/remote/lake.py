"""A server's lake for Python programs: what `lakeport.connect` gives.

It is what a `Lake` is, as far as the wire can say it: a change of columns is a statement of its own, and
tags and branches are named where the lake is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import pyarrow as pa

from lakeport.app.lake.given import GivenRows, given_rows
from lakeport.app.lake.lake import NewColumns, definition_of
from lakeport.app.lake.readable import Readable
from lakeport.app.lake.writing import renamed
from lakeport.app.remote.functions import RemoteFunction
from lakeport.app.remote.source import RemoteSource, open_remote
from lakeport.app.remote.statements import delete_remotely, update_remotely
from lakeport.catalog.changes import Change
from lakeport.catalog.ports import NamespaceInfo, OnConflict, SnapshotInfo, Written
from lakeport.catalog.query import Point, Query
from lakeport.catalog.reports.dropped import Dropped
from lakeport.catalog.statements import batches_of
from lakeport.catalog.streams import BatchStream
from lakeport.core.closing import Closing
from lakeport.core.names import TableName
from lakeport.flight.dial import Proof

File = str | PathLike[str]


class RemoteLake(Closing):
    """Dialled with the first question. Closing it, or leaving its `with` block, hangs up."""

    def __init__(self, source: RemoteSource) -> None:
        self._source = source

    def __repr__(self) -> str:
        return f"<lakeport lake at {self._source.address}>"

    def tables(self, namespace: str | None = None) -> list[str]:
        """Names like "shop.orders", sorted; of one namespace and those nested in it, or of all."""
        found = self._source.tables(namespace)
        return [listed.name for listed in found if listed.kind == "table"]

    def table(self, name: str) -> RemoteTable:
        """`NAMESPACE.TABLE` in any spelling; `NotFoundError` names the nearest one there is."""
        return RemoteTable(self._source, self._source.describe(name).name)

    def function(self, name: str) -> RemoteFunction:
        """`NAMESPACE.FUNCTION`. `lake.function("lakeport.generate_series")(1, 10)` gives rows,
        `lake.function("geo.area").over(rows)` a value for each of them.
        """
        return self._source.function(name)

    def create_table(
        self, name: str, columns: NewColumns, *, on_conflict: OnConflict = "error"
    ) -> RemoteTable:
        """A new, empty table, as `Lake.create_table` makes it."""
        target = self._source.place().name_of(name)
        made, _ = self._source.ddl.create_with_namespace(
            target, definition_of(columns), on_conflict
        )
        return RemoteTable(self._source, str(made))

    def drop_table(self, name: str) -> None:
        self._source.ddl.drop_table(self._named(name))

    def rename_table(self, name: str, to: str) -> RemoteTable:
        """Within its namespace; `to` is the new name with or without it."""
        found = self._named(name)
        return RemoteTable(
            self._source, str(self._source.ddl.rename_table(found, renamed(found, to)))
        )

    def dropped_tables(self) -> tuple[Dropped, ...]:
        """Those that `undrop_table` can bring back, newest first."""
        return self._source.dropped()

    def undrop_table(self, name: str) -> RemoteTable:
        """The table that was dropped last under that name, with its rows and its history."""
        return RemoteTable(self._source, self._source.undrop(name))

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self._source.namespaces()

    def create_namespace(self, name: str, comment: str | None = None) -> None:
        self._source.ddl.create_namespace(NamespaceInfo(name, comment))

    def drop_namespace(self, name: str) -> None:
        """`PreconditionError` while it holds tables."""
        self._source.ddl.drop_namespace(name)

    def close(self) -> None:
        self._source.close()

    def _named(self, name: str) -> TableName:
        """The table of that name, in the spelling it has."""
        return self._source.place().find(name).name


class RemoteTable(Readable):
    """Made by `RemoteLake.table`; live, like a `LakeTable`."""

    def __init__(self, source: RemoteSource, name: str) -> None:
        self._source = source
        self.name = name

    def __repr__(self) -> str:
        return f"<lakeport table {self.name} at {self._source.address}>"

    @property
    def schema(self) -> pa.Schema:
        """The columns now; comments and defaults are in the fields' metadata."""
        return self._schema(None)

    def schema_at(self, at: Point) -> pa.Schema:
        """The columns as they were at a point of the table's history."""
        return self._schema(at)

    def history(self) -> Sequence[SnapshotInfo]:
        """Every commit that was not expired, oldest first."""
        return [record.snapshot() for record in self._source.records(self.name)]

    def append(self, rows: GivenRows) -> Written:
        """Arrow data, a data frame or dictionaries, in one commit; see `LakeTable.append`."""
        return self._write(rows, replace=False)

    def overwrite(self, rows: GivenRows) -> Written:
        """These rows in place of all that are there, in one commit; the old ones stay in its past."""
        return self._write(rows, replace=True)

    def delete(self, where: str | None = None) -> Written:
        """Every row for which the SQL condition is TRUE; all of them without one."""
        return delete_remotely(self._source, self.name, where)

    def update(self, values: Mapping[str, str], where: str | None = None) -> Written:
        """`update({"price": "price * 2"}, where="k = 1")`: new values are SQL over the old row.

        The condition is evaluated by the server, new values here: the columns they are made of come,
        and the new values go.
        """
        return update_remotely(self._source, self.name, values, where)

    def alter(self, change: Change) -> None:
        """One of the changes of `lakeport.catalog.changes`, such as `lakeport.AddColumn`.

        One at a time: over the wire each is a version of its own, and several could not be undone.
        """
        self._source.ddl.alter(self._source.place().find(self.name).name, change)

    def _open(self, query: Query) -> BatchStream:
        return self._source.read(self.name, query)

    def _write(self, rows: GivenRows, *, replace: bool) -> Written:
        place = self._source.place()
        table = place.find(self.name)
        batches = batches_of(given_rows(rows), lambda: table.schema)
        return place.write(table, batches, replace=replace)

    def _schema(self, at: Point | None) -> pa.Schema:
        with self.stream(at=at, limit=0) as nothing:
            return nothing.schema


def connect_lake(
    url: str,
    token: str | None,
    *,
    catalog: str | None,
    ca: File | None,
    cert: File | None,
    key: File | None,
) -> RemoteLake:
    proof = Proof(*(None if file is None else Path(file) for file in (ca, cert, key)))
    return RemoteLake(open_remote(url, token, proof=proof, catalog=catalog))
