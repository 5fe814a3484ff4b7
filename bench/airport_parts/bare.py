"""A server on grpcio that answers with bytes made before, as a program until stdin ends: what no server on
grpcio can be faster than, if it sends one message after the other.

It is given the address of a real one, asks it once, and says the same ever after.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import grpc

from bench.airport_parts import thousand
from lakeport.flight.handlers import SERVICE
from lakeport.flight.messages import FlightDescriptor

_THREADS = 40


def told(address: str) -> tuple[bytes, list[bytes]]:
    """What a real server says to GetFlightInfo and ListActions."""
    with grpc.insecure_channel(address.removeprefix("grpc://")) as opened:
        channel: Any = opened
        descriptor = FlightDescriptor(path=(thousand.NAMESPACE, thousand.table(0))).encode()
        info: bytes = channel.unary_unary(f"/{SERVICE}/GetFlightInfo")(descriptor)
        return info, list(channel.unary_stream(f"/{SERVICE}/ListActions")(b""))


def main(address: str) -> None:
    info, actions = told(address)

    def list_actions(_: bytes, __: grpc.ServicerContext) -> Iterator[bytes]:
        yield from actions

    methods: dict[str, grpc.RpcMethodHandler[Any, bytes]] = {
        "GetFlightInfo": grpc.unary_unary_rpc_method_handler(lambda _, __: info),
        "ListActions": grpc.unary_stream_rpc_method_handler(list_actions),
    }
    handlers = grpc.method_handlers_generic_handler(SERVICE, methods)
    server = grpc.server(ThreadPoolExecutor(_THREADS), handlers=[handlers])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"grpc://127.0.0.1:{port}", flush=True)
    sys.stdin.readline()
    server.stop(0).wait()


if __name__ == "__main__":
    main(sys.argv[1])
