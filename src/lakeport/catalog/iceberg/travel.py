"""Which snapshot of an Iceberg table a point in time means, and the schema it was written with.

Version *n* is the snapshot with sequence number *n*, on whatever branch. A moment is what `main` pointed
at then: the snapshot log says so, rollbacks included, and timestamps of snapshots do not. Expiry leaves
gaps in the log; a moment inside one is an error and never the older state before the gap. Snapshots from
format 1 have no sequence number: they are found by id and time, and their `version` is None (0 in a
`TableState`, which has a snapshot id then).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata, TableMetadataV1
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.history import (
    CLOCK_TOLERANCE_NS,
    expired,
    find_ref,
    no_snapshot,
    no_version,
)
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.ports import Ref, SnapshotInfo
from lakeport.core.errors import ExpiredError, NotFoundError
from lakeport.core.names import quoted
from lakeport.core.timepoint import AtRef, AtSnapshot, AtTime, AtVersion, TimePoint, format_time

_MILLISECOND = 1_000_000  # in nanoseconds

_KINDS: Mapping[SnapshotRefType, Literal["tag", "branch"]] = {
    SnapshotRefType.TAG: "tag",
    SnapshotRefType.BRANCH: "branch",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """What is read at a point: a snapshot, or nothing in some schema."""

    snapshot: Snapshot | None
    schema: Schema


def find(source: Source, point: TimePoint | None, now: int) -> Moment:
    metadata = source.metadata
    match point:
        case None:
            return Moment(metadata.current_snapshot(), metadata.schema())
        case AtVersion():
            return _at_version(source, point.version)
        case AtSnapshot():
            return moment_of(metadata, require_snapshot(source, point.snapshot_id))
        case AtRef():
            ref = find_ref(source.name, all_refs(metadata), point)
            return moment_of(metadata, require_snapshot(source, ref.snapshot_id))
        case AtTime():
            return _at_time(source, point.nanoseconds, now)
        case _:
            assert_never(point)


def require_snapshot(source: Source, snapshot_id: int) -> Snapshot:
    snapshot = source.metadata.snapshot_by_id(snapshot_id)
    if snapshot is None:
        raise no_snapshot(source.name, snapshot_id, oldest(source.metadata))
    return snapshot


def moment_of(metadata: TableMetadata, snapshot: Snapshot) -> Moment:
    """A snapshot with its own schema; one that does not name any was written with the current one."""
    schema = None if snapshot.schema_id is None else metadata.schema_by_id(snapshot.schema_id)
    return Moment(snapshot, schema or metadata.schema())


def version_of(snapshot: Snapshot | None) -> int | None:
    """The sequence number; format 1 has none, and an upgrade writes 0 for what it finds."""
    return None if snapshot is None else snapshot.sequence_number or None


def newest_version(metadata: TableMetadata) -> int:
    """The highest sequence number ever given, which a rollback does not lower."""
    return 0 if isinstance(metadata, TableMetadataV1) else metadata.last_sequence_number


def all_refs(metadata: TableMetadata) -> tuple[Ref, ...]:
    """`main` first, the others by name."""
    names = sorted(metadata.refs, key=lambda name: (name != "main", name))
    refs = ((name, metadata.refs[name]) for name in names)
    return tuple(Ref(name, _KINDS[ref.snapshot_ref_type], ref.snapshot_id) for name, ref in refs)


def history_of(metadata: TableMetadata) -> tuple[SnapshotInfo, ...]:
    """Oldest first, those on other branches too."""
    return tuple(_info(metadata, snapshot) for snapshot in _in_order(metadata))


# -- by version ----------------------------------------------------------------------------------


def _at_version(source: Source, version: int) -> Moment:
    metadata = source.metadata
    if version == 0:
        return Moment(None, _first_schema(metadata))
    if isinstance(metadata, TableMetadataV1) and metadata.snapshots:
        raise NotFoundError(
            f"table {quoted(str(source.name))} has no version {version}: format 1 does not count them",
            hint="use the id of a snapshot, or a time",
        )
    newest = newest_version(metadata)
    if version > newest:
        raise no_version(source.name, version, newest)
    for snapshot in metadata.snapshots:
        if snapshot.sequence_number == version:
            return moment_of(metadata, snapshot)
    raise expired(source.name, f"version {version}", oldest(metadata))


# -- by time -------------------------------------------------------------------------------------


def _at_time(source: Source, moment: int, now: int) -> Moment:
    metadata = source.metadata
    if moment > now + CLOCK_TOLERANCE_NS or not metadata.snapshots:
        return Moment(None, metadata.schema())
    log = metadata.snapshot_log
    found = -1
    for index, entry in enumerate(log):
        if entry.timestamp_ms * _MILLISECOND <= moment:
            found = index
    if found < 0:
        return _before_the_log(source, moment)
    snapshot = metadata.snapshot_by_id(log[found].snapshot_id)
    if snapshot is None or not _follows(metadata, found):
        raise _expired_moment(source, moment)
    return moment_of(metadata, snapshot)


def _follows(metadata: TableMetadata, index: int) -> bool:
    """Whether nothing was removed between this entry of the log and the next."""
    log = metadata.snapshot_log
    if index + 1 == len(log):
        return True
    here = metadata.snapshot_by_id(log[index].snapshot_id)
    after = metadata.snapshot_by_id(log[index + 1].snapshot_id)
    if here is None or after is None:
        return False
    if after.parent_snapshot_id == here.snapshot_id:
        return True
    # A rollback, or `main` taking over another branch. PyIceberg clears the parent of what follows an
    # expired snapshot, so a missing parent says nothing; the sequence numbers in between do.
    first, last = version_of(here), version_of(after)
    if first is None or last is None:
        return metadata.snapshot_by_id(after.parent_snapshot_id or -1) is not None
    return _are_left(metadata, range(first + 1, last))


def _before_the_log(source: Source, moment: int) -> Moment:
    """The log may begin late (REPLACE TABLE clears it) or be missing: snapshots' own times must do."""
    metadata = source.metadata
    found: Snapshot | None = None
    for snapshot in _in_order(metadata):
        if snapshot.timestamp_ms * _MILLISECOND <= moment:
            found = snapshot
    if found is not None:
        version = version_of(found)
        if version is None or version == newest_version(metadata):
            return moment_of(metadata, found)
        if _are_left(metadata, range(version + 1, version + 2)):
            return moment_of(metadata, found)
    elif _is_first_left(metadata):
        return Moment(None, _first_schema(metadata))
    raise _expired_moment(source, moment)


