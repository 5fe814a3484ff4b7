"""Who calls, what they see, and what the call turned out to be about.

Made once per call, before anything of the request is looked at: the audit row of a refused call is
written like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lakeport.access import AuditEntry, Identity
from lakeport.airport.visible import Visible
from lakeport.catalog.ports import Catalog
from lakeport.core.names import TableName
from lakeport.flight.call import Call


@dataclass(slots=True)
class Account:
    """What is noted of a call while it runs."""

    action: str | None = None
    identity: str | None = None
    catalog: str | None = None
    namespace: str | None = None
    table: str | None = None

    def note(self, catalog: str, name: TableName) -> None:
        self.catalog, self.namespace, self.table = catalog, name.namespace, name.table

    def note_namespace(self, catalog: str, namespace: str) -> None:
        self.catalog, self.namespace = catalog, namespace

    def entry(self, call: Call, started_ns: int) -> AuditEntry:
        traffic = call.traffic
        return AuditEntry(
            at_ns=started_ns,
            identity=self.identity,
            method=str(call.method),
            action=self.action,
            catalog=self.catalog,
            namespace=self.namespace,
            table=self.table,
            rows_in=traffic.rows_in,
            rows_out=traffic.rows_out,
            bytes_in=traffic.bytes_in,
            bytes_out=traffic.bytes_out,
            ms=(call.seconds or 0.0) * 1000,
            outcome="OK" if call.code is None else call.code.name,
            trace_id=call.header("airport-trace-id"),
            session_id=call.header("airport-client-session-id"),
            transaction_id=call.header("airport-transaction-id"),
            peer=call.peer or None,
        )


def keep_account(call: Call, record: Callable[[AuditEntry], None] | None) -> Account:
    account = Account()
    if record is not None:
        started = time.time_ns()
        call.on_end(lambda: record(account.entry(call, started)))
    return account


@dataclass(frozen=True, slots=True)
class Caller:
    call: Call
    identity: Identity
    visible: Visible
    account: Account = field(default_factory=Account)

    def called(self, catalog: Catalog, named: str | None = None) -> str:
        """The catalog's name as the client attached it: it accepts no other, not even spelling."""
        if self.call.is_airport:
            return self.visible.header or named or ""
        return catalog.name
