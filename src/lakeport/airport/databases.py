"""The flight `__databases`: the catalogs of this server, for `airport_databases()` in DuckDB."""

from __future__ import annotations

import pyarrow as pa

from lakeport.airport.visible import Visible
from lakeport.core.names import fold
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.service import Chunk, Outgoing

PATH = "__databases"
TICKET = PATH.encode()
SCHEMA = pa.schema([pa.field("name", pa.string()), pa.field("description", pa.string())])


def is_databases(descriptor: FlightDescriptor) -> bool:
    return descriptor.path == (PATH,)


def databases(visible: Visible) -> pa.RecordBatch:
    names = [catalog.name for catalog in visible.all_catalogs()]
    default = fold(visible.identity.home or next((each.name for each in visible.catalogs), ""))
    about = ["the default catalog" if fold(name) == default else "" for name in names]
    columns = [pa.array(names, pa.string()), pa.array(about, pa.string())]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def read(visible: Visible) -> Outgoing:
    return Outgoing(SCHEMA, [Chunk(databases(visible))])
