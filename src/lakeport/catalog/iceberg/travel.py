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
from pyiceberg.table.snapshots import Snapshot, ancestors_of

from lakeport.catalog.history import (
    CLOCK_TOLERANCE_NS,
    MAIN,
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
    """What is read at a point: a snapshot, or nothing in some schema.

    `version` is set for the past, where what was known of the columns may have been something else.
    """

    snapshot: Snapshot | None
    schema: Schema
    version: int | None = None


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
    return Moment(snapshot, schema or metadata.schema(), version_of(snapshot))


def moment_of_split(source: Source, point: TimePoint | None, snapshot_id: int) -> Moment:
    """What a split of a plan reads: the snapshot it names, in the schema that the plan had.

    The head has the current schema, unless it was asked for as a point in time. Once it is no longer
    the head, the schema it was planned with is most likely its own.
    """
    metadata = source.metadata
    snapshot = metadata.snapshot_by_id(snapshot_id)
    if snapshot is None:
        raise ExpiredError(
            f"snapshot {snapshot_id} of table {quoted(str(source.name))} has expired",
            hint="run the query again",
        )
    if point is None and snapshot_id == metadata.current_snapshot_id:
        return Moment(snapshot, metadata.schema())
    return moment_of(metadata, snapshot)


def version_of(snapshot: Snapshot | None) -> int | None:
    """The sequence number; format 1 has none, and an upgrade writes 0 for what it finds."""
    return None if snapshot is None else snapshot.sequence_number or None


def newest_version(metadata: TableMetadata) -> int:
    """The highest sequence number ever given, which a rollback does not lower."""
    return 0 if isinstance(metadata, TableMetadataV1) else metadata.last_sequence_number


def all_refs(metadata: TableMetadata) -> tuple[Ref, ...]:
    """`main` first, the others by name."""
    names = sorted(metadata.refs, key=lambda name: (name != MAIN, name))
    refs = ((name, metadata.refs[name]) for name in names)
    return tuple(Ref(name, _KINDS[ref.snapshot_ref_type], ref.snapshot_id) for name, ref in refs)


def history_of(metadata: TableMetadata) -> tuple[SnapshotInfo, ...]:
    """Oldest first, those on other branches too."""
    return tuple(info_of(metadata, snapshot) for snapshot in _in_order(metadata))


# -- by version ----------------------------------------------------------------------------------


def _at_version(source: Source, version: int) -> Moment:
    metadata = source.metadata
    if version == 0:
        return Moment(None, _first_schema(metadata), 0)
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
    if after.timestamp_ms == log[index + 1].timestamp_ms:
        # A commit. PyIceberg forgets both the entry of an expired snapshot and that it was the parent of
        # the next. One that took rows back follows an older snapshot: then numbers must do.
        return after.parent_snapshot_id == here.snapshot_id or _has_all_between(
            metadata, here, after
        )
    # A rollback, or `main` taking over another branch: was anything between that is gone now?
    if version_of(here) is None:
        return True
    given = _given(metadata, log[index].timestamp_ms, log[index + 1].timestamp_ms)
    left = {snapshot.sequence_number for snapshot in metadata.snapshots}
    return all(version in left for version in given)


def _has_all_between(metadata: TableMetadata, here: Snapshot, after: Snapshot) -> bool:
    """Whether every sequence number between the two is still there."""
    first, last = version_of(here), version_of(after)
    if first is None or last is None:
        return False
    left = {snapshot.sequence_number for snapshot in metadata.snapshots}
    return all(version in left for version in range(first + 1, last))


def _given(metadata: TableMetadata, since: int, until: int) -> range:
    """The sequence numbers that were given out between two moments, as far as can be told."""
    earlier = [version_of(one) or 0 for one in metadata.snapshots if one.timestamp_ms <= since]
    later = [version_of(one) or 0 for one in metadata.snapshots if one.timestamp_ms >= until]
    return range(max(earlier, default=0) + 1, min(later, default=newest_version(metadata) + 1))


def _before_the_log(source: Source, moment: int) -> Moment:
    """The log may begin late, because REPLACE TABLE clears it: snapshots' own times must do then."""
    metadata = source.metadata
    if metadata.current_snapshot() is None and moment >= metadata.last_updated_ms * _MILLISECOND:
        return Moment(None, metadata.schema())
    ordered = _in_order(metadata)
    past = [at for at, one in enumerate(ordered) if one.timestamp_ms * _MILLISECOND <= moment]
    if not past and _is_first(ordered[0]):
        return Moment(None, _first_schema(metadata), 0)
    if past and _was_head(metadata, *ordered[past[-1] : past[-1] + 2]):
        return moment_of(metadata, ordered[past[-1]])
    raise _expired_moment(source, moment)


def _is_first(snapshot: Snapshot) -> bool:
    return snapshot.parent_snapshot_id is None and version_of(snapshot) in {None, 1}


def _was_head(metadata: TableMetadata, here: Snapshot, after: Snapshot | None = None) -> bool:
    """Whether the first was on `main` until the second, which has no parent if it replaced the table."""
    branches = (name for name, ref in metadata.refs.items() if ref.snapshot_ref_type == "branch")
    for name in branches:
        line = ancestors_of(metadata.snapshot_by_name(name), metadata)
        if name != MAIN and any(one.snapshot_id == here.snapshot_id for one in line):
            return False
    if after is None:
        return True
    first, last = here.sequence_number or 0, after.sequence_number or 0
    return last <= first + 1 and after.parent_snapshot_id in {here.snapshot_id, None}


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
    return info_of(metadata, ordered[0]) if ordered else None


def info_of(metadata: TableMetadata, snapshot: Snapshot) -> SnapshotInfo:
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
