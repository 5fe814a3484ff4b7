"""Iceberg's branches, tags and metadata tables, which are written behind the name of their table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.entries import ColumnEntry, Lookup, TableEntry

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.names import Name

_METADATA_TABLES: dict[str, tuple[str, ...]] = {
    "snapshots": (
        "committed_at",
        "snapshot_id",
        "parent_id",
        "operation",
        "manifest_list",
        "summary",
    ),
    "history": ("made_current_at", "snapshot_id", "parent_id", "is_current_ancestor"),
    "metadata_log_entries": (
        "timestamp",
        "file",
        "latest_snapshot_id",
        "latest_schema_id",
        "latest_sequence_number",
    ),
    "refs": (
        "name",
        "type",
        "snapshot_id",
        "max_reference_age_in_ms",
        "min_snapshots_to_keep",
        "max_snapshot_age_in_ms",
    ),
    "files": (
        "content",
        "file_path",
        "file_format",
        "spec_id",
        "partition",
        "record_count",
        "file_size_in_bytes",
        "column_sizes",
        "value_counts",
        "null_value_counts",
        "nan_value_counts",
        "lower_bounds",
        "upper_bounds",
        "key_metadata",
        "split_offsets",
        "equality_ids",
        "sort_order_id",
        "readable_metrics",
    ),
    "manifests": (
        "content",
        "path",
        "length",
        "partition_spec_id",
        "added_snapshot_id",
        "added_data_files_count",
        "existing_data_files_count",
        "deleted_data_files_count",
        "added_delete_files_count",
        "existing_delete_files_count",
        "deleted_delete_files_count",
        "partition_summaries",
    ),
    "partitions": (
        "partition",
        "spec_id",
        "record_count",
        "file_count",
        "total_data_file_size_in_bytes",
        "position_delete_record_count",
        "position_delete_file_count",
        "equality_delete_record_count",
        "equality_delete_file_count",
        "last_updated_at",
        "last_updated_snapshot_id",
    ),
    "entries": (
        "status",
        "snapshot_id",
        "sequence_number",
        "file_sequence_number",
        "data_file",
        "readable_metrics",
    ),
    "position_deletes": ("file_path", "pos", "row", "partition", "spec_id", "delete_file_path"),
}
_METADATA_TABLES["data_files"] = _METADATA_TABLES["all_data_files"] = _METADATA_TABLES["files"]
_METADATA_TABLES["delete_files"] = _METADATA_TABLES["all_delete_files"] = _METADATA_TABLES["files"]
_METADATA_TABLES["all_files"] = _METADATA_TABLES["files"]
_METADATA_TABLES["all_manifests"] = _METADATA_TABLES["manifests"]
_METADATA_TABLES["all_entries"] = _METADATA_TABLES["entries"]


def part_of_table(binder: Binder, parts: Name, lookup: Lookup) -> tuple[Lookup, dict[str, object]]:
    """A branch, a tag or a metadata table of the table before it."""
    last = parts[-1]
    base = parts[:-1]
    if last.startswith("branch_"):
        return binder.registry.lookup(base), {"branch": last.removeprefix("branch_")}
    if last.startswith("tag_"):
        return binder.registry.lookup(base), {"tag": last.removeprefix("tag_")}
    if last in _METADATA_TABLES:
        found = binder.registry.lookup(base)
        if found.entry is not None or len(parts) > 3:
            return found, {"metadataTable": last}
    return lookup, {}


def is_part_of_table(name: str) -> bool:
    """Whether behind the name of a table this may be a branch, a tag or a metadata table of it."""
    return name.startswith(("branch_", "tag_")) or name in _METADATA_TABLES


def metadata_entry(name: Name, table: str, binder: Binder) -> TableEntry:
    columns = [
        ColumnEntry(column, binder.folding.column(column), "implied")
        for column in _METADATA_TABLES[table]
    ]
    return TableEntry(name, name, columns, "implied", complete=True)
