"""A table's snapshots, oldest first, as every face shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakeport.catalog.ports import SnapshotInfo, Table, Travelable, require
from lakeport.core.names import quoted
from lakeport.core.timepoint import format_time


@dataclass(frozen=True, slots=True)
class Commit:
    """`version` is None for a snapshot written before versions were counted (Iceberg format 1)."""

    snapshot_id: int
    version: int | None
    timestamp: str
    operation: str
    summary: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recorded(Commit):
    """With what programs want of it, too: the exact moment, its columns, the commit before it."""

    timestamp_ns: int
    schema_id: int
    parent_id: int | None

    def snapshot(self) -> SnapshotInfo:
        return SnapshotInfo(
            self.snapshot_id,
            self.version,
            self.timestamp_ns,
            self.operation,
            self.schema_id,
            self.summary,
            self.parent_id,
        )


def history_of(table: Table) -> tuple[Commit, ...]:
    return tuple(
        Commit(each.snapshot_id, each.version, each.timestamp, each.operation, each.summary)
        for each in records_of(table)
    )


def records_of(table: Table) -> tuple[Recorded, ...]:
    source = require(table, Travelable, f"table {quoted(str(table.name))}")
    return tuple(_recorded(snapshot) for snapshot in source.history())


def _recorded(snapshot: SnapshotInfo) -> Recorded:
    return Recorded(
        snapshot_id=snapshot.snapshot_id,
        version=snapshot.version,
        timestamp=format_time(snapshot.timestamp_ns),
        operation=snapshot.operation,
        summary=dict(snapshot.summary),
        timestamp_ns=snapshot.timestamp_ns,
        schema_id=snapshot.schema_id,
        parent_id=snapshot.parent_id,
    )
