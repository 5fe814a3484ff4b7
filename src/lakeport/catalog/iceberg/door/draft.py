"""A table's next metadata, while the updates of a commit are applied to it one after the other.

The rules are those of Iceberg's reference implementation, which engines are written against: ids of what
is added are the table's to give, -1 means what was added last, and what is there already is not added
again. What no update touches is shared with the metadata before.
"""

from __future__ import annotations

from uuid import UUID, uuid4

from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import PARTITION_FIELD_ID_START
from pyiceberg.table.metadata import (
    TableMetadata,
    TableMetadataUtil,
    TableMetadataV1,
    TableMetadataV2,
)
from pyiceberg.table.snapshots import SnapshotLogEntry
from pyiceberg.table.update import _update_table_metadata_log

from lakeport.catalog.iceberg.door.parts import check_format, understanding
from lakeport.core.errors import InvalidRequestError

LAST_ADDED = -1


class Draft:
    """Of a table that is there. `now` is the time in milliseconds."""

    def __init__(self, before: TableMetadata, now: int) -> None:
        self.now = now
        self.is_changed = False
        self.format_version: int = before.format_version
        self.uuid: UUID = before.table_uuid
        self.location = before.location
        self.schemas = list(before.schemas)
        self.current_schema_id = before.current_schema_id
        self.last_column_id = before.last_column_id
        self.specs = list(before.partition_specs)
        self.default_spec_id = before.default_spec_id
        self.last_partition_id = before.last_partition_id
        self.orders = list(before.sort_orders)
        self.default_order_id = before.default_sort_order_id
        self.properties = dict(before.properties)
        self.snapshots = before.snapshots
        self.current_snapshot_id = before.current_snapshot_id
        self.last_sequence_number: int = getattr(before, "last_sequence_number", 0)
        self.log = before.snapshot_log
        self.refs = dict(before.refs)
        self.statistics = list(before.statistics)
        self.partition_statistics = list(before.partition_statistics)
        # What this commit did, for -1 and for the log.
        self.added_schema_id: int | None = None
        self.added_spec_id: int | None = None
        self.added_order_id: int | None = None
        self.added_snapshots: set[int] = set()
        self.renumbered: set[int] = set()
        self.is_new = False
        self._before = before

    @classmethod
    def of_nothing(cls, format_version: int, now: int) -> Draft:
        """Of a table that is to be made."""
        check_format(format_version)
        # Models are not checked here: there is no schema yet.
        empty = TableMetadataV2.model_construct(
            location="",
            table_uuid=uuid4(),
            last_column_id=0,
            current_schema_id=LAST_ADDED,
            default_spec_id=LAST_ADDED,
            default_sort_order_id=LAST_ADDED,
            last_partition_id=PARTITION_FIELD_ID_START - 1,
            last_updated_ms=now,
        )
        draft = cls(empty, now)
        draft.format_version = format_version
        draft.is_new = True
        return draft

    def finished(self, location: str | None) -> TableMetadata:
        """`location` is that of the metadata before, for the log of older files."""
        check_format(self.format_version)
        self._settle_log()
        with understanding("what the updates make of the table"):
            after = self._made()
            if location is not None:
                after = _update_table_metadata_log(after, location, self._before.last_updated_ms)
            after.spec().check_compatible(after.schema())
            after.sort_order().check_compatible(after.schema())
        return after

    def _made(self) -> TableMetadata:
        stamps = [self.now, *(entry.timestamp_ms for entry in self.log[-1:])]
        values = {
            "format_version": self.format_version,
            "table_uuid": self.uuid,
            "location": self.location,
            "last_updated_ms": max(
                stamps if self.is_new else (*stamps, self._before.last_updated_ms)
            ),
            "schemas": self.schemas,
            "current_schema_id": self.current_schema_id,
            "last_column_id": self.last_column_id,
            "partition_specs": self.specs,
            "default_spec_id": self.default_spec_id,
            "last_partition_id": self.last_partition_id,
            "sort_orders": self.orders,
            "default_sort_order_id": self.default_order_id,
            "properties": self.properties,
            "snapshots": self.snapshots,
            "current_snapshot_id": self.current_snapshot_id,
            "snapshot_log": self.log,
            "refs": self.refs,
            "statistics": self.statistics,
            "partition_statistics": self.partition_statistics,
        }
        self._require_complete()
        if self.format_version == 1:
            current = next(
                each for each in self.schemas if each.schema_id == self.current_schema_id
            )
            spec = next(each for each in self.specs if each.spec_id == self.default_spec_id)
            values["schema_"] = current
            values["partition_spec"] = [field.model_dump() for field in spec.fields]
        else:
            values["last_sequence_number"] = self.last_sequence_number
        if self.is_new:
            kind = TableMetadataV1 if self.format_version == 1 else TableMetadataV2
            return kind.model_validate(values)
        after = self._before.model_copy(update=values)
        if after.format_version != self._before.format_version:
            return TableMetadataUtil._construct_without_validation(after)  # noqa: SLF001
        return after

    def _require_complete(self) -> None:
        for what, known, wanted in (
            ("schema", {each.schema_id for each in self.schemas}, self.current_schema_id),
            ("partition spec", {each.spec_id for each in self.specs}, self.default_spec_id),
            ("sort order", {each.order_id for each in self.orders}, self.default_order_id),
        ):
            if wanted not in known:
                raise ValidationError(f"it has no current {what}")
        if not self.location:
            raise ValidationError("it has no location")

    def _settle_log(self) -> None:
        """Snapshots that were current only within this commit never were; a gap ends the history."""
        known = {snapshot.snapshot_id for snapshot in self.snapshots}
        passing = self.added_snapshots - {self.current_snapshot_id}
        if all(
            entry.snapshot_id in known and entry.snapshot_id not in passing for entry in self.log
        ):
            return
        kept: list[SnapshotLogEntry] = []
        for entry in self.log:
            if entry.snapshot_id not in known:
                kept = []
            elif entry.snapshot_id not in passing:
                kept.append(entry)
        self.log = kept


def require_known(*, is_known: bool, what: str) -> None:
    if not is_known:
        raise InvalidRequestError(f"the table has no {what}", hint="load the table again")
