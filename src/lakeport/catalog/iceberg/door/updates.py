"""Which function applies which update; what needs Iceberg's third format is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from lakeport.catalog.iceberg.door import history, layout, messages
from lakeport.catalog.iceberg.door.draft import Draft
from lakeport.core.errors import InvalidRequestError


def apply(draft: Draft, updates: Iterable[messages.AnyUpdate]) -> None:
    for update in updates:
        _APPLIED_BY[type(update)](draft, update)


def _refuse_encryption(_draft: Draft, _update: object) -> NoReturn:
    raise InvalidRequestError(
        "keys of encrypted tables belong to Iceberg format 3, which cannot be written here",
        hint="leave them out, and let the storage encrypt its files",
    )


_APPLIED_BY: dict[type[messages.Update], Callable[[Draft, Any], None]] = {
    messages.AssignUuid: layout.assign_uuid,
    messages.UpgradeFormatVersion: layout.upgrade_format_version,
    messages.SetLocation: layout.set_location,
    messages.SetProperties: layout.set_properties,
    messages.RemoveProperties: layout.remove_properties,
    messages.AddSchema: layout.add_schema,
    messages.SetCurrentSchema: layout.set_current_schema,
    messages.RemoveSchemas: layout.remove_schemas,
    messages.AddSpec: layout.add_spec,
    messages.SetDefaultSpec: layout.set_default_spec,
    messages.RemovePartitionSpecs: layout.remove_partition_specs,
    messages.AddSortOrder: layout.add_sort_order,
    messages.SetDefaultSortOrder: layout.set_default_sort_order,
    messages.AddSnapshot: history.add_snapshot,
    messages.RemoveSnapshots: history.remove_snapshots,
    messages.SetSnapshotRef: history.set_snapshot_ref,
    messages.RemoveSnapshotRef: history.remove_snapshot_ref,
    messages.SetStatistics: history.set_statistics,
    messages.RemoveStatistics: history.remove_statistics,
    messages.SetPartitionStatistics: history.set_partition_statistics,
    messages.RemovePartitionStatistics: history.remove_partition_statistics,
    messages.AddEncryptionKey: _refuse_encryption,
    messages.RemoveEncryptionKey: _refuse_encryption,
}
