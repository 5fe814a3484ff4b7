"""Turns what statements do into one snapshot: manifests, manifest list, updates and requirements.

Rules of Iceberg that bite: a file that is added has no sequence number and inherits the snapshot's; one
that stays carries its own along; one that leaves is listed once more as deleted, by the snapshot that
removed it. A manifest without live files is left out by the next snapshot, not by this one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pyiceberg.table.metadata import TableMetadata, _generate_snapshot_id
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.table.update import (
    AddPartitionSpecUpdate,
    AddSchemaUpdate,
    AddSnapshotUpdate,
    AssertCurrentSchemaId,
    AssertDefaultSortOrderId,
    AssertDefaultSpecId,
    AssertLastAssignedFieldId,
    AssertLastAssignedPartitionId,
    AssertRefSnapshotId,
    AssertTableUUID,
    SetDefaultSortOrderUpdate,
    SetSnapshotRefUpdate,
    TableRequirement,
    TableUpdate,
)

from lakeport.catalog.iceberg.commit.effect import Effect
from lakeport.catalog.iceberg.commit.entries import ADDED, DELETED, EXISTING
from lakeport.catalog.iceberg.commit.files import Scratch
from lakeport.catalog.iceberg.commit.listed import (
    DATA,
    DELETES,
    ManifestRow,
    ManifestRows,
    list_file,
)
from lakeport.catalog.iceberg.commit.manifests import ManifestFiles, Marked
from lakeport.catalog.iceberg.commit.merging import merged
from lakeport.catalog.iceberg.commit.summary import Changes, statements_said, summarise
from lakeport.catalog.iceberg.metadata import updated
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import ConflictError
from lakeport.core.names import TableName, quoted

_MILLISECOND = 1_000_000  # in nanoseconds


class MissingFilesError(ConflictError):
    """Statements that remove these files cannot be committed; others can."""

    def __init__(self, name: TableName, paths: frozenset[str]) -> None:
        super().__init__(
            f"{len(paths)} of the files to be replaced are no longer part of table "
            f"{quoted(str(name))}",
            hint="run it again",
        )
        self.paths = paths

    def concerns(self, effect: Effect) -> bool:
        return not self.paths.isdisjoint(effect.removed | effect.removed_deletes)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A snapshot whose files are written; the table does not know it yet."""

    snapshot: Snapshot
    requirements: tuple[TableRequirement, ...]
    updates: tuple[TableUpdate, ...]
    remember: Callable[[], None]


