"""Which snapshot a point in time means.

A moment that lies in a gap left by expiry is an error, never the older snapshot before the gap: what
the table held then is no longer known. Before its first snapshot a table was empty; in the future it
still is, by contract, apart from a tolerance for clients whose clock runs ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from lakeport.catalog.memory.timeline import Shape, Snapshot, Timeline
from lakeport.catalog.ports import Ref, TableState
from lakeport.core.errors import ExpiredError, NotFoundError
from lakeport.core.names import quoted
from lakeport.core.timepoint import (
    NANOSECONDS,
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
    format_time,
)

CLOCK_TOLERANCE_NS = 5 * NANOSECONDS

MAIN = "main"
"""The branch every table has, once something was written: its head."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What is read at a point: a snapshot, or nothing in some shape."""

    snapshot: Snapshot | None
    shape: Shape

    def state(self, timeline: Timeline) -> TableState:
        return timeline.state_of(self.snapshot, self.shape)


def find(timeline: Timeline, point: TimePoint | None, now: int) -> Moment:
    match point:
        case None:
            return Moment(timeline.head, timeline.shape)
        case AtVersion():
            return _at_version(timeline, point.version)
        case AtSnapshot():
            return _of(require_snapshot(timeline, point.snapshot_id))
        case AtRef():
            return _of(_at_ref(timeline, point))
        case AtTime():
            return _at_time(timeline, point.nanoseconds, now)
        case _:
            assert_never(point)


def require_snapshot(timeline: Timeline, snapshot_id: int) -> Snapshot:
    snapshot = timeline.by_id(snapshot_id)
    if snapshot is None:
        raise NotFoundError(
            f"table {quoted(str(timeline.name))} has no snapshot {snapshot_id}",
            hint=f"it may have expired; {_left(timeline)}",
        )
    return snapshot


def all_refs(timeline: Timeline) -> tuple[Ref, ...]:
    head = timeline.head
    main = () if head is None else (Ref(MAIN, "branch", head.info.snapshot_id),)
    return main + tuple(timeline.refs.values())


def _of(snapshot: Snapshot) -> Moment:
    return Moment(snapshot, snapshot.shape)


def _at_version(timeline: Timeline, version: int) -> Moment:
    if version == 0:
        return Moment(None, timeline.first)
    if version > timeline.version:
        raise NotFoundError(
            f"table {quoted(str(timeline.name))} has no version {version} yet",
            hint=f"the newest version is {timeline.version}",
        )
    snapshot = timeline.snapshots.get(version)
    if snapshot is None:
        raise _expired(timeline, f"version {version}")
    return _of(snapshot)


def _at_ref(timeline: Timeline, point: AtRef) -> Snapshot:
    refs = {
        ref.name: ref for ref in all_refs(timeline) if point.kind is None or ref.kind == point.kind
    }
    if point.name not in refs:
        where = f"table {quoted(str(timeline.name))}"
        raise NotFoundError.among(point.kind or "ref", point.name, refs, where=where)
    return require_snapshot(timeline, refs[point.name].snapshot_id)


def _at_time(timeline: Timeline, moment: int, now: int) -> Moment:
    if moment > now + CLOCK_TOLERANCE_NS:
        return Moment(None, timeline.shape)
    found: Snapshot | None = None
    for snapshot in reversed(timeline.snapshots.values()):
        if snapshot.info.timestamp_ns <= moment:
            found = snapshot
            break
    version = found.version if found is not None else 0
    if version != timeline.version and version + 1 not in timeline.snapshots:
        raise _expired(timeline, f"the state of {format_time(moment)}")
    return _of(found) if found is not None else Moment(None, timeline.first)


def _expired(timeline: Timeline, what: str) -> ExpiredError:
    return ExpiredError(
        f"{what} of table {quoted(str(timeline.name))} has expired", hint=_left(timeline)
    )


def _left(timeline: Timeline) -> str:
    if not timeline.snapshots:
        return "the table has no snapshot yet"
    oldest = next(iter(timeline.snapshots.values()))
    return (
        f"the oldest version left is {oldest.version}, of {format_time(oldest.info.timestamp_ns)}"
    )
