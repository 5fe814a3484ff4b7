"""A table that the client reads itself: the server says where, and no row goes through it.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
columns    ['id', 'price']
DuckDB is told to call read_parquet(['/data/prices.parquet'])
"""

from __future__ import annotations

import base64
import importlib
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.airport import Catalog, FunctionCall, Server
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint

flight: Any = importlib.import_module(
    "pyarrow.flight"
)  # its published types differ from what it does

FILES = pa.scalar(["/data/prices.parquet"], pa.list_(pa.string()))
TYPES: dict[str, pa.DataType] = {"id": pa.int64(), "price": pa.float64()}

demo = Catalog("demo")
demo.schema("files").reference(
    "prices", [FunctionCall("read_parquet", (FILES,))], schema=pa.schema(TYPES)
)


def main() -> None:
    with Server(demo) as server, flight.connect(server.location) as client:
        print(server.attach_statements()[-1])
        info = client.get_flight_info(flight.FlightDescriptor.for_path("files", "prices"))
        print("columns   ", info.schema.names)
        print("DuckDB is told to call", told(client))


def told(client: Any) -> str:
    """The action `endpoints`, as DuckDB asks it: each endpoint's location is a `data:` URI with the call."""
    wanted = {"descriptor": FlightDescriptor(path=("files", "prices")).encode(), "parameters": {}}
    headers = [(b"airport-user-agent", b"airport/20250723"), (b"airport-catalog", b"demo")]
    options = flight.FlightCallOptions(headers=headers)
    (answer,) = client.do_action(flight.Action("endpoints", msgpack.packb(wanted)), options)
    (endpoint,) = map(FlightEndpoint.decode, msgpack.unpackb(answer.body.to_pybytes()))
    call = msgpack.unpackb(base64.b64decode(endpoint.locations[0].partition(",")[2]))
    (arguments,) = pa.ipc.open_stream(call["data"]).read_all().to_pylist()
    shown = ", ".join(map(str, arguments.values()))
    return f"{call['function_name']}({shown})"


if __name__ == "__main__":
    main()
