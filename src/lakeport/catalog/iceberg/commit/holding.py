"""Whether a table is already as some updates would make it, by whoever made it so.

A change without a snapshot has no id to be recognised by. After an outcome that is not known, a table that
is as it was asked for needs no second attempt: making a tag again would say that it is there already.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import (
    RemovePropertiesUpdate,
    RemoveSnapshotRefUpdate,
    RemoveSnapshotsUpdate,
    SetPropertiesUpdate,
    SetSnapshotRefUpdate,
    TableUpdate,
)


def holds(metadata: TableMetadata, updates: Iterable[TableUpdate]) -> bool:
    return all(_holds(metadata, update) for update in updates)


def _holds(metadata: TableMetadata, update: TableUpdate) -> bool:
    """False for kinds of updates that cannot be told from what was there before."""
    match update:
        case SetPropertiesUpdate():
            return update.updates.items() <= metadata.properties.items()
        case RemovePropertiesUpdate():
            return not metadata.properties.keys() & set(update.removals)
        case RemoveSnapshotRefUpdate():
            return update.ref_name not in metadata.refs
        case RemoveSnapshotsUpdate():
            known = {snapshot.snapshot_id for snapshot in metadata.snapshots}
            return not known & set(update.snapshot_ids)
        case SetSnapshotRefUpdate():
            found = metadata.refs.get(update.ref_name)
            return found is not None and (found.snapshot_id, found.snapshot_ref_type) == (
                update.snapshot_id,
                update.type,
            )
    return False
