"""Updates of what a table holds: snapshots, branches and tags, statistics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRef, SnapshotRefType
from pyiceberg.table.snapshots import Snapshot, SnapshotLogEntry
from pyiceberg.table.statistics import StatisticsCommonFields

from lakeport.catalog.evolution.rules import RULES, rules_of
from lakeport.catalog.iceberg.door import messages
from lakeport.catalog.iceberg.door.draft import Draft, require_known
from lakeport.catalog.iceberg.door.parts import (
    partition_statistics_of,
    snapshot_of,
    statistics_of,
)
from lakeport.core.errors import ConflictError, InvalidRequestError
from lakeport.core.names import quoted

File = TypeVar("File", bound=StatisticsCommonFields)

# Other readers refuse a table whose history goes back in time by more than this.
_TOLERANCE_MS = 60_000


def add_snapshot(draft: Draft, update: messages.AddSnapshot) -> None:
    snapshot = snapshot_of(update.snapshot)
    number = snapshot.snapshot_id
    if not draft.schemas or not draft.specs or not draft.orders:
        raise InvalidRequestError(
            "a snapshot needs a schema, a partition spec and a sort order",
            hint="add those first",
        )
    if any(each.snapshot_id == number for each in draft.snapshots):
        raise InvalidRequestError(f"the table has a snapshot {number} already")
    if snapshot.schema_id is not None:
        known = {each.schema_id for each in draft.schemas}
        require_known(is_known=snapshot.schema_id in known, what=f"schema {snapshot.schema_id}")
    _require_rules(draft, snapshot)
    if draft.format_version > 1:
        snapshot = _numbered(draft, snapshot)
        draft.last_sequence_number = snapshot.sequence_number or 0
    draft.snapshots = [*draft.snapshots, snapshot]
    draft.added_snapshots.add(number)
    draft.is_changed = True


def remove_snapshots(draft: Draft, update: messages.RemoveSnapshots) -> None:
    doomed = set(update.snapshot_ids) & {each.snapshot_id for each in draft.snapshots}
    if not doomed:
        return
    draft.snapshots = [each for each in draft.snapshots if each.snapshot_id not in doomed]
    for name in [name for name, ref in draft.refs.items() if ref.snapshot_id in doomed]:
        _remove_ref(draft, name)
    draft.statistics = _without(draft.statistics, *doomed)
    draft.partition_statistics = _without(draft.partition_statistics, *doomed)
    draft.is_changed = True


def set_snapshot_ref(draft: Draft, update: messages.SetSnapshotRef) -> None:
    name, ref = update.ref_name, _ref_of(update)
    if draft.refs.get(name) == ref:
        return
    snapshot = next(
        (each for each in reversed(draft.snapshots) if each.snapshot_id == ref.snapshot_id), None
    )
    if snapshot is None:
        require_known(is_known=False, what=f"snapshot {ref.snapshot_id}")
        return
    if name == MAIN_BRANCH:
        is_added = ref.snapshot_id in draft.added_snapshots
        _log_main(draft, ref.snapshot_id, snapshot.timestamp_ms if is_added else draft.now)
    draft.refs[name] = ref
    draft.is_changed = True


def remove_snapshot_ref(draft: Draft, update: messages.RemoveSnapshotRef) -> None:
    if update.ref_name in draft.refs:
        _remove_ref(draft, update.ref_name)


def set_statistics(draft: Draft, update: messages.SetStatistics) -> None:
    file = statistics_of(update.statistics)
    _require_snapshot(draft, file.snapshot_id)
    draft.statistics = [*_without(draft.statistics, file.snapshot_id), file]
    draft.is_changed = True


def remove_statistics(draft: Draft, update: messages.RemoveStatistics) -> None:
    kept = _without(draft.statistics, update.snapshot_id)
    draft.is_changed |= kept != draft.statistics
    draft.statistics = kept


def set_partition_statistics(draft: Draft, update: messages.SetPartitionStatistics) -> None:
    file = partition_statistics_of(update.partition_statistics)
    _require_snapshot(draft, file.snapshot_id)
    draft.partition_statistics = [*_without(draft.partition_statistics, file.snapshot_id), file]
    draft.is_changed = True


def remove_partition_statistics(draft: Draft, update: messages.RemovePartitionStatistics) -> None:
    kept = _without(draft.partition_statistics, update.snapshot_id)
    draft.is_changed |= kept != draft.partition_statistics
    draft.partition_statistics = kept


def _require_rules(draft: Draft, snapshot: Snapshot) -> None:
    """What its rows were checked by, if it says so, is still what the table asks of rows."""
    summary = snapshot.summary
    checked = None if summary is None else summary.additional_properties.get(RULES)
    if checked is None:
        return
    schema = next(each for each in draft.schemas if each.schema_id == draft.current_schema_id)
    if checked != rules_of(schema.model_dump(mode="json", by_alias=True), draft.properties):
        raise ConflictError(
            "the table's rules have changed since the rows were checked", hint="check them again"
        )


def _numbered(draft: Draft, snapshot: Snapshot) -> Snapshot:
    """With a sequence number that is the table's next, or later."""
    sequence, last = snapshot.sequence_number or 0, draft.last_sequence_number
    if sequence > last:
        return snapshot
    parent = snapshot.parent_snapshot_id
    replaces = parent is None and MAIN_BRANCH not in draft.refs
    if replaces or parent in draft.renumbered:
        # Engines replace a table whatever was written to it meanwhile, and never number such snapshots
        # anew. They hold files of this commit alone, so the number, which is our version of the table,
        # can be given here.
        draft.renumbered.add(snapshot.snapshot_id)
        return snapshot.model_copy(update={"sequence_number": last + 1})
    raise ConflictError(
        f"the snapshot has sequence number {sequence}, and the table is at {last} already",
        hint="load the table again, and repeat the change if it still makes sense",
    )


