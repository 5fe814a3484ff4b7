"""A server as a plain Airport client talks to it: what it has, where rows are, and statements.

Nothing here is Lakeport's own but two things, asked for by name first (`is_lakeport`): replacing all rows
in one statement, and leaving columns out that have a DEFAULT.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from lakeport.catalog.streams import BatchStream
from lakeport.core.closing import Closing
from lakeport.core.errors import (
    AlreadyExistsError,
    CorruptDataError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import TableName, quoted
from lakeport.flight.client import FlightClient, Header
from lakeport.flight.dial import Proof
from lakeport.flight.exchange import Exchange
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint, FlightInfo
from lakeport.flight.upload import Upload
from lakeport.spark.catalogue import (
    Announced,
    announced,
    find_namespace,
    find_table,
    shelves,
    tables_in,
    tables_of,
)
from lakeport.spark.options import NOW, Access, Point
from lakeport.spark.packing import pack, understood, unpack
from lakeport.spark.places import place_of

_OURS = "UndropTable"  # an action that no other server has


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of a table: column ids, the filter document, the point in time."""

    column_ids: Sequence[int]
    filters: str = ""
    at: Point = NOW


class Server(Closing):
    """Dialled with the first question."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._client = _client(access)

    def __repr__(self) -> str:
        return f"<airport server {self.access.target}>"

    @cached_property
    def is_lakeport(self) -> bool:
        try:
            return _OURS in self._client.actions()
        except UnsupportedError:  # which is an answer, too
            return False

    def find(self, name: TableName, at: Point = NOW) -> Announced:
        """The table in any spelling, with its columns at that point."""
        now = self._announced(name)
        return now if at == NOW else self._at(now, at)

    def endpoints(self, table: Announced, wanted: Wanted) -> tuple[FlightEndpoint, ...]:
        parameters = {
            "json_filters": wanted.filters,
            "column_ids": list(wanted.column_ids),
            "table_function_parameters": b"",
            "table_function_input_schema": b"",
            "at_unit": wanted.at.unit,
            "at_value": wanted.at.value,
        }
        body = {"descriptor": table.descriptor.encode(), "parameters": parameters}
        answer = self._client.act("endpoints", pack(body))
        with understood(self.access.target):
            return tuple(FlightEndpoint.decode(each) for each in unpack(answer))

    def rows(
        self, endpoint: FlightEndpoint, table: TableName
    ) -> Generator[pa.RecordBatch, None, None]:
        """Of one endpoint, from wherever it says that they are."""
        there = place_of(endpoint.locations, self.access, table)
        if there is None:
            yield from _read(self._client.get(endpoint.ticket))
            return
        proof = self.access.proof if there.is_encrypted else Proof()
        with _client(replace(self.access, target=there, proof=proof)) as client:
            yield from _read(client.get(endpoint.ticket))

    def insert(self, table: Announced, schema: pa.Schema) -> Exchange:
        return self._exchange("insert", table.descriptor, schema)

    def delete(self, table: Announced, schema: pa.Schema) -> Exchange:
        return self._exchange("delete", table.descriptor, schema)

    def replace(self, table: Announced, schema: pa.Schema) -> Upload:
        """All rows that are there go. Of Lakeport's servers alone: others would append."""
        return self._client.put(table.descriptor, schema, ("lakeport-put", "replace"))

    def create(self, name: TableName, schema: pa.Schema) -> Announced:
        """With its namespace, if that is not there; AlreadyExistsError if another was faster."""
        try:
            return self._create(name, schema)
        except NotFoundError:
            self._create_namespace(name.namespace)
        return self._create(name, schema)

    def drop(self, name: TableName) -> None:
        body = {"type": "table", "schema_name": name.namespace, "name": name.table}
        self._client.tell("drop_table", self._body({**body, "ignore_not_found": True}))

    def close(self) -> None:
        self._client.close()

    def _announced(self, name: TableName) -> Announced:
        answer = self._client.act("list_schemas", self._body({}))
        with understood(self.access.target):
            shelf = find_namespace(shelves(answer), name.namespace)
            if shelf.contents is not None:
                return find_table(tables_in(shelf.contents()), name)
        filters = (
            ("airport-list-flights-filter-catalog", self.access.catalog),
            ("airport-list-flights-filter-schema", shelf.name),
        )
        listed = self._client.flights(*filters)
        with understood(self.access.target):
            return find_table(tables_of(iter(listed)), name)

    def _at(self, now: Announced, at: Point) -> Announced:
        body = {"descriptor": now.descriptor.encode(), "at_unit": at.unit, "at_value": at.value}
        answer = self._client.act("flight_info", pack(body))
        return self._described(answer, now.name)

    def _create(self, name: TableName, schema: pa.Schema) -> Announced:
        body: dict[str, object] = {
            "schema_name": name.namespace,
            "table_name": name.table,
            "arrow_schema": schema.serialize().to_pybytes(),
            "on_conflict": "error",
            "not_null_constraints": [
                place for place, field in enumerate(schema) if not field.nullable
            ],
            "unique_constraints": [],
            "check_constraints": [],
            "primary_key_columns": [],
            "unique_columns": [],
            "multi_key_primary_keys": [],
            "extra_constraints": [],
        }
        return self._described(self._client.act("create_table", self._body(body)), name)

    def _create_namespace(self, name: str) -> None:
        body: dict[str, object] = {"schema": name, "comment": None, "tags": {}}
        try:
            self._client.act("create_schema", self._body(body))
        except AlreadyExistsError:
            return  # another program was faster

    def _described(self, answer: bytes, name: TableName) -> Announced:
        with understood(self.access.target):
            found = announced(FlightInfo.decode(answer))
        if found is None:
            raise CorruptDataError(
                f"{self.access.target} did not describe table {quoted(str(name))}"
            )
        return found

    def _exchange(
        self, operation: str, descriptor: FlightDescriptor, schema: pa.Schema
    ) -> Exchange:
        headers: list[Header] = [("airport-operation", operation), ("return-chunks", "0")]
        if descriptor.path is not None:
            # Some servers look nowhere else for the table.
            headers.append(("airport-flight-path", "/".join(descriptor.path)))
        return self._client.exchange(descriptor, schema, *headers)

    def _body(self, members: dict[str, object]) -> bytes:
        return pack({"catalog_name": self.access.catalog, **members})


def _client(access: Access) -> FlightClient:
    headers = (("airport-catalog", access.catalog),) if access.catalog else ()
    return FlightClient(access.target, token=access.token, proof=access.proof, headers=headers)


def _read(stream: BatchStream) -> Iterator[pa.RecordBatch]:
    with stream as rows:
        yield from rows
