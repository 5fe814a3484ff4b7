"""Compaction: groups of files, one commit each, as long as there is something worth doing.

Every group is planned against the head it is written from. A commit of somebody else in between makes
the plan old: the rest is planned again, without what was written here and without what is newer than the
beginning, so that it ends however busy the table is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pyiceberg.table.snapshots import Operation

from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.travel import version_of
from lakeport.catalog.iceberg.upkeep.dangling import dangling_deletes
from lakeport.catalog.iceberg.upkeep.groups import choose, group
from lakeport.catalog.iceberg.upkeep.rewrite import Rewrite, StaleError, find_files
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.upkeep import Compacted, Policy
from lakeport.core.errors import CorruptDataError
from lakeport.core.names import TableName

# How often work may be worthless, because others were faster, before the rest is left for another time.
_PATIENCE = 8

STATEMENT = "compact"


def compact(
    surroundings: Surroundings,
    name: TableName,
    policy: Policy,
    context: WriteContext | None = None,
) -> Compacted:
    source = surroundings.source(name)
    require_writable(source)
    given = context or WriteContext(statement=STATEMENT)
    return _Compaction(surroundings, source, policy, given).run()


@dataclass(slots=True)
class _Tally:
    """Adds up to a `Compacted`."""

    versions: list[int] = field(default_factory=list)
    rewritten: int = 0
    written: int = 0
    deletes: int = 0
    rows: int = 0
    bytes_before: int = 0
    bytes_after: int = 0

    def count(self, version: int, effect: Effect, files: tuple[DataFile, ...]) -> None:
        self.versions.append(version)
        self.rewritten += len(files)
        self.written += len(effect.added)
        self.deletes += len(effect.removed_deletes)
        self.rows += sum(file.record_count for file in effect.added)
        self.bytes_before += sum(file.bytes for file in files)
        self.bytes_after += sum(file.file_size_in_bytes for file in effect.added)

    def total(self, skipped: int) -> Compacted:
        return Compacted(
            tuple(self.versions),
            self.rewritten,
            self.written,
            self.deletes,
            self.rows,
            self.bytes_before,
            self.bytes_after,
            skipped,
        )


@dataclass(slots=True)
class _Compaction:
    surroundings: Surroundings
    source: Source
    policy: Policy
    context: WriteContext
    fresh: set[str] = field(default_factory=set)
    tally: _Tally = field(default_factory=_Tally)
    worthless: int = 0

    def run(self) -> Compacted:
        uuid, newest = str(self.source.metadata.table_uuid), _newest(self.source)
        left = self._groups(newest)
        while left and self.worthless < _PATIENCE:
            fits = self._is_done(uuid, left[0])
            left = left[1:] if fits else self._groups(newest)
        if not left:
            self._clear(uuid)
        return self.tally.total(len(left))

    def _groups(self, newest: int) -> list[tuple[DataFile, ...]]:
        snapshot = self.source.metadata.current_snapshot()
        if snapshot is None:
            return []
        inventory = inventory_of(self.source, snapshot)
        chosen = choose(inventory, self.policy, newest=newest, without=self.fresh)
        return list(group(chosen.files, self.policy.group_bytes))

    def _is_done(self, uuid: str, files: tuple[DataFile, ...]) -> bool:
        """Whether the rest of the plan still fits the head."""
        before = self.source
        try:
            done = self._rewritten(uuid, files)
        except StaleError:
            self._refresh()
            self.worthless += 1
            return False
        except CorruptDataError:
            # The file may be gone because it left the table and its snapshot has been expired.
            self._refresh()
            if self._has_all(files):
                raise
            self.worthless += 1
            return False
        self._count(done, files)
        after, planned = done.snapshot, before.metadata.current_snapshot_id
        return after is not None and after.parent_snapshot_id == planned

    def _rewritten(self, uuid: str, files: tuple[DataFile, ...]) -> Committed:
        rewrite = Rewrite(self.source, files, self.context)
        rewrite.write()
        try:
            return self.surroundings.commits.commit(self.source.name, uuid, rewrite)
        finally:
            rewrite.forget()

    def _clear(self, uuid: str) -> None:
        """Delete files that were of no use before, too."""
        member = _Clearing(self.context)
        done = self.surroundings.commits.commit(self.source.name, uuid, member)
        if done.effect is not None:
            self._count(done, ())

    def _count(self, done: Committed, files: tuple[DataFile, ...]) -> None:
        self.source = done.source
        if done.effect is not None:
            self.fresh.update(file.file_path for file in done.effect.added)
            self.tally.count(version_of(done.snapshot) or 0, done.effect, files)

    def _refresh(self) -> None:
        name = self.source.name
        self.surroundings.pointers.forget(name)
        self.source = self.surroundings.source(name)

    def _has_all(self, files: tuple[DataFile, ...]) -> bool:
        snapshot = self.source.metadata.current_snapshot()
        if snapshot is None:
            return False
        found = find_files(inventory_of(self.source, snapshot), [file.path for file in files])
        return len(found) == len(files)


@dataclass(frozen=True, slots=True)
class _Clearing:
    """Takes delete files out that apply to nothing."""

    context: WriteContext
    shares: bool = False

    def prepare(self, head: Head) -> Effect | None:
        snapshot = head.snapshot
        if snapshot is None:
            return None
        found = dangling_deletes(inventory_of(head.source, snapshot))
        if not found:
            return None
        return Effect(removed_deletes=found, operation=Operation.REPLACE)

    def discard(self) -> None:
        """It writes nothing."""


def _newest(source: Source) -> int:
    snapshot = source.metadata.current_snapshot()
    return 0 if snapshot is None else snapshot.sequence_number or 0
