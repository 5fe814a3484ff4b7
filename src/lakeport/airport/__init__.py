"""DuckDB's Airport protocol and the contracts for standard Flight clients, over any catalog.

    from lakeport.airport import Catalog, Server

    demo = Catalog("demo")
    demo.schema("shop").table("orders", orders)
    Server(demo).serve_forever()

The names below are for programs that serve data of their own (`docs/guides/library.md`); they are looked up
when they are used, so importing this loads nothing. No gRPC in sight: `AirportService` is a `FlightService`,
and `flight` puts it on the wire.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.access.grants import Ability
    from lakeport.access.identity import Identity
    from lakeport.access.limits import StatementLimits
    from lakeport.access.oidc import Oidc
    from lakeport.airport import geometry
    from lakeport.airport.library.catalog import Catalog
    from lakeport.airport.library.parquet import ParquetFolder
    from lakeport.airport.library.schema import Schema
    from lakeport.airport.library.server import Server
    from lakeport.airport.library.versions import Version
    from lakeport.airport.transactions import TransactionManager
    from lakeport.catalog.delegation import FileReference, FunctionCall
    from lakeport.catalog.ports import ColumnStatistics
    from lakeport.catalog.scan import Scan
    from lakeport.catalog.where import Mapped, Where, sql
    from lakeport.core.request import Request, current_request
    from lakeport.flight.limits import Limits
    from lakeport.functions import scalar_function, table_function, table_in_out

__all__ = [
    "Ability",
    "Catalog",
    "ColumnStatistics",
    "FileReference",
    "FunctionCall",
    "Identity",
    "Limits",
    "Mapped",
    "Oidc",
    "ParquetFolder",
    "Request",
    "Scan",
    "Schema",
    "Server",
    "StatementLimits",
    "TransactionManager",
    "Version",
    "Where",
    "current_request",
    "geometry",
    "scalar_function",
    "sql",
    "table_function",
    "table_in_out",
]

_LIBRARY = "lakeport.airport.library"
_HOMES = {
    "Ability": "lakeport.access.grants",
    "Catalog": f"{_LIBRARY}.catalog",
    "ColumnStatistics": "lakeport.catalog.ports",
    "FileReference": "lakeport.catalog.delegation",
    "FunctionCall": "lakeport.catalog.delegation",
    "Identity": "lakeport.access.identity",
    "Limits": "lakeport.flight.limits",
    "Mapped": "lakeport.catalog.where",
    "Oidc": "lakeport.access.oidc",
    "ParquetFolder": f"{_LIBRARY}.parquet",
    "Request": "lakeport.core.request",
    "Scan": "lakeport.catalog.scan",
    "Schema": f"{_LIBRARY}.schema",
    "Server": f"{_LIBRARY}.server",
    "StatementLimits": "lakeport.access.limits",
    "TransactionManager": "lakeport.airport.transactions",
    "Version": f"{_LIBRARY}.versions",
    "Where": "lakeport.catalog.where",
    "current_request": "lakeport.core.request",
    "scalar_function": "lakeport.functions",
    "sql": "lakeport.catalog.where",
    "table_function": "lakeport.functions",
    "table_in_out": "lakeport.functions",
}


def __getattr__(name: str) -> object:
    if name == "geometry":
        return import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
