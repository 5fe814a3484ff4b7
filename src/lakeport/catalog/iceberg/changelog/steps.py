"""The commits between two points of a table, each with the snapshot that it came after.

What `main` pointed at, one after the other, is in the snapshot log, rollbacks included. Points on other
branches are joined by their ancestors, and those that are not related at all by one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Operation, Snapshot, ancestors_of

from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.travel import version_of
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted


@dataclass(frozen=True, slots=True)
class Step:
    before: Snapshot | None
    after: Snapshot

    @property
    def is_upkeep(self) -> bool:
        """Iceberg's `replace` writes the same rows anew."""
        summary = self.after.summary
        follows = self.after.parent_snapshot_id == (self.before and self.before.snapshot_id)
        return follows and summary is not None and summary.operation == Operation.REPLACE


def steps_between(source: Source, since: Snapshot | None, until: Snapshot | None) -> list[Step]:
    """None is the table before its first snapshot."""
    if _id(since) == _id(until):
        return []
    if until is None or (version_of(until) or 0) < (version_of(since) or 0):
        raise InvalidRequestError(
            f"the changes of table {quoted(str(source.name))} are wanted up to a point before the first",
            hint="the earlier point comes first",
        )
    line = _line(source.metadata, since, until)
    steps = [Step(before, after) for before, after in pairwise(line) if after is not None]
    return [step for step in steps if not step.is_upkeep]


def _line(
    metadata: TableMetadata, since: Snapshot | None, until: Snapshot
) -> Sequence[Snapshot | None]:
    logged = _logged(metadata, since, until)
    if logged is not None:
        return logged
    family = list(ancestors_of(until, metadata))
    ids = [snapshot.snapshot_id for snapshot in family]
    if since is None:
        return [None, *reversed(family)]
    if since.snapshot_id in ids:
        return list(reversed(family[: ids.index(since.snapshot_id) + 1]))
    return [since, until]


def _logged(
    metadata: TableMetadata, since: Snapshot | None, until: Snapshot
) -> Sequence[Snapshot | None] | None:
    """What `main` was between the two; None if it was not both of them, in this order."""
    ids = [entry.snapshot_id for entry in metadata.snapshot_log]
    if until.snapshot_id not in ids:
        return None
    end = len(ids) - ids[::-1].index(until.snapshot_id)
    first = 0
    if since is not None:
        if since.snapshot_id not in ids[:end]:
            return None
        first = end - ids[:end][::-1].index(since.snapshot_id) - 1
    left = (metadata.snapshot_by_id(each) for each in ids[first:end])
    found = [snapshot for snapshot in left if snapshot is not None]
    return [None, *found] if since is None else found


def _id(snapshot: Snapshot | None) -> int | None:
    return None if snapshot is None else snapshot.snapshot_id
