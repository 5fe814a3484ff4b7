"""A run writes a table once: its id stands in the table's history, and does not come to stand there twice.

A run that seemed dead is started again, and its first commit arrives late; Iceberg's clients would simply
repeat an append on top of the other one. Here the second is overtaken for good, and whoever sent it finds
the first when it looks.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.history import MODEL, RUN_ID
from lakeport.core.errors import ConflictError
from lakeport.core.names import TableName, quoted


def check_once(name: TableName, before: TableMetadata, after: TableMetadata) -> None:
    """`ConflictError` if main moves to a run that main has already. Branches may hold what they like."""
    head = after.current_snapshot()
    if head is None or head.snapshot_id == before.current_snapshot_id:
        return
    run = _run(head)
    if run is None:
        return
    past = list(_main(before))
    is_new = all(snapshot.snapshot_id != head.snapshot_id for snapshot in past)
    if is_new and any(_run(snapshot) == run for snapshot in past):
        raise ConflictError(
            f"Requirement failed: run {quoted(run[0])} has written table {quoted(str(name))} already",
            hint="nothing is left to do",
        )


def _main(metadata: TableMetadata) -> Iterator[Snapshot]:
    known = {snapshot.snapshot_id: snapshot for snapshot in metadata.snapshots}
    at = metadata.current_snapshot_id
    while at is not None and (snapshot := known.pop(at, None)) is not None:
        yield snapshot
        at = snapshot.parent_snapshot_id


def _run(snapshot: Snapshot) -> tuple[str, str | None] | None:
    summary = None if snapshot.summary is None else snapshot.summary.additional_properties
    run = None if summary is None else summary.get(RUN_ID)
    return None if summary is None or run is None else (run, summary.get(MODEL))
