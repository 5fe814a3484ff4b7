"""FlightInfos of tables, as a listing shows them: no endpoint is planned for them.

Airport clients get a descriptor that says which layout they were told, and a catalog name spelled as
they attached it. Standard clients get an endpoint that reads the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from lakeport.airport.inventory import ListedTable
from lakeport.airport.requested import Layout, path_of
from lakeport.airport.wire.objects import ObjectMetadata, schema_bytes
from lakeport.core.names import TableName
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint, FlightInfo


@dataclass(frozen=True, slots=True)
class Audience:
    """For whom objects are described. `called` is the catalog's name as the client knows it.

    `prefix` goes before the path where two names would mean another catalog's table.
    """

    called: str
    is_airport: bool
    prefix: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()


def table_info(table: ListedTable, audience: Audience) -> FlightInfo:
    if audience.is_airport:  # which asks for endpoints when it reads
        return _described(table, audience, Layout.of(table))
    return described_table(table, audience, with_layout=False)


def described_table(table: ListedTable, audience: Audience, *, with_layout: bool) -> FlightInfo:
    """One table with an endpoint that reads it, whoever asks."""
    layout = Layout.of(table) if with_layout else None
    return _described(table, audience, layout, (_whole_table(table.name, audience),))


def _described(
    table: ListedTable,
    audience: Audience,
    layout: Layout | None,
    endpoints: tuple[FlightEndpoint, ...] = (),
) -> FlightInfo:
    return FlightInfo(
        schema=schema_bytes(table.schema),
        descriptor=FlightDescriptor(path=(*audience.prefix, *path_of(table.name, layout))),
        endpoints=endpoints,
        app_metadata=table_metadata(audience.called, table.name, table.comment),
    )


def table_metadata(called: str, name: TableName, comment: str | None) -> bytes:
    return ObjectMetadata("table", called, name.namespace, name.table, comment=comment).encode()


def _whole_table(name: TableName, audience: Audience) -> FlightEndpoint:
    """Contract 001's JSON ticket: it costs nothing to make, and means the table as it is then."""
    ticket = {
        "catalog_name": audience.called,
        "schema_name": name.namespace,
        "table_name": name.table,
    }
    return FlightEndpoint(msgspec.json.encode(ticket), audience.locations)
