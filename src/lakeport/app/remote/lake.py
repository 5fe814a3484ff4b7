"""A server's lake for Python programs: what `lakeport.connect` gives, the reading half of `Lake`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from lakeport.app.lake.reader import closing_reader
from lakeport.app.remote.source import RemoteSource, open_remote
from lakeport.catalog.ports import NamespaceInfo, SnapshotInfo
from lakeport.catalog.query import Point, Query
from lakeport.catalog.streams import BatchStream
from lakeport.flight.dial import Proof

File = str | PathLike[str]


class RemoteLake:
    """Dialled with the first question. Closing it, or leaving its `with` block, hangs up."""

    def __init__(self, source: RemoteSource) -> None:
        self._source = source

    def __repr__(self) -> str:
        return f"<lakeport lake at {self._source.address}>"

    def tables(self, namespace: str | None = None) -> list[str]:
        """Names like "shop.orders", sorted; of one namespace and those nested in it, or of all."""
        return [listed.name for listed in self._source.tables(namespace)]

    def table(self, name: str) -> RemoteTable:
        """`NAMESPACE.TABLE` in any spelling; `NotFoundError` names the nearest one there is."""
        return RemoteTable(self._source, self._source.describe(name).name)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self._source.namespaces()

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class RemoteTable:
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

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        *,
        at: Point | None = None,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """Rows as Arrow batches, sent while they are taken; see `LakeTable.scan`."""
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
        return self._source.read(self.name, Query(columns, where, limit, at))

    def history(self) -> Sequence[SnapshotInfo]:
        """Every commit that was not expired, oldest first."""
        return [record.snapshot() for record in self._source.records(self.name)]

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
