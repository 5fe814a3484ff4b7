"""Transaction ids: made for every DuckDB transaction, held in no register (decision 20).

Any well-formed id is accepted, because another replica may have given it out. The client never says
commit or rollback: an id's status is the outcome of its last change of rows, by DoExchange, DoPut or the
action `Delete`, which the audit knows.
"""

from __future__ import annotations

import uuid
from typing import Literal, Protocol, TypeAlias

from lakeport.core.errors import InvalidRequestError

Status: TypeAlias = Literal["active", "committed", "aborted"]

MANAGER = "the transaction manager"
"""How its failures are told."""

_TEXT_LENGTH = 36


class Outcomes(Protocol):
    """What became of a transaction's last change of rows: "OK", a gRPC code's name, None before any."""

    def last_outcome(self, transaction_id: str) -> str | None: ...


class TransactionManager(Protocol):
    """Whoever keeps transactions of their own behind a catalog, told of ours by their ids.

    The client sends neither COMMIT nor ROLLBACK: every statement that changes rows is committed or rolled
    back by itself, and a transaction that only reads ends without a word. `begin` is asked for at the start
    of every transaction, so it must be quick and hold no lock.
    """

    def begin(self, transaction_id: str, catalog: str) -> None: ...

    def commit(self, transaction_id: str, catalog: str) -> None: ...

    def rollback(self, transaction_id: str, catalog: str) -> None: ...

    def status(self, transaction_id: str) -> Status | None:
        """None: it knows no such transaction."""
        ...


def new_transaction_id() -> str:
    return str(uuid.uuid4())


def require_transaction_id(text: str) -> str:
    """The id in its canonical spelling."""
    try:
        found = uuid.UUID(text) if len(text) == _TEXT_LENGTH else None
    except ValueError:
        found = None
    if found is None:
        raise InvalidRequestError(
            "the transaction id is malformed", hint="use one that `create_transaction` returned"
        )
    return str(found)


def transaction_status(transaction_id: str, outcomes: Outcomes | None) -> Status:
    outcome = None if outcomes is None else outcomes.last_outcome(transaction_id)
    if outcome is None:
        return "active"
    return "committed" if outcome == "OK" else "aborted"
