"""What DDL answers: the FlightInfo of a table as the change left it, the contents of a namespace.

DuckDB rebuilds its catalog entry from the answer. Its descriptor therefore names the layout described;
a table that was just created has none, which means its first columns (contract 000, chapter 2.1).
"""

from __future__ import annotations

from lakeport.airport.actions.registry import Desk
from lakeport.airport.caller import Caller
from lakeport.airport.inventory import ListedTable
from lakeport.airport.listing import infos
from lakeport.airport.objects import described_table
from lakeport.airport.visible import Found
from lakeport.airport.wire.contents import schema_contents
from lakeport.catalog.ports import Catalog, TableState, Travelable
from lakeport.core.names import fold
from lakeport.core.timepoint import AtVersion
from lakeport.flight.messages import FlightInfo


def new_table(desk: Desk, caller: Caller, catalog_name: str, found: Found) -> FlightInfo:
    """In its first columns, whatever somebody else has made of it since."""
    table = found.table
    first = table.state_at(AtVersion(0)) if isinstance(table, Travelable) else table.state()
    return _info(desk, caller, catalog_name, found, first, is_new=True)


def changed_table(
    desk: Desk, caller: Caller, catalog_name: str, found: Found, state: TableState
) -> FlightInfo:
    desk.flights.scans.changed(found.catalog.name, state.uuid)
    return _info(desk, caller, catalog_name, found, state, is_new=False)


def namespace_contents(desk: Desk, caller: Caller, catalog: Catalog, name: str) -> bytes:
    """The objects of a namespace that the caller may read."""
    flights = desk.flights
    listed = flights.listing.namespaces(catalog, caller.identity, is_airport=caller.call.is_airport)
    audience = flights.audience(caller, catalog)
    return schema_contents(
        [
            info.encode()
            for namespace in listed
            if fold(namespace.info.name) == fold(name)
            for info in infos(namespace, audience)
        ]
    )


def _info(
    desk: Desk,
    caller: Caller,
    catalog_name: str,
    found: Found,
    state: TableState,
    *,
    is_new: bool,
) -> FlightInfo:
    flights = desk.flights
    audience = flights.audience(caller, found.catalog, catalog_name)
    listed = ListedTable.of(state, flights.scans.described(found, state).schema)
    return described_table(listed, audience, with_layout=audience.is_airport and not is_new)
