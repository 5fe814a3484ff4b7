"""The airport: all its parts behind the ten methods of Flight.

Every call is authenticated before a byte of its request is decoded, and leaves a row in the audit,
refused or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Protocol

import pyarrow as pa

from lakeport.access import NO_LIMITS, AuditEntry, Pace, StatementLimits
from lakeport.access.recognise import Recognises
from lakeport.airport.account import keep_account
from lakeport.airport.actions import contract, ddl, deletion, discovery, reports, transactions
from lakeport.airport.actions.registry import Desk, Entry, Registry
from lakeport.airport.addresses import Addresses
from lakeport.airport.announce import announced_schema
from lakeport.airport.announcements import Announcements
from lakeport.airport.caller import Caller
from lakeport.airport.exchange import Statements, exchange, put
from lakeport.airport.flights import Flights
from lakeport.airport.inventory import Inventory
from lakeport.airport.listing import Listing
from lakeport.airport.outcomes import RecentOutcomes
from lakeport.airport.scans import Lends, Pins, Scans, lends_none, produces_statistics
from lakeport.airport.standing import recognise, while_welcome
from lakeport.airport.transactions import TransactionManager
from lakeport.airport.visible import Overlay, Visible
from lakeport.airport.within import each_within, rows_within, within
from lakeport.catalog.catalogs import Catalogs
from lakeport.catalog.moment import one_moment
from lakeport.catalog.ports import Catalog, CatalogVersion, Table, TableState
from lakeport.core.errors import UnauthenticatedError
from lakeport.flight.call import Call
from lakeport.flight.messages import (
    Action,
    ActionType,
    FlightDescriptor,
    FlightInfo,
    Handshake,
    PollInfo,
)
from lakeport.flight.service import FlightService, Incoming, Outgoing

REGISTRY = Registry(
    (
        *discovery.ENTRIES,
        *transactions.ENTRIES,
        *ddl.ENTRIES,
        *contract.ENTRIES,
        *deletion.ENTRIES,
        *reports.ENTRIES,
    )
)
"""Every action of the protocols; a server may have more of its own."""


class Audits(Protocol):
    """`access.AuditLog`."""

    def record(self, entry: AuditEntry) -> None: ...

    def last_outcome(self, transaction_id: str) -> str | None: ...


class AirportService(FlightService):
    """`limits` are those of callers who have none of their own.

    `lends` says which tables DuckDB may read from storage itself, `announcements` what servers before
    this one listed. `pace` is shared with other doors, if there are any.
    """

    def __init__(  # noqa: PLR0913  one keyword per part
        self,
        catalogs: Iterable[Catalog],
        authenticator: Recognises,
        *,
        audit: Audits | None = None,
        addresses: Addresses | None = None,
        overlay: Overlay | None = None,
        existing_schema_ok: bool = False,
        pins: Pins | None = None,
        limits: StatementLimits = NO_LIMITS,
        lends: Lends = lends_none,
        managed: TransactionManager | None = None,
        announcements: Announcements | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._catalogs = catalogs if isinstance(catalogs, Catalogs) else Catalogs(catalogs)
        self._registry = REGISTRY
        self._authenticator = authenticator
        self._audit: Audits = RecentOutcomes() if audit is None else audit
        self._pace = pace or Pace()
        self._overlay = overlay
        places = addresses or Addresses()
        listing = self._listing = Listing(Inventory(_announce, announcements))
        pins = Pins() if pins is None else pins  # an empty one is falsy
        self._flights = Flights(listing, Scans(places.public, pins, lends), places)
        self._statements = Statements(pins, limits, managed, self._flights.agreed)
        self._desk = Desk(
            self._flights,
            self._statements,
            self._audit,
            existing_schema_ok=existing_schema_ok,
            transactions=managed,
        )

    @property
    def catalogs(self) -> tuple[Catalog, ...]:
        return tuple(self._catalogs)

    def add_catalog(self, catalog: Catalog) -> None:
        """While calls are served. What is remembered of an earlier one of that name is not of this one."""
        self._catalogs.add(catalog)
        self._listing.forget(catalog.name)

    def remove_catalog(self, name: str) -> Catalog:
        """Streams that were opened before go on to their end."""
        gone = self._catalogs.remove(name)
        self._listing.forget(gone.name)
        return gone

    def add_action(self, entry: Entry[Any, Any]) -> None:
        self._registry = self._registry.with_entry(entry)

    def authenticate(self, call: Call) -> None:
        account = keep_account(call, self._audit.record)
        ask = partial(recognise, self._authenticator.authenticate, call)
        identity = ask()
        account.identity = (
            identity.name
        )  # who is refused for calling too often is in the audit, too
        self._pace.enter(identity)
        header = call.header("airport-catalog") or None
        account.catalog = header
        visible = Visible(self._catalogs, identity, header, self._overlay, account)
        call.caller = Caller(call, identity, visible, account, ask)

    def handshake(self, call: Call, requests: Iterator[Handshake]) -> Iterable[Handshake]:
        """For clients that log in with a password: the token that they are to send from now on."""
        del requests
        authorization = call.header("authorization")
        if authorization is not None:
            header = self._authenticator.bearer(authorization)
            if header.isascii() and header.isprintable():
                call.answer_headers.append(("authorization", header))
        return [Handshake()]

    @each_within
    def list_flights(self, call: Call, criteria: bytes) -> Iterable[FlightInfo]:
        return self._flights.listed(self._enter(call), criteria)

    @within
    def get_flight_info(self, call: Call, descriptor: FlightDescriptor) -> FlightInfo:
        with one_moment():
            return self._flights.info(self._enter(call), descriptor)

    @within
    def poll_flight_info(self, call: Call, descriptor: FlightDescriptor) -> PollInfo:
        """Nothing here takes long to describe: every poll is the last one."""
        with one_moment():
            return PollInfo(self._flights.info(self._enter(call), descriptor), progress=1.0)

    @within
    def get_schema(self, call: Call, descriptor: FlightDescriptor) -> pa.Schema:
        with one_moment():
            return self._flights.schema(self._enter(call), descriptor)

    @rows_within
    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        caller = self._enter(call)
        return while_welcome(self._flights.read(caller, ticket), caller.recognise)

    @each_within
    def do_put(self, call: Call, incoming: Incoming) -> Iterable[bytes]:
        return put(self._statements, self._enter(call), incoming)

    @rows_within
    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        caller = self._enter(call, call.header("airport-operation"))
        return exchange(self._statements, caller, incoming)

    @each_within
    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        caller = self._enter(call, action.type)
        return self._registry.answer(self._desk, caller, action)

    def list_actions(self, call: Call) -> Iterable[ActionType]:
        del call
        return iter(self._registry)

    def _enter(self, call: Call, action: str | None = None) -> Caller:
        caller = call.caller
        if not isinstance(caller, Caller):
            raise UnauthenticatedError("nobody was asked who calls")
        caller.account.action = action
        return caller


def _announce(version: CatalogVersion, table: Table, state: TableState) -> pa.Schema:
    statistics = produces_statistics(version, table, state)
    return announced_schema(table, state, statistics=statistics)