def _without(files: Iterable[File], *snapshots: int) -> list[File]:
    return [each for each in files if each.snapshot_id not in snapshots]


def _ref_of(update: messages.SetSnapshotRef) -> SnapshotRef:
    try:
        kind = SnapshotRefType(update.type.lower())
    except ValueError:
        raise InvalidRequestError(
            f"{quoted(update.type)} is no kind of reference", hint="it is `branch` or `tag`"
        ) from None
    is_branch = kind is SnapshotRefType.BRANCH
    if update.ref_name == MAIN_BRANCH and not is_branch:
        raise InvalidRequestError(f"{quoted(MAIN_BRANCH)} is a branch, and cannot be a tag")
    if not is_branch and (update.min_snapshots_to_keep or update.max_snapshot_age_ms):
        raise InvalidRequestError("a tag keeps one snapshot: it has no rules for others")
    limits = (update.max_ref_age_ms, update.max_snapshot_age_ms, update.min_snapshots_to_keep)
    if any(limit is not None and limit <= 0 for limit in limits):
        raise InvalidRequestError("what a reference keeps is more than nothing")
    return SnapshotRef.model_validate(
        {
            "snapshot-id": update.snapshot_id,
            "type": kind,
            "min-snapshots-to-keep": update.min_snapshots_to_keep,
            "max-snapshot-age-ms": update.max_snapshot_age_ms,
            "max-ref-age-ms": update.max_ref_age_ms,
        }
    )


def _log_main(draft: Draft, snapshot_id: int, at: int) -> None:
    last = draft.log[-1].timestamp_ms if draft.log else at
    if at < last - _TOLERANCE_MS:
        raise InvalidRequestError(
            f"the snapshot is {(last - at) // 1000} s older than the one before it",
            hint="a clock is wrong: that of this client, or of who wrote last",
        )
    draft.current_snapshot_id = snapshot_id
    entry = SnapshotLogEntry.model_validate({"snapshot-id": snapshot_id, "timestamp-ms": at})
    draft.log = [*draft.log, entry]


def _remove_ref(draft: Draft, name: str) -> None:
    del draft.refs[name]
    if name == MAIN_BRANCH:
        draft.current_snapshot_id = None
    draft.is_changed = True


def _require_snapshot(draft: Draft, number: int) -> None:
    known = any(each.snapshot_id == number for each in draft.snapshots)
    require_known(is_known=known, what=f"snapshot {number}")
