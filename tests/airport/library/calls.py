"""A standard Flight client of a library server, with the few calls that its tests make."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.airport import Server
from tests.airport.airport_server import Client

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")


@dataclass(frozen=True)
class Calls:
    client: Client

    def having(self, *headers: tuple[str, str]) -> Calls:
        return Calls(self.client.having(*headers))

    def bearing(self, token: str) -> Calls:
        return self.having(("authorization", f"Bearer {token}"))

    def of(self, catalog: str) -> Calls:
        return self.having(("airport-catalog", catalog))

    def rows(self, *path: str) -> list[dict[str, Any]]:
        return self.client.rows(self.client.info(*path)).to_pylist()

    def tables(self) -> list[str]:
        listed = self.client.flight.list_flights(b"", self.client.options)
        return sorted(
            ".".join(part.decode() for part in info.descriptor.path[-2:]) for info in listed
        )

    def put(self, rows: pa.Table, *path: str) -> None:
        descriptor = fl.FlightDescriptor.for_path(*path)
        writer, _ = self.client.flight.do_put(descriptor, rows.schema, self.client.options)
        with writer:
            writer.write_table(rows)
            writer.done_writing()

    def act(self, name: str, body: bytes = b"") -> bytes:
        return self.client.action(name, body)

    def packed(self, name: str, **fields: object) -> Any:
        return msgpack.unpackb(self.act(name, msgpack.packb(fields)))

    def refused(self, name: str, body: bytes = b"") -> tuple[grpc.StatusCode, str]:
        return self.client.action_code(name, body)


@contextmanager
def calling(server: Server) -> Iterator[Calls]:
    """A server that is running."""
    place = server.address.removeprefix("grpc://")
    with fl.FlightClient(server.address) as flight, grpc.insecure_channel(place) as channel:
        yield Calls(Client(flight, channel))
