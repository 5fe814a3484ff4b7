"""A table's whole history as one immutable value, and how it grows by one snapshot.

Readers take the timeline once and see one consistent table for as long as they like; writers compute
the next timeline from it and swap it in (`store.py`). Columns have ids that survive a rename, so that
a statement begun before one still finds its columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from lakeport.catalog.definition import Definition, require_column
from lakeport.catalog.history import ACTOR, STATEMENT
from lakeport.catalog.memory.segments import Segment
from lakeport.catalog.ports import ColumnStatistics, Ref, SnapshotInfo, TableState, WriteContext
from lakeport.core.names import TableName


@dataclass(frozen=True, slots=True)
class Shape:
    """A definition, its number in the table's life, and the identity of each of its columns."""

    definition: Definition
    schema_id: int
    column_ids: tuple[int, ...]

    def id_of(self, name: str) -> int:
        return self.column_ids[require_column(self.definition.schema, name)]

    def index_of(self, column_id: int) -> int | None:
        return self.column_ids.index(column_id) if column_id in self.column_ids else None


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    info: SnapshotInfo
    version: int
    shape: Shape
    segments: tuple[Segment, ...]
    # By column; filled in when somebody asks.
    statistics: dict[int, ColumnStatistics] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a commit brings along: its id, its moment, and who made it."""

    snapshot_id: int
    timestamp_ns: int
    context: WriteContext


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """`snapshots` by version, oldest first, without the expired ones."""

    uuid: str
    name: TableName
    first: Shape
    shape: Shape
    next_column_id: int = 0
    next_segment_key: int = 0
    version: int = 0
    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    refs: Mapping[str, Ref] = field(default_factory=dict)
    is_dropped: bool = False

    @property
    def head(self) -> Snapshot | None:
        return self.snapshots.get(self.version)

    @property
    def segments(self) -> tuple[Segment, ...]:
        head = self.head
        return head.segments if head is not None else ()

    def state(self) -> TableState:
        return self.state_of(self.head, self.shape)

    def state_of(self, snapshot: Snapshot | None, shape: Shape) -> TableState:
        return TableState(
            uuid=self.uuid,
            name=self.name,
            definition=shape.definition,
            schema_id=shape.schema_id,
            snapshot_id=None if snapshot is None else snapshot.info.snapshot_id,
            version=0 if snapshot is None else snapshot.version,
        )

    def by_id(self, snapshot_id: int) -> Snapshot | None:
        for snapshot in reversed(self.snapshots.values()):
            if snapshot.info.snapshot_id == snapshot_id:
                return snapshot
        return None

    def grow(
        self,
        operation: str,
        stamp: Stamp,
        *,
        kept: Sequence[Segment],
        added: Sequence[pa.RecordBatch] = (),
        shape: Shape | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> Timeline:
        """The timeline with one more snapshot: segments that stay, and rows that are new."""
        parent, shape, version = self.head, shape or self.shape, self.version + 1
        fresh = (Segment(self.next_segment_key + i, rows) for i, rows in enumerate(added))
        segments = (*kept, *fresh)
        earliest = parent.info.timestamp_ns if parent is not None else stamp.timestamp_ns
        info = SnapshotInfo(
            snapshot_id=stamp.snapshot_id,
            version=version,
            # Time travel needs moments in the order of versions, whatever the clock does.
            timestamp_ns=max(stamp.timestamp_ns, earliest),
            operation=operation,
            schema_id=shape.schema_id,
            summary=_summary(stamp.context, segments, counts or {}),
            parent_id=parent.info.snapshot_id if parent is not None else None,
        )
        return replace(
            self,
            shape=shape,
            next_column_id=max(self.next_column_id, max(shape.column_ids) + 1),
            next_segment_key=self.next_segment_key + len(added),
            version=version,
            snapshots={**self.snapshots, version: Snapshot(info, version, shape, segments)},
        )


def _summary(
    context: WriteContext, segments: tuple[Segment, ...], counts: Mapping[str, int]
) -> dict[str, str]:
    known = {ACTOR: context.actor, STATEMENT: context.statement}
    return {
        **context.summary,
        **{key: value for key, value in known.items() if value is not None},
        **{key: str(count) for key, count in counts.items()},
        "total-records": str(sum(segment.live_count for segment in segments)),
    }
