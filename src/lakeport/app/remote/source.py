"""A server's answers as the very objects that the local use cases make.

An answer of another shape than this version knows is an error, and never half a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec
import pyarrow as pa

from lakeport.airport.exchange.kinds import OPERATION_HEADER, PUT_HEADER, Kind
from lakeport.airport.requested import encoded, path_of
from lakeport.airport.wire.questions import TableQuery, TableQuestion, TablesQuestion
from lakeport.airport.wire.written import WrittenAnswer
from lakeport.app.remote.ddl import RemoteDdl
from lakeport.app.remote.functions import RemoteFunction
from lakeport.app.remote.place import RemotePlace
from lakeport.catalog.ports import NamespaceInfo, Written
from lakeport.catalog.query import Query, point_of
from lakeport.catalog.reports.description import TableDescription
from lakeport.catalog.reports.dropped import Dropped
from lakeport.catalog.reports.history import Commit, Recorded
from lakeport.catalog.reports.listing import Listed, ListedLong
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import CorruptDataError
from lakeport.core.names import TableName
from lakeport.core.timepoint import TimePoint, point_text
from lakeport.flight.client import FlightClient
from lakeport.flight.dial import Proof, Target
from lakeport.flight.exchange import Exchange
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.upload import Upload

T = TypeVar("T")


class _Schema(msgspec.Struct, frozen=True):
    schema_name: str
    comment: str | None = None


class _Schemas(msgspec.Struct, frozen=True):
    """Contract 001's answer to `GetSchemas`."""

    schemas: list[_Schema]


class _Undropped(msgspec.Struct, frozen=True):
    table: str


def open_remote(
    url: str, token: str | None = None, *, proof: Proof | None = None, catalog: str | None = None
) -> RemoteSource:
    """Refuses an address that is none; the server itself is dialled with the first question."""
    return RemoteSource(FlightClient(Target.parse(url), token=token, proof=proof), catalog)


class RemoteSource:
    """Closes its client. `catalog` is one of the server's; None means its first."""

    def __init__(self, client: FlightClient, catalog: str | None = None) -> None:
        self.ddl = RemoteDdl(client, catalog)
        self._client = client
        self._catalog = catalog

    @property
    def address(self) -> str:
        return str(self._client.target)

    def tables(self, namespace: str | None = None, *, long: bool = False) -> tuple[Listed, ...]:
        question = TablesQuestion(namespace, self._catalog, long)
        body = self._client.act("ListTables", question.encode())
        if long:
            return self._read(body, tuple[ListedLong, ...])
        return self._read(body, tuple[Listed, ...])

    def describe(self, table: str, at: TimePoint | None = None) -> TableDescription:
        question = TableQuestion(table, self._catalog, None if at is None else point_text(at))
        return self._read(self._client.act("TableDetails", question.encode()), TableDescription)

    def history(self, table: str) -> tuple[Commit, ...]:
        return self._read(self._history(table), tuple[Commit, ...])

    def records(self, table: str) -> tuple[Recorded, ...]:
        return self._read(self._history(table), tuple[Recorded, ...])

    def read(self, table: str, query: Query) -> BatchStream:
        at = None if query.at is None else point_text(point_of(query.at))
        wanted = replace(query, at=at)
        return self._client.get(TableQuery(table, wanted, self._catalog).encode())

    def dropped(self) -> tuple[Dropped, ...]:
        body = msgspec.json.encode({"catalog_name": self._catalog or ""})
        return self._read(self._client.act("ListDroppedTables", body), tuple[Dropped, ...])

    def undrop(self, table: str) -> str:
        question = TableQuestion(table, self._catalog)
        return self._read(self._client.act("UndropTable", question.encode()), _Undropped).table

    def place(self) -> RemotePlace:
        return RemotePlace(self)

    def put(self, table: TableName, schema: pa.Schema, *, replacing: bool) -> Upload:
        """Rows that are appended, or take the place of all that are there; see `written`."""
        header = (PUT_HEADER, "replace" if replacing else "append")
        return self._client.put(self._descriptor(table), schema, header)

    def exchange(self, kind: Kind, table: TableName, schema: pa.Schema) -> Exchange:
        """Rows that mean a change of this kind; see `written`."""
        return self._client.exchange(self._descriptor(table), schema, (OPERATION_HEADER, kind))

    def written(self, answer: bytes) -> Written:
        """What the answer to a finished `put` or `exchange` says."""
        return self._decoded(lambda: msgspec.msgpack.decode(answer, type=WrittenAnswer)).written()

    def namespaces(self) -> Sequence[NamespaceInfo]:
        body = msgspec.json.encode({"catalog_name": self._catalog or ""})
        found = self._read(self._client.act("GetSchemas", body), _Schemas)
        return [NamespaceInfo(each.schema_name, each.comment) for each in found.schemas]

    def function(self, name: str) -> RemoteFunction:
        return RemoteFunction(self._client, name, self._catalog)

    def close(self) -> None:
        self._client.close()

    def _descriptor(self, table: TableName) -> FlightDescriptor:
        path = path_of(table)
        return FlightDescriptor(
            path=path if self._catalog is None else (encoded(self._catalog), *path)
        )

    def _history(self, table: str) -> bytes:
        return self._client.act("TableHistory", TableQuestion(table, self._catalog).encode())

    def _read(self, body: bytes, kind: type[T]) -> T:
        return self._decoded(lambda: msgspec.json.decode(body, type=kind))

    def _decoded(self, decode: Callable[[], T]) -> T:
        try:
            return decode()
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise CorruptDataError(
                f"{self.address} answered in a way that this version does not understand",
                hint="the server may be of another version",
            ) from error
