"""Which snapshot a point in time means.

A moment that lies in a gap left by expiry is an error, never the older snapshot before the gap: what
the table held then is no longer known. Before its first snapshot a table was empty; in the future it
still is, by contract, apart from a tolerance for clients whose clock runs ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from lakeport.catalog.history import (
    CLOCK_TOLERANCE_NS,
    MAIN,
    expired,
    find_ref,
    no_snapshot,
    no_version,
)
from lakeport.catalog.memory.timeline import Shape, Snapshot, Timeline
from lakeport.catalog.ports import Ref, SnapshotInfo, TableState
from lakeport.core.timepoint import (
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
    format_time,
)


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
            ref = find_ref(timeline.name, all_refs(timeline), point)
            return _of(require_snapshot(timeline, ref.snapshot_id))
        case AtTime():
            return _at_time(timeline, point.nanoseconds, now)
        case _:
            assert_never(point)


def require_snapshot(timeline: Timeline, snapshot_id: int) -> Snapshot:
    snapshot = timeline.by_id(snapshot_id)
    if snapshot is None:
        raise no_snapshot(timeline.name, snapshot_id, _oldest(timeline))
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
        raise no_version(timeline.name, version, timeline.version)
    snapshot = timeline.snapshots.get(version)
    if snapshot is None:
        raise expired(timeline.name, f"version {version}", _oldest(timeline))
    return _of(snapshot)


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
        raise expired(timeline.name, f"the state of {format_time(moment)}", _oldest(timeline))
    return _of(found) if found is not None else Moment(None, timeline.first)


def _oldest(timeline: Timeline) -> SnapshotInfo | None:
    return next((snapshot.info for snapshot in timeline.snapshots.values()), None)
