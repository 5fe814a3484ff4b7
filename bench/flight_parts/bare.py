"""A server that streams lineitem from memory, ours or a bare pyarrow.flight one; as a program, until stdin ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import pyarrow as pa
import pyarrow.flight as fl

from bench.iceberg_parts.lineitem import parts
from lakeport.flight.call import Call
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Outgoing

Kind: TypeAlias = Literal["lakeport", "pyarrow.flight"]


class Lineitem(FlightService):
    def __init__(self, table: pa.Table, rows: int) -> None:
        self._table = table
        self._rows = rows

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        del call, ticket
        batches = self._table.to_batches(max_chunksize=self._rows)
        return Outgoing(self._table.schema, (Chunk(batch) for batch in batches))


class Bare(fl.FlightServerBase):
    def __init__(self, table: pa.Table, rows: int) -> None:
        super().__init__("grpc://127.0.0.1:0")
        self._table = table
        self._rows = rows

    def do_get(self, context: fl.ServerCallContext, ticket: fl.Ticket) -> fl.RecordBatchStream:
        del context, ticket
        batches = self._table.to_batches(max_chunksize=self._rows)
        return fl.RecordBatchStream(pa.RecordBatchReader.from_batches(self._table.schema, batches))


@contextmanager
def serving(kind: Kind, table: pa.Table, rows: int) -> Iterator[str]:
    if kind == "lakeport":
        with FlightServer(Lineitem(table, rows)) as server:
            yield server.address
        return
    with Bare(table, rows) as bare:
        yield f"grpc://127.0.0.1:{bare.port}"


def main(kind: Kind, total: int, rows: int) -> None:
    table = pa.concat_tables(parts(total, 1)).combine_chunks()
    with serving(kind, table, rows) as address:
        print(address, flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    chosen: Kind = "lakeport" if sys.argv[1] == "lakeport" else "pyarrow.flight"
    main(chosen, int(sys.argv[2]), int(sys.argv[3]))
