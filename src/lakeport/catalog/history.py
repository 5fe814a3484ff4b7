"""What every storage says alike about a table's past: the tolerance of clocks, and the refusals.

A version above the newest was never there; a snapshot that is gone may have expired; what lies in a
gap that expiry left is an error and never the older state before the gap.
"""

from __future__ import annotations

from collections.abc import Iterable

from lakeport.catalog.ports import Ref, SnapshotInfo
from lakeport.core.errors import (
    AlreadyExistsError,
    ExpiredError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import NANOSECONDS, AtRef, format_time

CLOCK_TOLERANCE_NS = 5 * NANOSECONDS
"""How far ahead of ours a client's clock may run before its "now" counts as the future."""

ACTOR, STATEMENT = "lakeport.actor", "lakeport.statement"
"""Who made a snapshot and with what, in its summary; `lakeport.` as other engines read it, too."""

RUN_ID, MODEL = "lakeport.run-id", "lakeport.model"
"""Which run of a pipeline made a snapshot, and of which of its models: once in a table's history."""

MAIN = "main"
"""The branch every table has, once something was written: its head."""


def left(oldest: SnapshotInfo | None) -> str:
    """The hint about what can still be read."""
    if oldest is None:
        return "the table has no snapshot yet"
    known = f"version left is {oldest.version}"
    if oldest.version is None:
        known = f"snapshot left is {oldest.snapshot_id}"
    return f"the oldest {known}, of {format_time(oldest.timestamp_ns)}"


def expired(table: TableName, what: str, oldest: SnapshotInfo | None) -> ExpiredError:
    return ExpiredError(f"{what} of table {quoted(str(table))} has expired", hint=left(oldest))


def no_version(table: TableName, version: int, newest: int) -> NotFoundError:
    return NotFoundError(
        f"table {quoted(str(table))} has no version {version} yet",
        hint=f"the newest version is {newest}",
    )


def no_snapshot(table: TableName, snapshot_id: int, oldest: SnapshotInfo | None) -> NotFoundError:
    return NotFoundError(
        f"table {quoted(str(table))} has no snapshot {snapshot_id}",
        hint=f"it may have expired; {left(oldest)}",
    )


def find_ref(table: TableName, refs: Iterable[Ref], point: AtRef) -> Ref:
    known = {ref.name: ref for ref in refs if point.kind is None or ref.kind == point.kind}
    if point.name not in known:
        raise NotFoundError.among(
            point.kind or "ref", point.name, known, where=f"table {quoted(str(table))}"
        )
    return known[point.name]


def require_new_ref(table: TableName, refs: Iterable[Ref], name: str) -> None:
    if name == MAIN or any(ref.name == name for ref in refs):
        raise AlreadyExistsError(
            f"table {quoted(str(table))} already has a ref {quoted(name)}",
            hint="drop it first, or choose another name",
        )


def require_removable_ref(table: TableName, refs: Iterable[Ref], name: str) -> Ref:
    if name == MAIN:
        raise InvalidRequestError(f"the branch {quoted(MAIN)} is the table itself")
    return find_ref(table, (ref for ref in refs if ref.name != MAIN), AtRef(name))
