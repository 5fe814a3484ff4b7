"""Whether a table that we wrote is what Iceberg's specification says, by recomputing all of it from its files.

`assert_conforms(location)` looks at the metadata file, every snapshot's manifest list and manifests,
and every data and delete file: ids, statuses, sequence numbers, counts, sizes, bounds, partitions, order
of rows, summaries and totals. Nothing of the product is asked. Files never change, so a `Conformance`
that is kept over a table's life looks at each only once.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.table.snapshots import Snapshot

from tests.lakes.conforming.avro import local_path, read_avro
from tests.lakes.conforming.data_files import data_file_complaints
from tests.lakes.conforming.delete_files import position_file_complaints, positions_of
from tests.lakes.conforming.manifests import Contents, Entry, read_snapshot
from tests.lakes.conforming.metadata import metadata_complaints
from tests.lakes.conforming.summaries import DATA, POSITIONS, summary_complaints


def assert_conforms(location: str) -> None:
    """`location` is a metadata file's, such as `catalog.pyiceberg.load_table(name).metadata_location`."""
    complaints = Conformance().complaints(location)
    if complaints:
        raise AssertionError("\n".join(complaints))


class Conformance:
    """Remembers the snapshots and files of tables that it has looked at."""

    def __init__(self) -> None:
        self._snapshots: dict[str, Contents] = {}
        self._files: set[str] = set()

    def complaints(self, location: str) -> list[str]:
        found = list(metadata_complaints(location))
        metadata = TableMetadataUtil.parse_raw(local_path(location).read_text(encoding="utf-8"))
        snapshots = sorted(metadata.snapshots, key=lambda one: one.sequence_number or 0)
        for snapshot in snapshots:
            told = f"snapshot {snapshot.sequence_number}: "
            found += [told + complaint for complaint in self._snapshot(snapshot, metadata)]
        return found

    def _snapshot(self, snapshot: Snapshot, metadata: TableMetadata) -> Iterator[str]:
        if snapshot.manifest_list in self._snapshots:
            return
        contents = Contents()
        yield from read_snapshot(snapshot, metadata, contents)
        parent, is_known = self._parent(snapshot, metadata)
        _say_what_cannot_be_listed(contents, parent, _without_source(snapshot, metadata))
        yield from summary_complaints(snapshot, contents, parent if is_known else None)
        for entry in contents.live.values():
            for complaint in self._file(entry, metadata):
                yield f"{entry.path.rpartition('/')[2]}: {complaint}"
        yield from _delete_complaints(contents)
        self._snapshots[snapshot.manifest_list] = contents

    def _parent(self, snapshot: Snapshot, metadata: TableMetadata) -> tuple[Contents, bool]:
        """What was there before; unknown if that has expired."""
        if snapshot.parent_snapshot_id is None:
            return Contents(), snapshot.sequence_number == 1
        parent = metadata.snapshot_by_id(snapshot.parent_snapshot_id)
        if parent is None or parent.manifest_list not in self._snapshots:
            return Contents(), False
        return self._snapshots[parent.manifest_list], True

    def _file(self, entry: Entry, metadata: TableMetadata) -> Iterator[str]:
        if entry.path in self._files:
            return
        self._files.add(entry.path)
        if entry.file["content"] == DATA:
            yield from data_file_complaints(entry.file, metadata)
        elif entry.file["content"] == POSITIONS:
            yield from position_file_complaints(entry.file)


def _without_source(snapshot: Snapshot, metadata: TableMetadata) -> set[int]:
    """Specs by columns that the snapshot's schema lacks."""
    (schema,) = (one for one in metadata.schemas if one.schema_id == snapshot.schema_id)
    return {
        ident
        for ident, spec in metadata.specs().items()
        if any(schema.find_column_name(field.source_id) is None for field in spec.fields)
    }


def _say_what_cannot_be_listed(contents: Contents, parent: Contents, specs: set[int]) -> None:
    """A manifest of nothing but deleted files is left out at once where its partitions' types are gone
    with a column: DuckDB 1.5.5 crashes on one, and Spark before Iceberg 1.8 cannot read it.
    """
    for path in parent.live.keys() - contents.live.keys() - contents.deleted.keys():
        if parent.live[path].spec_id in specs:
            contents.deleted[path] = parent.live[path]


def _delete_complaints(contents: Contents) -> Iterator[str]:
    """What position deletes say about data files of the same snapshot."""
    gone: dict[str, set[int]] = {}
    for delete in contents.live.values():
        if delete.file["content"] != POSITIONS:
            continue
        for path, positions in positions_of(delete.path).items():
            name, data = path.rpartition("/")[2], contents.live.get(path)
            if data is None:
                continue  # taken away later; a reader passes over it
            if data.place != delete.place:
                yield f"deletes of {name} are in another partition"
            if data.sequence > delete.sequence:
                yield f"deletes of {name} are older than the file"
            if max(positions) >= data.file["record_count"]:
                yield f"deletes of {name} are beyond its end"
            if gone.setdefault(path, set()) & set(positions):
                yield f"a row of {name} is deleted twice"
            gone[path] |= set(positions)


def unnamed_files(location: str) -> set[str]:
    """Files below a table's folder that no snapshot, log or metadata file of it names."""
    metadata = TableMetadataUtil.parse_raw(local_path(location).read_text(encoding="utf-8"))
    named = {local_path(location)}
    named |= {local_path(entry.metadata_file) for entry in metadata.metadata_log}
    for snapshot in metadata.snapshots:
        contents = Contents()
        list(read_snapshot(snapshot, metadata, contents))
        manifests = [
            record["manifest_path"] for record in read_avro(snapshot.manifest_list).records
        ]
        paths = [snapshot.manifest_list, *manifests, *contents.live, *contents.deleted]
        named |= {local_path(path) for path in paths}
    below = local_path(metadata.location).rglob("*")
    return {str(path) for path in below if path.is_file() and path not in named}
