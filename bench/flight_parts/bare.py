"""Servers that stream lineitem from memory: ours, a bare pyarrow.flight one, and one on grpcio that does
nothing but send bytes made before; as a program, until stdin ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias, get_args

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import grpc
import pyarrow as pa
import pyarrow.flight as fl

from bench.iceberg_parts.lineitem import parts
from lakeport.flight.call import Call
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.handlers import SERVICE
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Outgoing

Kind: TypeAlias = Literal["lakeport", "pyarrow.flight", "grpcio"]


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


def ready(table: pa.Table, rows: int) -> grpc.Server:
    """What no server on grpcio can be faster than."""
    encoder = FrameEncoder(table.schema, most_bytes=1 << 30, cut=True)
    batches = table.to_batches(max_chunksize=rows)
    messages = [encoder.schema(), *(each for batch in batches for each in encoder.batch(batch))]
    do_get = grpc.unary_stream_rpc_method_handler(lambda _, __: iter(messages))
    handlers = grpc.method_handlers_generic_handler(SERVICE, {"DoGet": do_get})
    return grpc.server(ThreadPoolExecutor(8), handlers=[handlers])


@contextmanager
def serving(kind: Kind, table: pa.Table, rows: int) -> Iterator[str]:
    if kind == "lakeport":
        with FlightServer(Lineitem(table, rows)) as ours:
            yield ours.address
        return
    if kind == "grpcio":
        server = ready(table, rows)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield f"grpc://127.0.0.1:{port}"
        server.stop(0).wait()
        return
    with Bare(table, rows) as bare:
        yield f"grpc://127.0.0.1:{bare.port}"


def main(kind: Kind, total: int, rows: int) -> None:
    table = pa.concat_tables(parts(total, 1)).combine_chunks()
    with serving(kind, table, rows) as address:
        print(address, flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    chosen: Kind = next(kind for kind in get_args(Kind) if kind == sys.argv[1])
    main(chosen, int(sys.argv[2]), int(sys.argv[3]))
