"""The servers that are compared, as programs until stdin ends: the airport over the bench's lake, and a
bare pyarrow.flight server that streams the same tables from memory.
"""
# ruff: noqa: PLC0415  - a server loads its own libraries and no others

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import pyarrow as pa
import pyarrow.flight as fl

from bench.iceberg_parts import lineitem

MESSAGE_ROWS = 8_192  # 1.4 MB of the whole table
THREE = ("l_orderkey", "l_suppkey", "l_extendedprice")


class Bare(fl.FlightServerBase):
    """Tickets are the names of what it holds."""

    def __init__(self, rows: int) -> None:
        super().__init__("grpc://127.0.0.1:0")
        whole = pa.concat_tables(lineitem.parts(rows))
        self._held = {
            b"full": (whole, MESSAGE_ROWS),
            b"three": (whole.select(list(THREE)), MESSAGE_ROWS * 8),
        }

    def do_get(self, context: fl.ServerCallContext, ticket: fl.Ticket) -> fl.RecordBatchStream:
        del context
        table, rows = self._held[ticket.ticket]
        batches = table.to_batches(max_chunksize=rows)
        return fl.RecordBatchStream(pa.RecordBatchReader.from_batches(table.schema, batches))


class OpenDoor:
    """Everyone is admin: the bench measures scans."""

    def authenticate(self, authorization: str | None) -> object:
        from lakeport.access import EVERYONE

        del authorization
        return EVERYONE

    def bearer(self, authorization: str | None) -> str:
        return authorization or ""


@contextmanager
def airport(folder: Path) -> Iterator[str]:
    from bench.iceberg_parts.lake import Lake
    from lakeport.airport.service import AirportService
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.catalog.iceberg.profile import Profile
    from lakeport.flight.server import FlightServer

    lake = Lake(folder)
    catalog = IcebergCatalog(Profile("lake", "sql", lake.uri, lake.warehouse))
    with FlightServer(AirportService([catalog], OpenDoor())) as server:  # type: ignore[arg-type] # lazily typed
        yield server.address
    catalog.close()


@contextmanager
def bare(rows: int) -> Iterator[str]:
    with Bare(rows) as server:
        yield f"grpc://127.0.0.1:{server.port}"


def main(kind: str, folder: str, rows: int) -> None:
    with airport(Path(folder)) if kind == "airport" else bare(rows) as address:
        print(address, flush=True)
        sys.stdin.readline()
        # Scans may just have been cancelled: taking the interpreter apart would abort in Arrow's threads.
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
