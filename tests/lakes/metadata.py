"""A table's state as the JSON object that its metadata file holds, in every format version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.lakes.table import LakeTable, Snapshot


def metadata_json(table: LakeTable) -> dict[str, Any]:
    found: dict[str, Any] = {
        "format-version": table.version,
        "table-uuid": table.uuid,
        "location": table.location,
        "last-updated-ms": table.updated_ms,
        "last-column-id": table.last_column_id,
        "schemas": [json.loads(one.model_dump_json()) for one in table.schemas],
        "current-schema-id": table.schema.schema_id,
        "partition-specs": [one.model_dump(mode="json") for one in table.specs.values()],
        "default-spec-id": table.spec.spec_id,
        "last-partition-id": max(one.last_assigned_field_id for one in table.specs.values()),
        "properties": table.properties,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "snapshots": [_snapshot_json(one, table.version) for one in table.snapshots.values()],
        "snapshot-log": table.log,
        "metadata-log": table.metadata_log,
        "refs": table.refs,
    }
    if table.head is not None:
        found["current-snapshot-id"] = table.head.ident
    if table.version == 1:
        found["schema"] = json.loads(table.schema.model_dump_json())
        found["partition-spec"] = table.spec.model_dump(mode="json")["fields"]
    else:
        found["last-sequence-number"] = table.sequence
    if table.version == 3:
        found["next-row-id"] = table.next_row_id
    return found


def _snapshot_json(snapshot: Snapshot, version: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "snapshot-id": snapshot.ident,
        "timestamp-ms": snapshot.timestamp_ms,
        "summary": {"operation": snapshot.operation},
        "manifest-list": snapshot.manifest_list,
        "schema-id": snapshot.schema.schema_id,
    }
    if snapshot.parent is not None:
        found["parent-snapshot-id"] = snapshot.parent
    if version > 1 and snapshot.sequence:
        found["sequence-number"] = snapshot.sequence
    if version == 3:
        ids = [one.first_row_id for one in snapshot.files if one.first_row_id is not None]
        found["first-row-id"] = max(ids, default=0)
        found["added-rows"] = 0
    return found
