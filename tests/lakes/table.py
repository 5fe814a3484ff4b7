"""A real Iceberg table made step by step, each step a metadata file that any engine can read.

Nothing is validated on purpose: a test may write what a strange writer would. Every commit takes an
explicit moment, schema, partition spec and, where wanted, data sequence numbers.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import VoidTransform
from pyiceberg.types import NestedField

from tests.lakes.deletes import write_equality, write_positions, write_vectors
from tests.lakes.manifests import (
    ADDED,
    DATA,
    DELETED,
    EQUALITY_DELETES,
    EXISTING,
    POSITION_DELETES,
    FileEntry,
    FormatVersion,
    Manifest,
    Status,
    write_manifest,
    write_manifest_list,
)
from tests.lakes.metadata import metadata_json
from tests.lakes.metrics import UNMEASURED, Metrics, measure
from tests.lakes.parquet import PLAIN, Style, write_parquet
from tests.lakes.partitions import split_rows
from tests.lakes.visible import Contents, visible_rows

PATH_BOUND_ID = 2_147_483_546


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A commit of the table, as the oracle remembers it."""

    ident: int
    parent: int | None
    sequence: int
    timestamp_ms: int
    schema: Schema
    operation: str
    manifest_list: str
    manifests: tuple[Manifest, ...]

    @property
    def files(self) -> list[FileEntry]:
        """Live data files in order of their paths."""
        found = [one for manifest in self.manifests for one in manifest.live if one.content == DATA]
        return sorted(found, key=lambda one: one.path)

    @property
    def deletes(self) -> list[FileEntry]:
        return [one for manifest in self.manifests for one in manifest.live if one.content != DATA]


