"""What is noted of a request once it is over: for the audit, which has one row for each, and for metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from lakeport.access import AuditEntry
from lakeport.core.status import status_of
from lakeport.rest.answers import Answer
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NamedError

_OK = "OK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A request that was answered. `action` is one of a closed list; `outcome` is told in the words of
    the other doors.
    """

    at_ns: int
    seconds: float
    method: str
    action: str
    status: int
    outcome: str
    bytes_out: int
    bytes_in: int = 0
    identity: str | None = None
    catalog: str | None = None
    namespace: str | None = None
    table: str | None = None
    rows_changed: int = 0
    peer: str | None = None

    def entry(self) -> AuditEntry:
        return AuditEntry(
            at_ns=self.at_ns,
            method=self.method,
            action=self.action,
            outcome=self.outcome,
            identity=self.identity,
            catalog=self.catalog,
            namespace=self.namespace,
            table=self.table,
            rows_changed=self.rows_changed,
            bytes_in=self.bytes_in,
            bytes_out=self.bytes_out,
            ms=self.seconds * 1000,
            peer=self.peer,
        )


Watch: TypeAlias = Callable[[Done], None]


@dataclass(slots=True)
class Account:
    """A request while it runs. There is no desk for who was not recognised."""

    method: str
    action: str
    peer: str | None
    desk: Desk | None = None
    failure: Exception | None = None
    _at_ns: int = field(default_factory=time.time_ns)
    _began: float = field(default_factory=time.perf_counter)

    def done(self, answer: Answer) -> Done:
        desk = self.desk
        done = Done(
            at_ns=self._at_ns,
            seconds=time.perf_counter() - self._began,
            method=self.method,
            action=self.action,
            status=answer.status,
            outcome=outcome_of(self.failure),
            bytes_out=len(answer.body),
            peer=self.peer,
        )
        if desk is None:
            return done
        return replace(
            done,
            outcome=done.outcome if desk.outcome is None else desk.outcome.name,
            bytes_in=len(desk.body),
            identity=desk.identity.name or None,
            catalog=desk.catalog.name,
            namespace=desk.namespace,
            table=desk.table,
            rows_changed=desk.rows_changed,
        )


def outcome_of(error: Exception | None) -> str:
    if error is None:
        return _OK
    return status_of(error.error if isinstance(error, NamedError) else error).grpc.name
