"""Forgets old snapshots in one commit, then removes the files that only they named.

What stays: the newest snapshots, those that are young enough, and whatever a tag or a branch holds. Files
go after the commit, by difference: whatever a remaining snapshot names is out of the question, so
everything is read again from the state that the commit made. If nobody knows whether there was a commit,
or a manifest that remains cannot be read, no file is touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pydantic import PrivateAttr
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import SnapshotRef, SnapshotRefType
from pyiceberg.table.snapshots import Snapshot, ancestors_of
from pyiceberg.table.update import (
    AssertRefSnapshotId,
    AssertTableUUID,
    RemovePartitionStatisticsUpdate,
    RemoveSnapshotsUpdate,
    RemoveStatisticsUpdate,
    TableRequirement,
    TableUpdate,
)

from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.named import (
    Named,
    all_manifests,
    live_files,
    metadata_files,
    statistics_files,
)
from lakeport.catalog.iceberg.upkeep.removal import remove_files
from lakeport.catalog.iceberg.vanished import has_forgotten
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.upkeep import Expired, Policy
from lakeport.core.errors import CorruptDataError, InvalidRequestError, PreconditionError
from lakeport.core.names import TableName, quoted

_MILLISECOND = 1_000_000  # in nanoseconds
_LEAST = "history.expire.min-snapshots-to-keep"
_YOUNGER = "history.expire.max-snapshot-age-ms"
_COLLECTED = "gc.enabled"


@dataclass(frozen=True, slots=True)
class Keep:
    """`count` newest snapshots, and those made at `since` (nanoseconds) or later."""

    count: int
    since: int | None


def keep_by(policy: Policy, metadata: TableMetadata, now: int) -> Keep:
    """What the policy keeps, or the table's own properties, which other engines go by, too."""
    count, age = _number(metadata, _LEAST), _number(metadata, _YOUNGER)
    younger = policy.keep_for if age is None else age * _MILLISECOND
    return Keep(
        policy.keep_snapshots if count is None else max(1, count),
        now - younger if younger else None,
    )


def _number(metadata: TableMetadata, key: str) -> int | None:
    text = metadata.properties.get(key, "")
    return int(text) if text.isascii() and text.isdigit() else None


def shares_files(metadata: TableMetadata) -> bool:
    """Some tables name files that other tables name, too, and say so."""
    return metadata.properties.get(_COLLECTED, "true").lower() == "false"


def require_collected(source: Source) -> None:
    if shares_files(source.metadata):
        raise PreconditionError(
            f"the files of table {quoted(str(source.name))} may belong to other tables, too:"
            f" its property {quoted(_COLLECTED)} is false",
            hint="set it to true if no other table names the files",
        )


