"""A server on grpcio that answers every batch of an exchange with bytes made before, as a program until stdin
ends: the way there and back, with no function and nothing of ours on it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import grpc
import pyarrow as pa

from lakeport.flight.framing import FrameEncoder, decode_frame
from lakeport.flight.handlers import SERVICE

_ROW_BYTES = 32  # four doubles
_MOST = 1 << 27


def main() -> None:
    schema = pa.schema([("result", pa.float64())])
    encoder = FrameEncoder(schema, most_bytes=_MOST, cut=False)
    opening = encoder.schema()

    @cache
    def answer(size: int) -> bytes:
        rows = pa.nulls(size // _ROW_BYTES, pa.float64()).fill_null(0.0)
        (message,) = encoder.batch(pa.record_batch([rows], schema=schema))
        return message

    def exchange(requests: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
        next(requests)
        yield opening
        for request in requests:
            if size := len(decode_frame(request).body):  # the schema has none
                yield answer(size)

    handler = grpc.stream_stream_rpc_method_handler(exchange)
    handlers = grpc.method_handlers_generic_handler(SERVICE, {"DoExchange": handler})
    options = [("grpc.max_receive_message_length", _MOST), ("grpc.max_send_message_length", _MOST)]
    server = grpc.server(ThreadPoolExecutor(4), handlers=[handlers], options=options)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"grpc://127.0.0.1:{port}", flush=True)
    sys.stdin.readline()
    server.stop(0).wait()


if __name__ == "__main__":
    main()
