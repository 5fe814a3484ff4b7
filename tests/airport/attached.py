"""A lake attached as DuckDB attaches it: definitions by actions, rows by exchanges, scans by endpoints.

Tables go by the descriptor that the server gave for them, which is sent back as it came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl

from lakeport.catalog.ports import Catalog
from lakeport.flight.messages import Action, FlightDescriptor, decode_result
from tests.airport.airport_server import Client
from tests.airport.ddl.door import Door
from tests.airport.exchange.talk import Answer, Writer
from tests.airport.scans.duck import NO_FILTER, Duck, serve
from tests.flight.raw import RawClient

ROW_ID = "rowid"
CHUNK = 2048
"""Rows of a batch, as DuckDB sends them."""


@dataclass(frozen=True)
class Attached:
    """`door` says what DuckDB's client says on behalf of a catalog; `writer` sends rows as it does."""

    door: Door
    writer: Writer
    flight: fl.FlightClient

    @property
    def duck(self) -> Duck:
        """A transaction of its own."""
        return Duck(self.flight).begin()

    def alter(self, action: str, **body: object) -> FlightDescriptor:
        """Any DDL that answers with the table; what comes back names it from now on."""
        message = Action(action, msgpack.packb(body)).encode()
        (result,) = self.writer.raw.ask("DoAction", message, self.writer.headers)
        info = fl.FlightInfo.deserialize(decode_result(result))
        return FlightDescriptor.decode(info.descriptor.serialize())

    def create(
        self, table: str, schema: pa.Schema, namespace: str = "shop", **more: object
    ) -> FlightDescriptor:
        body: dict[str, object] = {
            "schema_name": namespace,
            "table_name": table,
            "arrow_schema": schema.serialize().to_pybytes(),
            "on_conflict": "error",
        }
        return self.alter("create_table", **body | more)

    def insert(self, table: FlightDescriptor, rows: pa.Table, *, returning: bool = False) -> Answer:
        return self._run("insert", table, rows, returning=returning)

    def update(self, table: FlightDescriptor, rows: pa.Table, *, returning: bool = False) -> Answer:
        """`rows` has the columns to set and the row ids last."""
        return self._run("update", table, rows, returning=returning)

    def delete(
        self, table: FlightDescriptor, row_ids: Sequence[int], *, returning: bool = False
    ) -> Answer:
        ids = pa.table({ROW_ID: pa.array(row_ids, pa.int64())})
        return self._run("delete", table, ids, returning=returning)

    def read(self, table: FlightDescriptor, filters: str = NO_FILTER) -> pa.Table:
        """Everything, row ids last."""
        columns = self.duck.info(table).schema
        ids = [*range(len(columns) - 1), 2**64 - 1]
        found = self.duck.scan(table, json_filters=filters, column_ids=ids)
        return found if found.num_columns else pa.Table.from_batches([], columns)

    def _run(
        self, operation: str, table: FlightDescriptor, rows: pa.Table, *, returning: bool
    ) -> Answer:
        batches = rows.combine_chunks().to_batches(CHUNK)
        return self.writer.run(operation, table, batches, schema=rows.schema, returning=returning)


@contextmanager
def attached(catalog: Catalog) -> Iterator[Attached]:
    """Behind a real server. The catalog's name is `lake`."""
    with serve(catalog) as server:
        target = server.address.removeprefix("grpc://")
        with (
            fl.connect(server.address) as flight,
            grpc.insecure_channel(target) as channel,
            RawClient(target) as raw,
        ):
            yield Attached(Door(Client(flight, channel), catalog).duck, Writer(raw), flight)
