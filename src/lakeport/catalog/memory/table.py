"""A table of the in-memory catalog: a cheap handle with every ability of the ports.

The handle is bound to one table for good. It survives a rename; once the table is dropped it never
means another one that was created under the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeport.catalog.changes import Change
from lakeport.catalog.history import require_new_ref, require_removable_ref
from lakeport.catalog.memory.alter import altered_timeline
from lakeport.catalog.memory.change import Delete, Update
from lakeport.catalog.memory.insert import Insert, Overwrite
from lakeport.catalog.memory.scan import open_split, plan_scan
from lakeport.catalog.memory.statement import written
from lakeport.catalog.memory.statistics import measure
from lakeport.catalog.memory.store import TableStore
from lakeport.catalog.memory.timeline import Timeline
from lakeport.catalog.memory.travel import all_refs, find, require_snapshot
from lakeport.catalog.ports import (
    ColumnStatistics,
    Ref,
    ScanPlan,
    ScanRequest,
    SnapshotInfo,
    Split,
    TableState,
    Write,
    WriteContext,
    Written,
)
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from lakeport.core.timepoint import TimePoint


class MemoryTable:
    def __init__(self, store: TableStore) -> None:
        self._store = store

    @property
    def name(self) -> TableName:
        return self._store.timeline.name

    def state(self) -> TableState:
        return self._store.read().state()

    # -- reading ---------------------------------------------------------------------------------

    def plan(self, request: ScanRequest) -> ScanPlan:
        return plan_scan(self._store.read(), request, self._store.surroundings)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        return open_split(self._store.read(), request, split, self._store.surroundings)

    def state_at(self, point: TimePoint) -> TableState:
        timeline = self._store.read()
        return find(timeline, point, self._store.surroundings.clock()).state(timeline)

    def history(self) -> Sequence[SnapshotInfo]:
        return tuple(snapshot.info for snapshot in self._store.read().snapshots.values())

    def statistics(self, column: str) -> ColumnStatistics:
        return measure(self._store.read(), column)

    # -- writing ---------------------------------------------------------------------------------

    def insert(self, context: WriteContext | None = None) -> Write:
        return Insert(self._store, context)

    def update(self, context: WriteContext | None = None) -> Write:
        return Update(self._store, context)

    def delete(self, context: WriteContext | None = None) -> Write:
        return Delete(self._store, context)

    def truncate(self, context: WriteContext | None = None) -> Written:
        self._store.read()
        rows = 0

        def attempt(timeline: Timeline) -> Timeline:
            nonlocal rows
            rows = sum(segment.live_count for segment in timeline.segments)
            stamp = self._store.surroundings.stamp(context)
            counts = {"deleted-records": rows}
            return timeline.grow("delete", stamp, kept=(), counts=counts) if rows else timeline

        return written(self._store.commit(attempt), rows, is_noop=not rows)

    def overwrite(self, context: WriteContext | None = None) -> Write:
        return Overwrite(self._store, context)

    def alter(self, changes: Sequence[Change], context: WriteContext | None = None) -> TableState:
        before = self._store.read()

        def attempt(timeline: Timeline) -> Timeline:
            stamp = self._store.surroundings.stamp(context)
            return altered_timeline(timeline, changes, stamp)

        done = self._store.commit(attempt)
        if done.shape is not before.shape:
            self._store.surroundings.definitions.bump()
        return done.state()

    # -- keeping history -------------------------------------------------------------------------

    def refs(self) -> Sequence[Ref]:
        return all_refs(self._store.read())

    def create_ref(self, ref: Ref) -> None:
        self._store.read()

        def attempt(timeline: Timeline) -> Timeline:
            require_new_ref(timeline.name, timeline.refs.values(), ref.name)
            require_snapshot(timeline, ref.snapshot_id)
            return replace(timeline, refs={**timeline.refs, ref.name: ref})

        self._store.commit(attempt)

    def drop_ref(self, name: str) -> None:
        self._store.read()

        def attempt(timeline: Timeline) -> Timeline:
            require_removable_ref(timeline.name, timeline.refs.values(), name)
            refs = {known: ref for known, ref in timeline.refs.items() if known != name}
            return replace(timeline, refs=refs)

        self._store.commit(attempt)

    def expire(
        self,
        *,
        keep: int,
        older_than: int | None = None,
        context: WriteContext | None = None,  # noqa: ARG002 # leaves no snapshot to note it in
    ) -> int:
        if keep < 1:
            raise InvalidRequestError(
                f"cannot keep {keep} snapshots", hint="the newest one always stays: keep 1 or more"
            )
        self._store.read()
        gone = 0

        def attempt(timeline: Timeline) -> Timeline:
            nonlocal gone
            held = {ref.snapshot_id for ref in timeline.refs.values()}
            newest = set(list(timeline.snapshots)[-keep:])
            left = {
                version: snapshot
                for version, snapshot in timeline.snapshots.items()
                if version in newest
                or snapshot.info.snapshot_id in held
                or (older_than is not None and snapshot.info.timestamp_ns >= older_than)
            }
            gone = len(timeline.snapshots) - len(left)
            return replace(timeline, snapshots=left) if gone else timeline

        self._store.commit(attempt)
        return gone