def propose(
    source: Source,
    effects: Sequence[Effect],
    contexts: Sequence[WriteContext],
    scratch: Scratch,
    now: int,
) -> Proposal:
    """`now` is in nanoseconds."""
    before = source.metadata
    changes = tuple(update for effect in effects for update in effect.updates)
    metadata = updated(before, changes)
    parent = _current(before)
    snapshot_id = _generate_snapshot_id()
    files = ManifestFiles(source, metadata, snapshot_id, scratch)
    listed, moved = _listing(source, files, files.listed(parent), effects)
    said = _said(effects, contexts)
    snapshot = Snapshot.model_validate(
        {
            "snapshot-id": snapshot_id,
            "parent-snapshot-id": None if parent is None else parent.snapshot_id,
            "sequence-number": metadata.next_sequence_number(),
            "timestamp-ms": max(now // _MILLISECOND, 0 if parent is None else parent.timestamp_ms),
            "manifest-list": files.list_path(),
            "summary": summarise(_operation(effects, moved), moved, listed.rows, parent, said),
            "schema-id": metadata.current_schema_id,
        }
    )
    scratch.put(snapshot.manifest_list, list_file(listed, snapshot, files.compression))
    return Proposal(
        snapshot,
        requirements_for(before, changes),
        (*changes, *added_to_main(before, snapshot)),
        lambda: files.remember(snapshot.manifest_list, listed),
    )


def _current(metadata: TableMetadata) -> Snapshot | None:
    """The last one of the list nearly always, which may have thousands."""
    newest = metadata.snapshots[-1] if metadata.snapshots else None
    if newest is not None and newest.snapshot_id == metadata.current_snapshot_id:
        return newest
    return metadata.current_snapshot()


def requirements_for(
    metadata: TableMetadata, updates: Iterable[TableUpdate]
) -> tuple[TableRequirement, ...]:
    """What must still be so when the updates are made: all that they were worked out from."""
    snapshot_id = metadata.current_snapshot_id
    found: list[TableRequirement] = [
        AssertTableUUID(uuid=metadata.table_uuid),
        AssertRefSnapshotId.model_validate({"ref": MAIN_BRANCH, "snapshot-id": snapshot_id}),
        AssertCurrentSchemaId.model_validate({"current-schema-id": metadata.current_schema_id}),
        AssertDefaultSpecId.model_validate({"default-spec-id": metadata.default_spec_id}),
    ]
    kinds = {type(update) for update in updates}
    if AddSchemaUpdate in kinds:
        number = metadata.last_column_id
        found.append(AssertLastAssignedFieldId.model_validate({"last-assigned-field-id": number}))
    if AddPartitionSpecUpdate in kinds:
        last = metadata.last_partition_id
        found.append(
            AssertLastAssignedPartitionId.model_validate({"last-assigned-partition-id": last})
        )
    if SetDefaultSortOrderUpdate in kinds:
        order = metadata.default_sort_order_id
        found.append(AssertDefaultSortOrderId.model_validate({"default-sort-order-id": order}))
    return tuple(found)


def added_to_main(metadata: TableMetadata, snapshot: Snapshot) -> tuple[TableUpdate, ...]:
    """What the branch says of how long its snapshots are kept stays as it is."""
    before = metadata.refs.get(MAIN_BRANCH)
    return (
        AddSnapshotUpdate(snapshot=snapshot),
        SetSnapshotRefUpdate.model_validate(
            {
                "ref-name": MAIN_BRANCH,
                "type": SnapshotRefType.BRANCH,
                "snapshot-id": snapshot.snapshot_id,
                "max-ref-age-ms": before and before.max_ref_age_ms,
                "max-snapshot-age-ms": before and before.max_snapshot_age_ms,
                "min-snapshots-to-keep": before and before.min_snapshots_to_keep,
            }
        ),
    )


def _operation(effects: Sequence[Effect], moved: Changes) -> Operation:
    said = {effect.operation for effect in effects if effect.operation is not None}
    return said.pop() if len(effects) == len(said) == 1 else moved.operation()


def _said(effects: Sequence[Effect], contexts: Sequence[WriteContext]) -> dict[str, str]:
    said = statements_said(contexts)
    for effect in effects:
        said.update(effect.summary)
    return said


# -- manifests -----------------------------------------------------------------------------------


def _listing(
    source: Source, files: ManifestFiles, parent: ManifestRows, effects: Sequence[Effect]
) -> tuple[ManifestRows, Changes]:
    """The new list, newest manifest first."""
    moved = Changes()
    removed = {
        DATA: frozenset[str]().union(*(effect.removed for effect in effects)),
        DELETES: frozenset[str]().union(*(effect.removed_deletes for effect in effects)),
    }
    new = [
        *_additions(files, effects, DATA, moved),
        *_additions(files, effects, DELETES, moved),
    ]
    encoded = dict(zip((row.path for row in parent.rows), parent.encoded, strict=True))
    replaced = frozenset[str]().union(*(effect.replaced_manifests for effect in effects))
    kept: list[ManifestRow] = []
    departed: dict[tuple[int, int], list[Marked]] = defaultdict(list)
    for row in parent.rows:
        if row.path in replaced or not row.files:
            continue
        marked = _without(files, row, removed[row.content], moved)
        if marked is None:
            kept.append(row)
        elif any(each.status == EXISTING for each in marked):
            new.append(files.write(row.spec_id, row.content, marked))
        elif files.has_sources(row.spec_id):
            departed[row.spec_id, row.content] += marked
    # Compaction empties many manifests at once, and the next commit leaves the empty ones out: until
    # then readers that open each of them open one.
    new += [files.write(*where, marked) for where, marked in departed.items()]
    _require_found(source, removed, moved)
    if replaced:
        new += [files.adopted(row) for effect in effects for row in effect.manifests]
    else:
        new, kept = merged(files, new, kept, source.metadata.properties)
    rows = (*new, *kept)
    return (
        ManifestRows(rows, tuple(encoded.get(row.path) or row.encoded() for row in rows)),
        moved,
    )


def _additions(
    files: ManifestFiles, effects: Sequence[Effect], content: int, moved: Changes
) -> list[ManifestRow]:
    by_spec: dict[int, list[Marked]] = defaultdict(list)
    for effect in effects:
        added = effect.added if content == DATA else effect.deletes
        for file in added:
            sequence = effect.sequence if content == DATA else None
            entry = files.codec(file.spec_id).added(file, sequence)
            by_spec[file.spec_id].append(Marked(entry, ADDED))
            moved.added.append((file.spec_id, entry))
    return [files.write(spec_id, content, marked) for spec_id, marked in by_spec.items()]


def _without(
    files: ManifestFiles, row: ManifestRow, leaving: frozenset[str], moved: Changes
) -> list[Marked] | None:
    """Its entries, those that leave marked as deleted; None if none of them leaves.

    Readers (DuckDB 1.5, Spark before Iceberg 1.8) look at a partition's source even if every entry is
    deleted, and break if the column was dropped: such a manifest is left out at once.
    """
    if not leaving:
        return None
    marked = [
        Marked(file, DELETED if file.path in leaving else EXISTING) for file in files.entries(row)
    ]
    gone = [each.file for each in marked if each.status == DELETED]
    moved.removed += [(row.spec_id, file) for file in gone]
    return marked if gone else None


def _require_found(source: Source, removed: dict[int, frozenset[str]], moved: Changes) -> None:
    found = {file.path for _, file in moved.removed}
    missing = removed[DATA].union(removed[DELETES]) - found
    if missing:
        raise MissingFilesError(source.name, missing)
