"""What is noted of a call while it runs, and its one row in the audit.

The row is written when the call ends. Of a call that changes something it is written with the change:
whoever has the last message may ask at once what became of the transaction, and a client that leaves
while its change is being committed must not make the row say that nothing was.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lakeport.access import AuditEntry
from lakeport.airport.transactions import require_transaction_id
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from lakeport.flight.call import Call

_OK = "OK"


@dataclass(slots=True)
class Account:
    action: str | None = None
    identity: str | None = None
    catalog: str | None = None
    namespace: str | None = None
    table: str | None = None
    rows_changed: int = 0
    _write: Callable[[str | None], None] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_deciding: bool = False
    _is_over: bool = False

    def note_catalog(self, catalog: str) -> None:
        self.catalog = catalog

    def note(self, catalog: str, name: TableName) -> None:
        self.catalog, self.namespace, self.table = catalog, name.namespace, name.table

    def note_namespace(self, catalog: str, namespace: str) -> None:
        self.catalog, self.namespace = catalog, namespace

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Around a commit. Where it raises nothing was changed, and the row says what the call did."""
        with self._lock:
            self._is_deciding = True
        outcome = None
        try:
            yield
            outcome = _OK
        finally:
            with self._lock:
                self._is_deciding = False
                is_due = outcome is not None or self._is_over
            if is_due:
                self._record(outcome)

    def over(self) -> None:
        """The call has ended."""
        with self._lock:
            self._is_over = True
            is_due = not self._is_deciding
        if is_due:
            self._record(None)

    def _record(self, outcome: str | None) -> None:
        """Once. What writes it is let go, because it holds on to this account and the call."""
        with self._lock:
            write, self._write = self._write, None
        if write is not None:
            write(outcome)

    def entry(self, call: Call, started_ns: int, outcome: str | None) -> AuditEntry:
        """`outcome` is what is known to have come of it, None where the call's own code says that."""
        traffic = call.traffic
        seconds = time.monotonic() - call.started if call.seconds is None else call.seconds
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
            rows_changed=self.rows_changed,
            bytes_in=traffic.bytes_in,
            bytes_out=traffic.bytes_out,
            ms=seconds * 1000,
            outcome=outcome or (_OK if call.code is None else call.code.name),
            trace_id=call.header("airport-trace-id"),
            session_id=call.header("airport-client-session-id"),
            transaction_id=_spelled(call.header("airport-transaction-id")),
            peer=call.peer or None,
        )


def _spelled(transaction: str | None) -> str | None:
    """As it is asked for later; what is no id stays what it is."""
    try:
        return transaction and require_transaction_id(transaction)
    except InvalidRequestError:
        return transaction


def keep_account(call: Call, record: Callable[[AuditEntry], None]) -> Account:
    account = Account()
    started = time.time_ns()
    account._write = lambda outcome: record(account.entry(call, started, outcome))  # noqa: SLF001
    call.on_end(account.over)
    return account