def _is_first_left(metadata: TableMetadata) -> bool:
    oldest = _in_order(metadata)[0]
    return oldest.parent_snapshot_id is None and version_of(oldest) in {None, 1}


def _are_left(metadata: TableMetadata, versions: range) -> bool:
    left = {snapshot.sequence_number for snapshot in metadata.snapshots}
    return all(version in left for version in versions)


def _expired_moment(source: Source, moment: int) -> ExpiredError:
    what = f"the state of {format_time(moment)}"
    return expired(source.name, what, oldest(source.metadata))


# -- words ---------------------------------------------------------------------------------------


def _in_order(metadata: TableMetadata) -> Sequence[Snapshot]:
    def age(snapshot: Snapshot) -> tuple[int, int]:
        return snapshot.sequence_number or 0, snapshot.timestamp_ms

    return sorted(metadata.snapshots, key=age)


def _first_schema(metadata: TableMetadata) -> Schema:
    return min(metadata.schemas, key=lambda schema: schema.schema_id)


def oldest(metadata: TableMetadata) -> SnapshotInfo | None:
    ordered = _in_order(metadata)
    return _info(metadata, ordered[0]) if ordered else None


def _info(metadata: TableMetadata, snapshot: Snapshot) -> SnapshotInfo:
    summary = snapshot.summary
    return SnapshotInfo(
        snapshot_id=snapshot.snapshot_id,
        version=version_of(snapshot),
        timestamp_ns=snapshot.timestamp_ms * _MILLISECOND,
        operation="unknown" if summary is None else summary.operation.value,
        schema_id=metadata.current_schema_id if snapshot.schema_id is None else snapshot.schema_id,
        summary={} if summary is None else dict(summary.additional_properties),
        parent_id=snapshot.parent_snapshot_id,
    )
