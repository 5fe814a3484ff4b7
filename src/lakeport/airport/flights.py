"""GetFlightInfo, GetSchema, PollFlightInfo, ListFlights, DoGet and `endpoints`: one set of descriptors.

A descriptor is a table's path or JSON, a query or a function call in JSON, `__databases`, or empty for
the whole catalog. Whatever one method accepts the others accept: DuckDB asks for the same thing by several.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pyarrow as pa

from lakeport.airport import databases
from lakeport.airport.addresses import Addresses
from lakeport.airport.caller import Caller
from lakeport.airport.functions import desk as functions
from lakeport.airport.functions.agreed import Agreed
from lakeport.airport.functions.asked import FunctionCall, function_in, function_meant, function_of
from lakeport.airport.functions.declared import Declared
from lakeport.airport.functions.tickets import is_function_ticket
from lakeport.airport.globs import chosen_by
from lakeport.airport.inventory import ListedNamespace
from lakeport.airport.listing import Listing, infos
from lakeport.airport.objects import Audience, table_metadata
from lakeport.airport.queries import query_schema, read_query
from lakeport.airport.requested import Layout, Requested, encoded, path_of, requested
from lakeport.airport.scans import Announced, Scans
from lakeport.airport.scans.readings import Reading
from lakeport.airport.told import Question, Told
from lakeport.airport.wire.bodies import ScanParameters
from lakeport.airport.wire.objects import schema_bytes
from lakeport.airport.wire.questions import TableQuery
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import UnavailableError
from lakeport.core.names import fold
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint, FlightInfo
from lakeport.flight.service import Outgoing

_log = logging.getLogger(__name__)
_FILTER_CATALOG = "airport-list-flights-filter-catalog"
_FILTER_SCHEMA = "airport-list-flights-filter-schema"


@dataclass(frozen=True, slots=True)
class Flights:
    listing: Listing
    scans: Scans
    addresses: Addresses
    told: Told = field(default_factory=Told)
    agreed: Agreed = field(default_factory=Agreed)

    # -- one object ------------------------------------------------------------------------------

    def info(self, caller: Caller, descriptor: FlightDescriptor) -> FlightInfo:
        if descriptor.is_empty:
            return self._catalog(caller, descriptor)
        if databases.is_databases(descriptor):
            return self._databases(caller, descriptor)
        call = function_meant(descriptor)
        if call is not None:
            return self.function(caller, call, descriptor)
        query = _query(descriptor)
        if query is not None:
            return self._queried(caller, query, descriptor)
        return self.table(caller, requested(descriptor), descriptor)

    def table(self, caller: Caller, wanted: Requested, descriptor: FlightDescriptor) -> FlightInfo:
        """Contract 001: the descriptor that was sent, and exactly one endpoint."""
        reading = self.scans.reading(caller.call, caller.visible, wanted)
        called = caller.called(reading.found.catalog, wanted.catalog)
        question = Question(wanted, descriptor, called, self.addresses.locations(caller.call))
        return self.told.get(reading, question, lambda: self._table(reading, question))

    def _table(self, reading: Reading, question: Question) -> FlightInfo:
        whole = self.scans.whole(reading, question.wanted)
        announced = whole.announced
        return FlightInfo(
            schema_bytes(announced.schema),
            question.descriptor,
            (FlightEndpoint(whole.ticket, question.locations),),
            whole.rows,
            whole.bytes,
            app_metadata=table_metadata(
                question.called,
                announced.found.table.name,
                announced.state.definition.comment,
            ),
        )

    def function(
        self, caller: Caller, wanted: FunctionCall, descriptor: FlightDescriptor | None = None
    ) -> FlightInfo:
        return functions.info(caller, wanted, descriptor, self.addresses.locations(caller.call))

    def schema(self, caller: Caller, descriptor: FlightDescriptor) -> pa.Schema:
        if descriptor.is_empty:
            caller.visible.catalog()
            return pa.schema([])
        if databases.is_databases(descriptor):
            return databases.SCHEMA
        call = function_meant(descriptor)
        if call is not None:
            return functions.schema(caller, call)
        query = _query(descriptor)
        if query is not None:
            return query_schema(caller.visible, query)
        return self.announced(caller, requested(descriptor)).schema

    def announced(self, caller: Caller, wanted: Requested) -> Announced:
        return self.scans.announced(caller.call, caller.visible, wanted)

    def at_point(
        self, caller: Caller, descriptor: FlightDescriptor, wanted: Requested
    ) -> FlightInfo:
        """The action `flight_info`. DuckDB keeps the descriptor it answers, so that names the layout
        of the point; asked again with that one, the answer is the same.
        """
        if wanted.at is None or not caller.call.is_airport or descriptor.path is None:
            return self.table(caller, wanted, descriptor)
        announced = self.announced(caller, wanted)
        prefix = descriptor.path[:1] if wanted.catalog else ()
        path = path_of(announced.found.table.name, Layout.of(announced.state))
        return self.table(caller, wanted, FlightDescriptor(path=(*prefix, *path)))

    # -- rows ------------------------------------------------------------------------------------

    def endpoints(
        self, caller: Caller, descriptor: FlightDescriptor, parameters: ScanParameters
    ) -> tuple[FlightEndpoint, ...]:
        if databases.is_databases(descriptor):
            return (FlightEndpoint(databases.TICKET),)
        has_arguments = bool(parameters.table_function_parameters)
        call = function_of(descriptor) if has_arguments else function_meant(descriptor)
        if call is not None:
            return functions.endpoints(caller, call, parameters, self.agreed)
        query = _query(descriptor)
        if query is not None:
            return (FlightEndpoint(query.encode()),)
        wanted = requested(descriptor)
        return tuple(self.scans.endpoints(caller.call, caller.visible, wanted, parameters))

    def read(self, caller: Caller, ticket: bytes) -> Outgoing:
        if ticket == databases.TICKET:
            return databases.read(caller.visible)
        if is_function_ticket(ticket):
            return functions.read_ticket(caller, ticket)
        call = function_in(ticket, "the ticket")
        if call is not None:
            return functions.read_call(caller, call)
        query = TableQuery.find(ticket, "the ticket")
        if query is not None:
            return read_query(caller.visible, query)
        return self.scans.do_get(caller.call, caller.visible, ticket)

    def statistics(self, caller: Caller, descriptor: FlightDescriptor, column: str) -> bytes:
        call = function_meant(descriptor)
        if call is not None:
            return functions.statistics(caller, call, column)
        wanted = requested(descriptor)
        return self.scans.column_statistics(caller.call, caller.visible, wanted, column)

    # -- everything ------------------------------------------------------------------------------

    def listed(self, caller: Caller, criteria: bytes) -> Iterator[FlightInfo]:
        """All that is visible, of the catalog and namespace that the headers name if they do.

        Criteria, where a client sends any, are a glob of `namespace.table`. Of several catalogs those
        that answer are listed.
        """
        only = caller.call.header(_FILTER_SCHEMA)
        is_chosen = chosen_by(criteria.decode("utf-8", "replace"))
        is_airport = caller.call.is_airport
        catalogs = self._catalogs(caller)
        silent: list[UnavailableError] = []
        for catalog in catalogs:
            audience = self.audience(caller, catalog, caller.call.header(_FILTER_CATALOG))
            if only is not None:
                caller.account.note_namespace(catalog.name, only)
            try:
                listed = self.listing.namespaces(catalog, caller.identity, is_airport=is_airport)
            except UnavailableError as error:
                _log.warning("listing.catalog_left_out", extra={"catalog": catalog.name})
                silent.append(error)
                continue
            for namespace in listed:
                if only is None or fold(only) == fold(namespace.info.name):
                    yield from infos(_choose(namespace, is_chosen), audience)
        if silent and len(silent) == len(catalogs):
            raise silent[0]

    def _catalogs(self, caller: Caller) -> list[Catalog]:
        named = caller.call.header(_FILTER_CATALOG)
        if named or caller.visible.header or caller.call.is_airport:
            return [caller.visible.catalog(named)]
        return caller.visible.all_catalogs()

    def audience(self, caller: Caller, catalog: Catalog, named: str | None = None) -> Audience:
        """`named` is how the request calls the catalog, if it does."""
        is_default = catalog.name == caller.visible.catalogs.default.name
        is_plain = caller.visible.header is not None or is_default or caller.call.is_airport
        return Audience(
            caller.called(catalog, named),
            caller.call.is_airport,
            () if is_plain else (encoded(catalog.name),),
            self.addresses.locations(caller.call),
        )

    def _catalog(self, caller: Caller, descriptor: FlightDescriptor) -> FlightInfo:
        catalog = caller.visible.catalog()
        contents = self.listing.catalog_info(catalog, caller.identity)
        return FlightInfo(schema_bytes(pa.schema([])), descriptor, app_metadata=contents)

    def _databases(self, caller: Caller, descriptor: FlightDescriptor) -> FlightInfo:
        endpoint = self._endpoint(caller, databases.TICKET)
        rows = databases.databases(caller.visible).num_rows
        return FlightInfo(schema_bytes(databases.SCHEMA), descriptor, (endpoint,), rows)

    def _queried(
        self, caller: Caller, query: TableQuery, descriptor: FlightDescriptor
    ) -> FlightInfo:
        schema = query_schema(caller.visible, query)
        endpoint = self._endpoint(caller, query.encode())
        return FlightInfo(schema_bytes(schema), descriptor, (endpoint,))

    def _endpoint(self, caller: Caller, ticket: bytes) -> FlightEndpoint:
        return FlightEndpoint(ticket, self.addresses.locations(caller.call))


def _choose(namespace: ListedNamespace, is_chosen: Callable[[str], bool]) -> ListedNamespace:
    def named(function: Declared) -> str:
        return str(function.name)

    return replace(
        namespace,
        tables=tuple(each for each in namespace.tables if is_chosen(str(each.name))),
        functions=tuple(each for each in namespace.functions if is_chosen(named(each))),
    )


def _query(descriptor: FlightDescriptor) -> TableQuery | None:
    if not descriptor.command:
        return None
    return TableQuery.find(descriptor.command, "the descriptor's command")
