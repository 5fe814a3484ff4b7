"""What engines send, as Iceberg's REST protocol spells it. Shapes and types are checked, nothing else.

Schemas, partition specs, sort orders and snapshots are left as they came: PyIceberg's models know those
(`parts.py`). What the protocol calls by two names, an older and a newer one, is read by both.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType, field

_Object = dict[str, Any]


class Update(Struct, tag_field="action", frozen=True, rename="kebab"):
    """One change of a table's metadata."""


class AssignUuid(Update, tag="assign-uuid", frozen=True):
    uuid: UUID


class UpgradeFormatVersion(Update, tag="upgrade-format-version", frozen=True):
    format_version: int


class AddSchema(Update, tag="add-schema", frozen=True):
    schema: _Object
    last_column_id: int | None = None


class SetCurrentSchema(Update, tag="set-current-schema", frozen=True):
    schema_id: int


class RemoveSchemas(Update, tag="remove-schemas", frozen=True):
    schema_ids: list[int]


class AddSpec(Update, tag="add-spec", frozen=True):
    spec: _Object


class SetDefaultSpec(Update, tag="set-default-spec", frozen=True):
    spec_id: int


class RemovePartitionSpecs(Update, tag="remove-partition-specs", frozen=True):
    spec_ids: list[int]


class AddSortOrder(Update, tag="add-sort-order", frozen=True):
    sort_order: _Object


class SetDefaultSortOrder(Update, tag="set-default-sort-order", frozen=True):
    sort_order_id: int


class AddSnapshot(Update, tag="add-snapshot", frozen=True):
    snapshot: _Object


class SetSnapshotRef(Update, tag="set-snapshot-ref", frozen=True):
    ref_name: str
    type: str
    snapshot_id: int
    max_ref_age_ms: int | None = None
    max_snapshot_age_ms: int | None = None
    min_snapshots_to_keep: int | None = None


class RemoveSnapshots(Update, tag="remove-snapshots", frozen=True):
    snapshot_ids: list[int]


class RemoveSnapshotRef(Update, tag="remove-snapshot-ref", frozen=True):
    ref_name: str


class SetLocation(Update, tag="set-location", frozen=True):
    location: str


class SetProperties(Update, tag="set-properties", frozen=True):
    updates: dict[str, str] | UnsetType = UNSET
    updated: dict[str, str] | UnsetType = UNSET


class RemoveProperties(Update, tag="remove-properties", frozen=True):
    removals: list[str] | UnsetType = UNSET
    removed: list[str] | UnsetType = UNSET


class SetStatistics(Update, tag="set-statistics", frozen=True):
    statistics: _Object


class RemoveStatistics(Update, tag="remove-statistics", frozen=True):
    snapshot_id: int


class SetPartitionStatistics(Update, tag="set-partition-statistics", frozen=True):
    partition_statistics: _Object


class RemovePartitionStatistics(Update, tag="remove-partition-statistics", frozen=True):
    snapshot_id: int


class AddEncryptionKey(Update, tag="add-encryption-key", frozen=True):
    encryption_key: _Object


class RemoveEncryptionKey(Update, tag="remove-encryption-key", frozen=True):
    key_id: str


class Requirement(Struct, tag_field="type", frozen=True, rename="kebab"):
    """What must be so for a change to be made."""


class AssertCreate(Requirement, tag="assert-create", frozen=True):
    pass


class AssertTableUuid(Requirement, tag="assert-table-uuid", frozen=True):
    uuid: UUID


class AssertRefSnapshotId(Requirement, tag="assert-ref-snapshot-id", frozen=True):
    ref: str
    snapshot_id: int | None = None


class AssertLastAssignedFieldId(Requirement, tag="assert-last-assigned-field-id", frozen=True):
    last_assigned_field_id: int


class AssertCurrentSchemaId(Requirement, tag="assert-current-schema-id", frozen=True):
    current_schema_id: int


class AssertLastAssignedPartitionId(
    Requirement, tag="assert-last-assigned-partition-id", frozen=True
):
    last_assigned_partition_id: int | None


class AssertDefaultSpecId(Requirement, tag="assert-default-spec-id", frozen=True):
    default_spec_id: int


class AssertDefaultSortOrderId(Requirement, tag="assert-default-sort-order-id", frozen=True):
    default_sort_order_id: int


AnyUpdate = (
    AssignUuid
    | UpgradeFormatVersion
    | AddSchema
    | SetCurrentSchema
    | RemoveSchemas
    | AddSpec
    | SetDefaultSpec
    | RemovePartitionSpecs
    | AddSortOrder
    | SetDefaultSortOrder
    | AddSnapshot
    | SetSnapshotRef
    | RemoveSnapshots
    | RemoveSnapshotRef
    | SetLocation
    | SetProperties
    | RemoveProperties
    | SetStatistics
    | RemoveStatistics
    | SetPartitionStatistics
    | RemovePartitionStatistics
    | AddEncryptionKey
    | RemoveEncryptionKey
)
AnyRequirement = (
    AssertCreate
    | AssertTableUuid
    | AssertRefSnapshotId
    | AssertLastAssignedFieldId
    | AssertCurrentSchemaId
    | AssertLastAssignedPartitionId
    | AssertDefaultSpecId
    | AssertDefaultSortOrderId
)


class Commit(Struct, frozen=True):
    requirements: list[AnyRequirement] = field(default_factory=list)
    updates: list[AnyUpdate] = field(default_factory=list)


class RawCommit(Struct, frozen=True):
    """The same for who passes it on."""

    requirements: list[_Object] = field(default_factory=list)
    updates: list[_Object] = field(default_factory=list)


class CreateTable(Struct, frozen=True, rename="kebab"):
    name: str
    schema: _Object
    location: str | None = None
    partition_spec: _Object | None = None
    write_order: _Object | None = None
    stage_create: bool | None = None
    properties: dict[str, str] | None = None
