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


def history_of(table: Table) -> tuple[Commit, ...]:
    source = require(table, Travelable, f"table {quoted(str(table.name))}")
    return tuple(_commit(snapshot) for snapshot in source.history())


def _commit(snapshot: SnapshotInfo) -> Commit:
    return Commit(
        snapshot_id=snapshot.snapshot_id,
        version=snapshot.version,
        timestamp=format_time(snapshot.timestamp_ns),
        operation=snapshot.operation,
        summary=dict(snapshot.summary),
    )
