"""Clients that ask the same thing over and over: run as a program, prints the seconds of every call as JSON.

They are threads on bare gRPC, a connection each, with requests made beforehand and answers that nobody
decodes, so that what is measured is the server. The CPU that they took all the same is printed, too.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import grpc
import msgspec

from bench.airport_parts import thousand
from lakeport.flight.messages import Action, FlightDescriptor

_SERVICE = "arrow.flight.protocol.FlightService"
_KINDS = {"GetFlightInfo": "unary_unary", "ListActions": "unary_stream", "DoAction": "unary_stream"}


@dataclass(frozen=True, slots=True)
class Asked:
    """`what` is a key of `REQUESTS`."""

    address: str
    what: str
    clients: int
    calls: int


@dataclass(frozen=True, slots=True)
class Took:
    seconds: list[float]
    cpu: float
    wall: float


def _path(number: int) -> bytes:
    name = thousand.table(number * 37 % thousand.TABLES)
    return FlightDescriptor(path=(thousand.NAMESPACE, name)).encode()


def _action(name: str, **body: str) -> bytes:
    return Action(name, json.dumps(body).encode() if body else b"{}").encode()


REQUESTS = {
    "GetFlightInfo": ("GetFlightInfo", _path),
    "ListActions": ("ListActions", lambda _: b""),
    "GetSchemas": ("DoAction", lambda _: _action("GetSchemas")),
    "GetTables": ("DoAction", lambda _: _action("GetTables", schema_name=thousand.NAMESPACE)),
    "list_schemas": (
        "DoAction",
        lambda _: Action("list_schemas", b"\x81\xaccatalog_name\xa4lake").encode(),
    ),
}


def main(asked: Asked) -> Took:
    seconds: list[list[float]] = [[] for _ in range(asked.clients)]
    ready = threading.Barrier(asked.clients + 1)
    threads = [
        threading.Thread(target=_ask, args=(asked, place, ready, seconds[place]))
        for place in range(asked.clients)
    ]
    for thread in threads:
        thread.start()
    ready.wait()
    cpu, wall = time.process_time(), time.perf_counter()
    for thread in threads:
        thread.join()
    took = [each for own in seconds for each in own]
    if len(took) != asked.clients * asked.calls:
        raise SystemExit("a call failed")
    return Took(took, time.process_time() - cpu, time.perf_counter() - wall)


def _ask(asked: Asked, place: int, ready: threading.Barrier, seconds: list[float]) -> None:
    method, request = REQUESTS[asked.what]
    requests = [request(place * asked.calls + number) for number in range(asked.calls)]
    # A subchannel of its own, or all of them would share one connection.
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
    with grpc.insecure_channel(asked.address.removeprefix("grpc://"), options) as channel:
        grpc.channel_ready_future(channel).result(30)
        call: Any = getattr(channel, _KINDS[method])(f"/{_SERVICE}/{method}")
        ready.wait()
        for each in requests:
            began = time.perf_counter()
            answer = call(each, timeout=60)
            if not isinstance(answer, bytes):
                list(answer)
            seconds.append(time.perf_counter() - began)


if __name__ == "__main__":
    print(msgspec.json.encode(main(msgspec.json.decode(sys.argv[1], type=Asked))).decode())
