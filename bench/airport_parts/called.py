"""A server whose namespace `geo` holds the functions of the bench, as a program until stdin ends."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

if __name__ == "__main__":
    from lakeport.flight.wakeups import fewer_wakeups

    fewer_wakeups()  # as `lakeport serve` does, before gRPC is loaded

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.access import EVERYONE, Identity
from lakeport.airport.service import AirportService
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.server import FlightServer
from lakeport.functions import scalar_function

_RADIUS = 6_371.0


@scalar_function
def plain(lat: float, lon: float, to_lat: float, to_lon: float) -> float:
    """The distance of two points on earth in kilometres, row by row."""
    first, second = math.radians(lat), math.radians(to_lat)
    half = math.sin((second - first) / 2) ** 2
    turn = math.sin(math.radians(to_lon - lon) / 2) ** 2
    return 2 * _RADIUS * math.asin(math.sqrt(half + math.cos(first) * math.cos(second) * turn))


@scalar_function(returns=pa.float64())
def numpy(
    lat: np.ndarray[Any, np.dtype[np.float64]],
    lon: np.ndarray[Any, np.dtype[np.float64]],
    to_lat: np.ndarray[Any, np.dtype[np.float64]],
    to_lon: np.ndarray[Any, np.dtype[np.float64]],
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The same over whole columns."""
    first, second = np.radians(lat), np.radians(to_lat)
    half = np.sin((second - first) / 2) ** 2
    turn = np.sin(np.radians(to_lon - lon) / 2) ** 2
    result: np.ndarray[Any, np.dtype[np.float64]] = (
        2 * _RADIUS * np.arcsin(np.sqrt(half + np.cos(first) * np.cos(second) * turn))
    )
    return result


@scalar_function(
    parameters=pa.schema([(name, pa.float64()) for name in ("lat", "lon", "to_lat", "to_lon")]),
    returns=pa.float64(),
)
def arrow(lat: pa.Array, lon: pa.Array, to_lat: pa.Array, to_lon: pa.Array) -> pa.Array:  # type: ignore[type-arg]
    """One kernel: what is left is the way there and back."""
    del lon, to_lon
    return pc.subtract(lat, to_lat)


FUNCTIONS: dict[str, Any] = {"plain": plain, "numpy": numpy, "arrow": arrow}


class Everyone:
    def authenticate(self, authorization: str | None) -> Identity:
        del authorization
        return EVERYONE

    def bearer(self, authorization: str | None) -> str:
        return authorization or ""


def main() -> None:
    lake = MemoryCatalog("lake")
    namespace = lake.create_namespace(NamespaceInfo("geo"))
    for function in FUNCTIONS.values():
        namespace.add_function(function)
    with FlightServer(AirportService([lake], Everyone())) as server:
        print(server.address, flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    main()
