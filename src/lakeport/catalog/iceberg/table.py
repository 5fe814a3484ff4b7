"""A table of an Iceberg catalog: a name, and every ability of reading and writing.

The handle is cheap and live. It means whatever the catalog holds under its name: nothing once the table
was dropped, another table (with another uuid) if one was created in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager

from lakeport.catalog.changelog import ChangedRows, Changelog
from lakeport.catalog.changes import Change
from lakeport.catalog.definition import Constraint
from lakeport.catalog.delegation import Lent
from lakeport.catalog.iceberg.alter.alter import alter
from lakeport.catalog.iceberg.broken import broken_rules
from lakeport.catalog.iceberg.change.delete import Delete
from lakeport.catalog.iceberg.change.overwrite import Overwrite
from lakeport.catalog.iceberg.change.truncate import truncate
from lakeport.catalog.iceberg.change.update import Update
from lakeport.catalog.iceberg.changelog import changes_between
from lakeport.catalog.iceberg.definition import as_of
from lakeport.catalog.iceberg.metadata import Loaded
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.plan import plan_scan
from lakeport.catalog.iceberg.references import lend
from lakeport.catalog.iceberg.refs import create_ref, drop_ref
from lakeport.catalog.iceberg.rewind import rewinding
from lakeport.catalog.iceberg.scan import open_split
from lakeport.catalog.iceberg.state import state_of
from lakeport.catalog.iceberg.statistics import column_statistics
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.travel import (
    Moment,
    all_refs,
    find,
    history_of,
    moment_of_split,
)
from lakeport.catalog.iceberg.upkeep.compact import compact
from lakeport.catalog.iceberg.upkeep.due import due
from lakeport.catalog.iceberg.upkeep.expire import Keep, expire, keep_by
from lakeport.catalog.iceberg.upkeep.manifests import rewrite_manifests
from lakeport.catalog.iceberg.upkeep.orphans import find_orphans, remove_orphans
from lakeport.catalog.iceberg.vanished import expired_if_gone, stream_of
from lakeport.catalog.iceberg.write.insert import Insert
from lakeport.catalog.ports import (
    ColumnStatistics,
    Ref,
    Rewind,
    ScanPlan,
    ScanRequest,
    SnapshotInfo,
    Split,
    Storage,
    TableState,
    Write,
    WriteContext,
    Written,
)
from lakeport.catalog.streams import BatchStream
from lakeport.catalog.upkeep import (
    ORPHAN_GRACE,
    Compacted,
    Due,
    Expired,
    Orphan,
    Policy,
    Regrouped,
    Swept,
    Task,
)
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtTime, TimePoint


class IcebergTable:
    def __init__(self, name: TableName, surroundings: Surroundings) -> None:
        self._name = name
        self._surroundings = surroundings

    @property
    def name(self) -> TableName:
        return self._name

    def source(self) -> Source:
        """The state now, with all that reading it needs."""
        return self._surroundings.source(self._name)

    def state(self) -> TableState:
        return self._state(self.source())

    def state_of(self, found: Loaded) -> TableState:
        """What `state` says, of a table that was loaded with others."""
        return self._state(self._surroundings.source_of(self._name, found))

    def storage(self) -> Storage:
        metadata = self.source().metadata
        return Storage(f"iceberg {metadata.format_version}", metadata.location)

    # -- reading ---------------------------------------------------------------------------------

    def plan(self, request: ScanRequest) -> ScanPlan:
        source = self.source()
        moment = self._find(source, request.at)
        with self._unless_expired(moment):
            return plan_scan(as_of(source, moment), moment, request)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        source = self.source()
        moment = moment_of_split(source, request.at, split.snapshot_id)
        with self._unless_expired(moment):
            stream = open_split(as_of(source, moment), moment, request, split)
        return stream_of(stream, split.snapshot_id, self._latest)

    def lend(self, request: ScanRequest) -> Lent | None:
        found = self._surroundings.pointers.load(self._name)
        source = self._surroundings.source_of(self._name, found)
        moment = self._find(source, request.at)
        with self._unless_expired(moment):
            return lend(as_of(source, moment), found.location, moment, request)

    def state_at(self, point: TimePoint) -> TableState:
        source = self.source()
        moment = self._find(source, point)
        return state_of(as_of(source, moment), moment)

    def history(self) -> Sequence[SnapshotInfo]:
        return history_of(self.source().metadata)

    def changes(self, since: TimePoint, until: TimePoint | None = None) -> Changelog:
        source = self.source()
        first, last = (self._find(source, self._until_now(point)) for point in (since, until))
        with self._unless_expired(last):
            log = changes_between(as_of(source, last), first, last)

        def read(names: Sequence[str]) -> Iterator[ChangedRows]:
            # Those between the two go no sooner than the first.
            with self._unless_expired(first), self._unless_expired(last):
                yield from log.read(names)

        return Changelog(log.state, read)

    def statistics(self, column: str) -> ColumnStatistics:
        source = self.source()
        moment = self._find(source, None)
        with self._unless_expired(moment):
            return column_statistics(source, moment, column)

    # -- writing ---------------------------------------------------------------------------------

    def update(self, context: WriteContext | None = None) -> Write:
        return Update(self.source(), self._surroundings.commits, self._latest, context)

    def delete(self, context: WriteContext | None = None) -> Write:
        return Delete(self.source(), self._surroundings.commits, self._latest, context)

    def truncate(self, context: WriteContext | None = None) -> Written:
        return truncate(self.source(), self._surroundings.commits, context)

    def overwrite(self, context: WriteContext | None = None) -> Write:
        return Overwrite(self.source(), self._surroundings.commits, context)

    # -- writing ---------------------------------------------------------------------------------

    def insert(self, context: WriteContext | None = None) -> Insert:
        return Insert(self.source(), self._surroundings.commits, context)

    # -- changing columns ------------------------------------------------------------------------

    def alter(self, changes: Sequence[Change], context: WriteContext | None = None) -> TableState:
        return self._state(alter(self.source(), self._surroundings.commits, changes, context))

    # -- keeping history -------------------------------------------------------------------------

    def refs(self) -> Sequence[Ref]:
        return all_refs(self.source().metadata)

    def create_ref(self, ref: Ref) -> None:
        create_ref(self._surroundings, self._name, ref)

    def drop_ref(self, name: str) -> None:
        drop_ref(self._surroundings, self._name, name)

    def expire(
        self,
        *,
        keep: int,
        older_than: int | None = None,
        context: WriteContext | None = None,  # noqa: ARG002 # leaves no snapshot to note it in
    ) -> int:
        return expire(self._surroundings, self._name, Keep(keep, older_than)).snapshots

    def rewinding(
        self, to: int | None, *, head: int | None, context: WriteContext | None = None
    ) -> AbstractContextManager[Rewind]:
        return rewinding(self._surroundings, self._name, to=to, head=head, context=context)

    # -- upkeep ----------------------------------------------------------------------------------

    def due(
        self, policy: Policy | None = None, tasks: Collection[Task] = tuple(Task)
    ) -> Sequence[Due]:
        return due(self._surroundings, self._name, policy or Policy(), tasks)

    def forget(
        self,
        policy: Policy | None = None,
        context: WriteContext | None = None,  # noqa: ARG002 # leaves no snapshot to note it in
    ) -> Expired:
        source, now = self.source(), self._surroundings.clock()
        keep = keep_by(policy or Policy(), source.metadata, now)
        return expire(self._surroundings, self._name, keep)

    def compact(
        self, policy: Policy | None = None, context: WriteContext | None = None
    ) -> Compacted:
        return compact(self._surroundings, self._name, policy or Policy(), context)

    def rewrite_manifests(
        self, policy: Policy | None = None, context: WriteContext | None = None
    ) -> Regrouped:
        return rewrite_manifests(self._surroundings, self._name, policy or Policy(), context)

    def broken_rules(self) -> Sequence[tuple[Constraint, str]]:
        return broken_rules(self.source().metadata)

    def orphans(self, *, grace: int = ORPHAN_GRACE) -> Iterator[Orphan]:
        return find_orphans(self._surroundings, self._name, grace)

    def remove_orphans(self, *, grace: int = ORPHAN_GRACE) -> Swept:
        return remove_orphans(self._surroundings, self._name, grace)

    def _latest(self) -> Source:
        """The state now, however lately it was asked for."""
        self._surroundings.pointers.forget(self._name)
        return self.source()

    def _until_now(self, point: TimePoint | None) -> TimePoint | None:
        """Of changes, all that there were: nothing has happened in the future."""
        is_ahead = isinstance(point, AtTime) and point.nanoseconds > self._surroundings.clock()
        return None if is_ahead else point

    def _unless_expired(self, moment: Moment) -> AbstractContextManager[None]:
        snapshot = moment.snapshot
        return expired_if_gone(None if snapshot is None else snapshot.snapshot_id, self._latest)

    def _state(self, source: Source) -> TableState:
        return state_of(source, self._find(source, None))

    def _find(self, source: Source, point: TimePoint | None) -> Moment:
        return find(source, point, self._surroundings.clock())
