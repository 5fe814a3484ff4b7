"""Which files at a table's place nothing names: told from its metadata by PyIceberg alone."""

from __future__ import annotations

from pathlib import Path

from pyiceberg.table import Table


def files_below(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def named(table: Table) -> set[Path]:
    """Files that a snapshot or the log of metadata files names, and the metadata file itself."""
    found = {path_of(table.metadata_location)}
    found |= {path_of(entry.metadata_file) for entry in table.metadata.metadata_log}
    for snapshot in table.snapshots():
        found.add(path_of(snapshot.manifest_list))
        for manifest in snapshot.manifests(table.io):
            found.add(path_of(manifest.manifest_path))
            entries = manifest.fetch_manifest_entry(table.io, discard_deleted=True)
            found |= {path_of(entry.data_file.file_path) for entry in entries}
    return found


def unnamed(table: Table) -> set[Path]:
    return files_below(path_of(table.location())) - named(table)


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))
