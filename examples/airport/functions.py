"""Python functions that SQL calls: `SELECT demo.maths.area(r)`, `FROM demo.maths.countdown(3)`.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
area(1), area(2), area(NULL)   [3.14, 12.57, None]
countdown(3)                   [{'n': 3}, {'n': 2}, {'n': 1}]
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Iterator
from typing import Any, TypedDict

import pyarrow as pa

from lakeport.airport import Catalog, Server

flight: Any = importlib.import_module(
    "pyarrow.flight"
)  # its published types differ from what it does

demo = Catalog("demo")
maths = demo.schema("maths")


class Number(TypedDict):
    n: int


@maths.scalar_function
def area(radius: float) -> float:
    """Of a circle."""
    return round(math.pi * radius**2, 2)


@maths.table_function
def countdown(start: int) -> Iterator[Number]:
    """From there to one."""
    for n in range(start, 0, -1):
        yield {"n": n}


def main() -> None:
    with Server(demo) as server, flight.connect(server.location) as client:
        print(server.attach_statements()[-1])
        print("area(1), area(2), area(NULL)  ", scalar(client, "area", pa.array([1.0, 2.0, None])))
        ticket = {"schema_name": "maths", "function_name": "countdown", "parameters": [3]}
        rows = client.do_get(flight.Ticket(json.dumps(ticket).encode())).read_all()
        print("countdown(3)                  ", rows.to_pylist())


def scalar(client: Any, name: str, values: Any) -> list[Any]:
    """As DuckDB calls one: rows of arguments go there, rows of results come back."""
    headers = [(b"airport-operation", b"scalar_function"), (b"return-chunks", b"1")]
    descriptor = flight.FlightDescriptor.for_path("maths", name)
    options = flight.FlightCallOptions(headers=headers)
    writer, reader = client.do_exchange(descriptor, options)
    arguments = pa.record_batch([values], names=["radius"])
    with writer:
        writer.begin(arguments.schema)
        writer.write_batch(arguments)
        writer.done_writing()
        found: list[Any] = reader.read_all().column(0).to_pylist()
    return found


if __name__ == "__main__":
    main()
