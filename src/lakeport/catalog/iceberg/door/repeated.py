"""Commits that come a second time: the answer to the first was lost on its way, and the client asks again.

DuckDB does so by itself. To be told that somebody else was faster it takes for a commit that was not made,
and removes the files that the table now holds. A snapshot and the uuid of a new table are known by
numbers that are drawn once, so a commit that brings them is known again, also by another process and
after a restart. What brings neither is judged by its requirements alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.door import messages
from lakeport.catalog.iceberg.door.requirements import creates

U = TypeVar("U", bound=messages.Update)


def were_made(commits: Iterable[tuple[messages.Commit, TableMetadata | None]]) -> bool:
    """Of commits that are made as one, with the tables of now: whether they were made before."""
    found = [_was_made(commit, metadata) for commit, metadata in commits]
    return True in found and False not in found


def _was_made(commit: messages.Commit, metadata: TableMetadata | None) -> bool | None:
    """None if nothing in it can tell."""
    if metadata is None:
        return False
    snapshots = [each.snapshot for each in _all(messages.AddSnapshot, commit)]
    uuids = {each.uuid for each in _all(messages.AssignUuid, commit)}
    is_new = creates(commit.requirements)
    if not snapshots and not is_new:
        return None
    known = [(each.snapshot_id, each.manifest_list) for each in metadata.snapshots]
    # What was sent is not checked yet, and can be anything.
    has_all = all((it.get("snapshot-id"), it.get("manifest-list")) in known for it in snapshots)
    return has_all and (not is_new or uuids == {metadata.table_uuid})


def _all(kind: type[U], commit: messages.Commit) -> list[U]:
    return [update for update in commit.updates if isinstance(update, kind)]