class LakeTable:
    """`folder` is where it lives on disk, `location` how its own metadata names that folder."""

    def __init__(
        self,
        folder: Path,
        location: str,
        io: FileIO,
        schema: Schema,
        *,
        now: Callable[[], int],
        publish: Callable[[str], None],
        spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
        version: FormatVersion = 2,
        properties: Mapping[str, str] | None = None,
        uuid: str = "00000000-0000-4000-8000-000000000001",
        codec: str = "deflate",
    ) -> None:
        self.folder, self.location = folder, location
        self.schema, self.spec, self.version = schema, spec, version
        self.schemas: list[Schema] = [schema]
        self.specs: dict[int, PartitionSpec] = {spec.spec_id: spec}
        self.properties = dict(properties or {})
        self.snapshots: dict[int, Snapshot] = {}
        self.refs: dict[str, dict[str, Any]] = {}
        self.contents = Contents()
        self.lacking: set[str] = set()  # data files without some column of their time
        self.sequence = 0
        self.codec = codec
        self.gzip_metadata = False
        self.metadata_location: str | None = None
        self._io, self._now, self._publish, self.uuid = io, now, publish, uuid
        # A spec's source columns may be gone from the newest schema: the one it was made with knows.
        self._spec_schemas = {spec.spec_id: schema}
        self.log: list[dict[str, Any]] = []
        self.metadata_log: list[dict[str, Any]] = []
        self._names = 0
        self.next_row_id = 0
        self.last_column_id = schema.highest_field_id
        self.updated_ms = now()
        self.write_metadata()

    # -- what is there ---------------------------------------------------------------------------

    @property
    def head(self) -> Snapshot | None:
        ref = self.refs.get("main")
        return None if ref is None else self.snapshots[ref["snapshot-id"]]

    def rows(self, snapshot_id: int | None = None, schema: Schema | None = None) -> pa.Table:
        """The rows that must be visible: now in the current schema, or at a snapshot in its own."""
        if snapshot_id is not None:
            found = self.snapshots[snapshot_id]
            return visible_rows(self.contents, found.manifests, schema or found.schema)
        manifests = () if self.head is None else self.head.manifests
        return visible_rows(self.contents, manifests, schema or self.schema)

    def disk_path(self, location: str) -> Path:
        return self.folder / location.removeprefix(self.location + "/")

    # -- definition ------------------------------------------------------------------------------

    def evolve(self, schema: Schema) -> None:
        """A schema-only change, as engines other than ours make it: no snapshot."""
        self.schema = schema.model_copy(update={"schema_id": len(self.schemas)})
        self.schemas.append(self.schema)
        held = self.schema._lazy_id_to_field
        if all(one.source_id in held for one in self.spec.fields):
            self._spec_schemas[self.spec.spec_id] = self.schema
        self.last_column_id = max(self.last_column_id, schema.highest_field_id)
        self.write_metadata()

    def next_field_id(self) -> int:
        self.last_column_id += 1
        return self.last_column_id

    def respec(self, *fields: Any) -> None:
        self.spec = PartitionSpec(*fields, spec_id=len(self.specs))
        self.specs[self.spec.spec_id] = self.spec
        self._spec_schemas[self.spec.spec_id] = self.schema
        self.write_metadata()

    def upgrade(self, version: FormatVersion) -> None:
        self.version = version
        self.write_metadata()

    def set_properties(self, **properties: str) -> None:
        self.properties.update(properties)
        self.write_metadata()

    def ref(self, name: str, snapshot_id: int, kind: str = "tag") -> None:
        self.refs[name] = {"snapshot-id": snapshot_id, "type": kind}
        self.write_metadata()

    def expire(self, *snapshot_ids: int) -> None:
        for ident in snapshot_ids:
            del self.snapshots[ident]
        self.log = [entry for entry in self.log if entry["snapshot-id"] in self.snapshots]
        self.write_metadata()

    # -- data files ------------------------------------------------------------------------------

    def data_files(
        self, rows: pa.Table, style: Style = PLAIN, *, metrics: bool = True
    ) -> list[FileEntry]:
        """Written to disk, one per partition, and not yet committed."""
        return [
            self.data_file(part, values, style, metrics=metrics)
            for values, part in split_rows(rows, self.schema, self.spec)
            if part.num_rows
        ]

    def data_file(
        self,
        rows: pa.Table,
        partition: tuple[Any, ...] = (),
        style: Style = PLAIN,
        *,
        metrics: bool = True,
    ) -> FileEntry:
        path = self.new_location("data", "parquet")
        write_parquet(self.disk_path(path), rows, self.schema, style)
        self.contents.rows[path] = (rows, self.schema)
        if style.without:
            self.lacking.add(path)
        return FileEntry(
            path,
            self.spec.spec_id,
            partition,
            rows.num_rows,
            self.disk_path(path).stat().st_size,
            measure(rows, self.schema) if metrics else UNMEASURED,
        )

    def append(self, rows: pa.Table, style: Style = PLAIN, *, metrics: bool = True) -> Snapshot:
        return self.commit(add=self.data_files(rows, style, metrics=metrics), operation="append")

    # -- delete files ----------------------------------------------------------------------------

    def position_deletes(
        self, positions: Mapping[str, Iterable[int]], *, bounds: bool = True
    ) -> list[FileEntry]:
        """One file per partition among the data files named, which must be live at the head."""
        live = {file.path: file for file in (self.head.files if self.head else ())}
        groups: dict[str, list[FileEntry]] = {}
        for path in positions:
            file = live[path]
            groups.setdefault(repr((file.spec_id, file.partition)), []).append(file)
        found = []
        for files in groups.values():
            held = {file.path: frozenset(positions[file.path]) for file in files}
            path = self.new_location("data", "deletes.parquet")
            count = write_positions(self.disk_path(path), held)
            self.contents.positions[path, None] = held
            ends = sorted(held)
            measured = Metrics(
                lower={PATH_BOUND_ID: ends[0].encode()}, upper={PATH_BOUND_ID: ends[-1].encode()}
            )
            found.append(
                FileEntry(
                    path,
                    files[0].spec_id,
                    files[0].partition,
                    count,
                    self.disk_path(path).stat().st_size,
                    measured if bounds else UNMEASURED,
                    content=POSITION_DELETES,
                )
            )
        return found

    def equality_deletes(
        self,
        rows: pa.Table,
        fields: Sequence[NestedField],
        *,
        partition: tuple[Any, ...] = (),
        spec_id: int | None = None,
    ) -> FileEntry:
        """Rows equal to one of these in all these fields go, whatever file they are in."""
        spec = self.spec if spec_id is None else self.specs[spec_id]
        path = self.new_location("data", "equality.parquet")
        write_equality(self.disk_path(path), rows, fields)
        self.contents.equal[path] = (rows, tuple(fields))
        return FileEntry(
            path,
            spec.spec_id,
            partition,
            rows.num_rows,
            self.disk_path(path).stat().st_size,
            content=EQUALITY_DELETES,
            equality_ids=tuple(field.field_id for field in fields),
            # A spec whose fields are all void is no partitioning either.
            everywhere=all(isinstance(one.transform, VoidTransform) for one in spec.fields),
        )

    def deletion_vectors(self, positions: Mapping[str, Iterable[int]]) -> list[FileEntry]:
        """One Puffin file with a vector per data file; each must hold all of its file's positions."""
        live = {file.path: file for file in (self.head.files if self.head else ())}
        held = {path: frozenset(found) for path, found in positions.items()}
        path = self.new_location("data", "puffin")
        places = write_vectors(
            self.disk_path(path), held, snapshot_id=-1, sequence=self.sequence + 1
        )
        size = self.disk_path(path).stat().st_size
        found = []
        for file, (offset, length) in places.items():
            self.contents.positions[path, offset] = {file: held[file]}
            found.append(
                FileEntry(
                    path,
                    live[file].spec_id,
                    live[file].partition,
                    len(held[file]),
                    size,
                    content=POSITION_DELETES,
                    format="PUFFIN",
                    referenced=file,
                    offset=offset,
                    length=length,
                )
            )
        return found

    # -- commits ---------------------------------------------------------------------------------

    def commit(
        self,
        *,
        add: Sequence[FileEntry] = (),
        remove: Iterable[FileEntry] = (),
        operation: str = "overwrite",
        branch: str = "main",
        manifests: int = 1,
    ) -> Snapshot:
        """A snapshot on top of a branch. Added files go to `manifests` manifests per kind and spec.

        Manifests that list a removed file are written anew: what stays is EXISTING with its own
        sequence number, what goes is DELETED.
        """
        ref = self.refs.get(branch) or self.refs.get("main")
        parent = None if ref is None else self.snapshots[ref["snapshot-id"]]
        if self.version > 1:
            self.sequence += 1
        sequence = self.sequence if self.version > 1 else 0
        self._names += 1
        ident = 7_000_000_000_000_000_000 + self._names * 1_000_003
        removed = {(one.path, one.offset) for one in remove}
        kept = [
            self._rewritten(manifest, removed, sequence, ident)
            for manifest in (() if parent is None else parent.manifests)
        ]
        fresh = [
            self._manifest(group, sequence, ident)
            for group in _groups(self._numbered(add), manifests)
        ]
        snapshot = Snapshot(
            ident,
            None if parent is None else parent.ident,
            sequence,
            self._now(),
            self.schema,
            operation,
            self.new_location("metadata", "avro", "snap"),
            (*fresh, *kept),
        )
        write_manifest_list(
            self._io,
            snapshot.manifest_list,
            self.version,
            snapshot.manifests,
            self.specs,
            self._spec_schemas,
            snapshot_id=ident,
            parent_id=snapshot.parent,
            sequence=sequence,
            codec=self.codec,
        )
        self.snapshots[ident] = snapshot
        self.refs[branch] = {"snapshot-id": ident, "type": "branch"}
        if branch == "main":
            self.log.append({"timestamp-ms": snapshot.timestamp_ms, "snapshot-id": ident})
        self.write_metadata()
        return snapshot

    def _numbered(self, files: Sequence[FileEntry]) -> list[FileEntry]:
        """Format 3 gives every new data file the id of its first row."""
        if self.version < 3:
            return list(files)
        found = []
        for file in files:
            if file.content == DATA and file.first_row_id is None:
                found.append(replace(file, first_row_id=self.next_row_id))
                self.next_row_id += file.rows
            else:
                found.append(file)
        return found

    def _manifest(
        self, entries: Sequence[tuple[Status, FileEntry]], sequence: int, ident: int
    ) -> Manifest:
        first = entries[0][1]
        manifest = write_manifest(
            self._io,
            self.new_location("metadata", "avro", "manifest"),
            self.version,
            self._spec_schemas[first.spec_id],
            self.specs[first.spec_id],
            entries,
            sequence=sequence,
            snapshot_id=ident,
            deletes=first.content != DATA,
            codec=self.codec,
        )
        return replace(manifest, first_row_id=first.first_row_id)

    def _rewritten(
        self, manifest: Manifest, removed: set[tuple[str, int | None]], sequence: int, ident: int
    ) -> Manifest:
        live = manifest.live
        if not any((one.path, one.offset) in removed for one in live):
            return manifest
        entries: list[tuple[Status, FileEntry]] = [
            (DELETED, replace(one, snapshot_id=ident))
            if (one.path, one.offset) in removed
            else (EXISTING, one)
            for one in live
        ]
        return self._manifest(entries, sequence, ident)

    def new_location(self, folder: str, suffix: str, stem: str = "file") -> str:
        self._names += 1
        # Not in order of creation: nothing may rely on it.
        scattered = self._names * 2_654_435_761 % (1 << 32)
        return f"{self.location}/{folder}/{stem}-{scattered:08x}-{self._names:05d}.{suffix}"

    # -- metadata --------------------------------------------------------------------------------

    def write_metadata(self) -> str:
        """Writes the state as the next metadata file and points the catalog to it."""
        before, previous_ms = self.metadata_location, self.updated_ms
        self.updated_ms = self._now()
        if before is not None:
            self.metadata_log.append({"timestamp-ms": previous_ms, "metadata-file": before})
        ending = "gz.metadata.json" if self.gzip_metadata else "metadata.json"
        location = self.new_location("metadata", ending, f"{len(self.metadata_log):05d}")
        path = self.disk_path(location)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.metadata(), indent=1).encode()
        path.write_bytes(gzip.compress(text, mtime=0) if self.gzip_metadata else text)
        self.metadata_location = location
        self._publish(location)
        return location

    def metadata(self) -> dict[str, Any]:
        return metadata_json(self)


def _groups(files: Sequence[FileEntry], manifests: int) -> list[list[tuple[Status, FileEntry]]]:
    """Entries of one manifest share kind and partition spec."""
    kinds: dict[tuple[bool, int], list[FileEntry]] = {}
    for file in files:
        kinds.setdefault((file.content != DATA, file.spec_id), []).append(file)
    groups: list[list[tuple[Status, FileEntry]]] = []
    for members in kinds.values():
        chosen = [members[at::manifests] for at in range(manifests)]
        groups.extend([(ADDED, file) for file in part] for part in chosen if part)
    return groups
