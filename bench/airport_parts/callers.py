"""Clients that ask the same thing over and over: run as a program, prints the seconds of every call as JSON.

They are threads with a connection each. pyarrow.flight asks and reads in C++, outside of Python's lock, so
that thirty-two of them wait for the server and not for each other. The CPU that they took is printed, too.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import msgspec
import pyarrow.flight as fl

from bench.airport_parts import thousand


@dataclass(frozen=True, slots=True)
class Asked:
    """`what` is a key of `QUESTIONS`."""

    address: str
    what: str
    clients: int
    calls: int


@dataclass(frozen=True, slots=True)
class Took:
    seconds: list[float]
    cpu: float
    wall: float


def _flight_info(client: fl.FlightClient, number: int) -> object:
    name = thousand.table(number * 37 % thousand.TABLES)
    return client.get_flight_info(fl.FlightDescriptor.for_path(thousand.NAMESPACE, name))


def _action(name: str, body: bytes) -> Callable[[fl.FlightClient, int], object]:
    action = fl.Action(name, body)
    return lambda client, _: list(client.do_action(action))


QUESTIONS: dict[str, Callable[[fl.FlightClient, int], object]] = {
    "GetFlightInfo": _flight_info,
    "ListActions": lambda client, _: client.list_actions(),
    "GetSchemas": _action("GetSchemas", b"{}"),
    "GetTables": _action("GetTables", json.dumps({"schema_name": thousand.NAMESPACE}).encode()),
    "list_schemas": _action("list_schemas", msgspec.msgpack.encode({"catalog_name": "lake"})),
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
    question = QUESTIONS[asked.what]
    with fl.connect(asked.address) as client:
        client.list_actions()  # connected, and nothing listed
        ready.wait()
        for number in range(place * asked.calls, (place + 1) * asked.calls):
            began = time.perf_counter()
            question(client, number)
            seconds.append(time.perf_counter() - began)


if __name__ == "__main__":
    print(msgspec.json.encode(main(msgspec.json.decode(sys.argv[1], type=Asked))).decode())