def doomed(metadata: TableMetadata, keep: Keep, now: int) -> list[Snapshot]:
    """The snapshots to forget, oldest first."""
    ordered = sorted(
        metadata.snapshots, key=lambda one: (one.sequence_number or 0, one.timestamp_ms)
    )
    held = set(_held(metadata, now // _MILLISECOND))
    return [
        snapshot
        for snapshot in ordered[: -keep.count]
        if snapshot.snapshot_id not in held
        and (keep.since is None or snapshot.timestamp_ms * _MILLISECOND < keep.since)
    ]


def expire(surroundings: Surroundings, name: TableName, keep: Keep) -> Expired:
    if keep.count < 1:
        raise InvalidRequestError(
            f"cannot keep {keep.count} snapshots",
            hint="the newest one always stays: keep 1 or more",
        )
    opened = surroundings.source(name)
    require_writable(opened)
    require_collected(opened)
    tried: list[Source] = []

    def propose(head: Source) -> tuple[tuple[TableUpdate, ...], tuple[TableRequirement, ...]]:
        tried[:] = [head]
        gone = doomed(head.metadata, keep, surroundings.clock())
        return tuple(_updates(head.metadata, gone)), tuple(_requirements(head.metadata))

    left = surroundings.commits.change(name, str(opened.metadata.table_uuid), propose)
    remaining = {snapshot.snapshot_id for snapshot in left.metadata.snapshots}
    before = tried[0]
    gone = [one for one in before.metadata.snapshots if one.snapshot_id not in remaining]
    if not gone:
        return Expired()
    while True:
        try:
            return _cleared(before, left, gone)
        except CorruptDataError:
            surroundings.pointers.forget(name)
            seen, left = left, surroundings.source(name)
            if not has_forgotten(seen.metadata, left.metadata):
                raise


# -- the commit ----------------------------------------------------------------------------------


def _held(metadata: TableMetadata, now_ms: int) -> Iterator[int]:
    for ref in metadata.refs.values():
        yield ref.snapshot_id
        if ref.snapshot_ref_type == SnapshotRefType.BRANCH:
            yield from _held_by_branch(metadata, ref, now_ms)


def _held_by_branch(metadata: TableMetadata, ref: SnapshotRef, now_ms: int) -> Iterator[int]:
    """A branch may ask for a part of its past, too."""
    least = ref.min_snapshots_to_keep or 1
    oldest = now_ms if ref.max_snapshot_age_ms is None else now_ms - ref.max_snapshot_age_ms
    line = ancestors_of(metadata.snapshot_by_id(ref.snapshot_id), metadata)
    for place, snapshot in enumerate(line):
        if place >= least and snapshot.timestamp_ms <= oldest:
            return
        yield snapshot.snapshot_id


def _updates(metadata: TableMetadata, gone: Sequence[Snapshot]) -> Iterator[TableUpdate]:
    if not gone:
        return
    ids = {snapshot.snapshot_id for snapshot in gone}
    # PyIceberg removes only the first kind along with its snapshot, and services differ.
    for table_file in metadata.statistics:
        if table_file.snapshot_id in ids:
            yield RemoveStatisticsUpdate.model_validate({"snapshot-id": table_file.snapshot_id})
    for partition_file in metadata.partition_statistics:
        if partition_file.snapshot_id in ids:
            yield RemovePartitionStatisticsUpdate.model_validate(
                {"snapshot-id": partition_file.snapshot_id}
            )
    in_order = [snapshot.snapshot_id for snapshot in gone]
    yield RemoveSnapshotsUpdate.model_validate({"snapshot-ids": in_order})


def _requirements(metadata: TableMetadata) -> Iterator[TableRequirement]:
    yield AssertTableUUID(uuid=metadata.table_uuid)
    for name, ref in metadata.refs.items():
        yield _AssertSameRefs.of(name, ref.snapshot_id, metadata)


class _AssertSameRefs(AssertRefSnapshotId):
    """A ref that was made or moved meanwhile may hold what is about to be forgotten.

    To a service this is the requirement it knows, which says nothing of refs that are new. All other
    catalogs ask `validate`.
    """

    _names: frozenset[str] = PrivateAttr(default=frozenset())

    @classmethod
    def of(cls, name: str, snapshot_id: int, metadata: TableMetadata) -> _AssertSameRefs:
        made = cls.model_validate({"ref": name, "snapshot-id": snapshot_id})
        made._names = frozenset(metadata.refs)  # noqa: SLF001  it is being made
        return made

    def validate(self, base_metadata: TableMetadata | None) -> None:  # type: ignore[override]  # pydantic has a method of that name, too
        super().validate(base_metadata)
        if base_metadata is not None and frozenset(base_metadata.refs) != self._names:
            message = "Requirement failed: a ref was created or removed concurrently"
            raise CommitFailedException(message)


# -- the files -----------------------------------------------------------------------------------


def _cleared(before: Source, left: Source, gone: Sequence[Snapshot]) -> Expired:
    """By the last part of a path, which holds a random id: two spellings of one folder (`s3a:`, a link)
    must not make a file that is needed look like one that is not.
    """
    kept = all_manifests(left, left.metadata.snapshots)
    needed = set(map(last_name, kept))
    manifests = {
        path: size
        for path, size in _readable_manifests(before, gone)
        if last_name(path) not in needed
    }
    files = {last_name(named.path): named for named in _files_of(before, manifests)}
    for manifest in kept:
        if not files:
            break
        for named in live_files(left, manifest):
            files.pop(last_name(named.path), None)
    named_before = [one.manifest_list for one in gone] + [*statistics_files(before.metadata)]
    others = set(map(last_name, metadata_files(left.metadata, "")))
    lists = {path for path in named_before if last_name(path) not in others}
    paths = [named.path for named in files.values()]
    removed = remove_files(left.io, [*paths, *manifests, *sorted(lists)])
    return Expired(
        snapshots=len(gone),
        files=removed.files,
        bytes=sum(named.bytes for named in files.values()) + sum(manifests.values()),
        left=removed.left,
    )


def _readable_manifests(source: Source, gone: Collection[Snapshot]) -> Iterator[tuple[str, int]]:
    """Of what was forgotten: what is damaged there need not trouble anybody, `orphans` clears it."""
    for snapshot in gone:
        try:
            yield from all_manifests(source, [snapshot]).items()
        except CorruptDataError:
            continue


def _files_of(source: Source, manifests: Collection[str]) -> Iterator[Named]:
    for manifest in manifests:
        try:
            yield from live_files(source, manifest)
        except CorruptDataError:
            continue
