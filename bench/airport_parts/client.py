"""A client of the airport that does what DuckDB's does: `endpoints`, then DoGet of each ticket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow.flight as fl

from bench.flight_parts.programs import Program, running
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint

SERVER = Path(__file__).parent / "server.py"
NO_FILTER = '{"filters":[],"column_binding_names_by_index":[]}'
HEADERS = [(b"airport-user-agent", b"airport/20250723")]


@dataclass(frozen=True, slots=True)
class Client:
    flight: fl.FlightClient
    server: Program

    def endpoints(
        self, table: str, columns: list[int], filters: str = NO_FILTER, version: str = ""
    ) -> list[bytes]:
        body = {
            "descriptor": FlightDescriptor(path=("bench", table)).encode(),
            "parameters": {
                "json_filters": filters,
                "column_ids": columns,
                "at_unit": "VERSION" if version else "",
                "at_value": version,
            },
        }
        action = fl.Action("endpoints", msgpack.packb(body))
        (result,) = self.flight.do_action(action, self._options())
        return [FlightEndpoint.decode(each).ticket for each in msgpack.unpackb(bytes(result.body))]

    def open(self, ticket: bytes) -> fl.FlightStreamReader:
        return self.flight.do_get(fl.Ticket(ticket), self._options())

    def rows(self, *tickets: bytes) -> int:
        batches = (chunk.data for ticket in tickets for chunk in self.open(ticket))
        return sum(batch.num_rows for batch in batches if batch is not None)

    def first(self, ticket: bytes) -> int:
        """The first batch alone, as a LIMIT does."""
        reader = self.open(ticket)
        batch = reader.read_chunk().data
        reader.cancel()
        return 0 if batch is None else batch.num_rows

    def resident(self) -> float:
        """The server's memory in MiB, without what it shares with the page cache."""
        for line in Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
        return 0.0

    def _options(self) -> fl.FlightCallOptions:
        return fl.FlightCallOptions(headers=HEADERS)  # type: ignore[arg-type] # bytes, whatever the stubs say


@contextmanager
def started(kind: str, folder: str, rows: int) -> Iterator[Client]:
    with running(SERVER, kind, folder, str(rows)) as server, fl.connect(server.ready) as client:
        yield Client(client, server)
