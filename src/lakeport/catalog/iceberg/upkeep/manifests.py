"""Joins small manifests: the same entries in fewer of them, neighbours in partition next to each other.

A reader prunes manifests by the span of partitions they hold, so sorted ones are worth more than large
ones. Data and deletes stay apart, and so do partition specs. No entry is lost or changed: each keeps the
snapshot that added it and its sequence numbers. What another commit adds meanwhile is not touched, and
one that takes a manifest apart makes the work begin anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from pyiceberg.table.snapshots import Operation

from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.commit.entries import EXISTING, FileEntry
from lakeport.catalog.iceberg.commit.files import Scratch
from lakeport.catalog.iceberg.commit.listed import ManifestRow
from lakeport.catalog.iceberg.commit.manifests import ManifestFiles, Marked
from lakeport.catalog.iceberg.parts import MEBIBYTE, Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.travel import version_of
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.upkeep import Policy, Regrouped
from lakeport.core.names import TableName

STATEMENT = "rewrite manifests"

_TARGET_BYTES = 8 * MEBIBYTE
# Entries are compressed in a manifest and not while they are counted.
_ENTRY_BYTES = 4 * _TARGET_BYTES
_NO_SNAPSHOT = 0  # entries that stay have one of their own


def rewrite_manifests(
    surroundings: Surroundings,
    name: TableName,
    policy: Policy,
    context: WriteContext | None = None,
) -> Regrouped:
    source = surroundings.source(name)
    require_writable(source)
    before = len(listed_manifests(source))
    if not joinable(listed_manifests(source), policy):
        return Regrouped((), before, before)
    member = _Regrouping(context or WriteContext(statement=STATEMENT), policy)
    try:
        uuid = str(source.metadata.table_uuid)
        done = surroundings.commits.commit(name, uuid, member)
    finally:
        member.settle()
    after = len(listed_manifests(done.source))
    version = version_of(done.snapshot)
    is_new = done.effect is not None and version is not None
    return Regrouped((version,) if is_new and version else (), before, after)


def listed_manifests(source: Source) -> Sequence[ManifestRow]:
    """Those of the head that hold files."""
    listed = _files(source, None).listed(source.metadata.current_snapshot())
    return [row for row in listed.rows if row.files]


def joinable(rows: Sequence[ManifestRow], policy: Policy) -> list[list[ManifestRow]]:
    """Manifests that are small enough to be joined with others, if they are too many."""
    kinds: dict[tuple[int, int], list[ManifestRow]] = defaultdict(list)
    for row in rows:
        if row.length < policy.small_share * _TARGET_BYTES:
            kinds[row.content, row.spec_id].append(row)
    most = 1 if policy.force else max(1, policy.manifests)
    if sum(map(len, kinds.values())) <= most and not policy.force:
        return []
    return [some for some in kinds.values() if len(some) > 1]


class _Regrouping:
    """The member of a commit; what it wrote fits one head."""

    def __init__(self, context: WriteContext, policy: Policy) -> None:
        self.context = context
        self._policy = policy
        self._scratch: Scratch | None = None
        self._head: int | None = None
        self._effect: Effect | None = None

    @property
    def shares(self) -> bool:
        return False

    def prepare(self, head: Head) -> Effect | None:
        snapshot = head.snapshot
        if snapshot is None:
            return None
        if snapshot.snapshot_id != self._head:
            self.discard()
            self._scratch = Scratch(head.source.io, durable=False)
            self._effect = self._joined(head.source, self._scratch)
            self._head = snapshot.snapshot_id
        return self._effect

    def discard(self) -> None:
        if self._scratch is not None:
            self._scratch.discard()
        self._head = None

    def settle(self) -> None:
        """The commit is over. What it named belongs to the table, what it did not was removed."""
        if self._scratch is not None:
            self._scratch.settled()

    def _joined(self, source: Source, scratch: Scratch) -> Effect | None:
        files = _files(source, scratch)
        gone: list[ManifestRow] = []
        made: list[ManifestRow] = []
        for rows in joinable(listed_manifests(source), self._policy):
            entries = sorted((file for row in rows for file in files.entries(row)), key=_order)
            pieces = list(_pieces(entries))
            if len(pieces) < len(rows):
                first = rows[0]
                made += [files.write(first.spec_id, first.content, piece) for piece in pieces]
                gone += rows
        if not gone:
            return None
        return Effect(
            manifests=tuple(made),
            replaced_manifests=frozenset(row.path for row in gone),
            operation=Operation.REPLACE,
            summary={
                "manifests-replaced": str(len(gone)),
                "manifests-created": str(len(made)),
                "entries-processed": str(sum(row.files for row in made)),
            },
        )


def _files(source: Source, scratch: Scratch | None) -> ManifestFiles:
    return ManifestFiles(
        source, source.metadata, _NO_SNAPSHOT, scratch or Scratch(source.io, durable=False)
    )


def _order(file: FileEntry) -> tuple[Any, ...]:
    """By partition, NULL first, then by age."""
    place = tuple((value is not None, value) for value in file.partition)
    return place, file.sequence or 0, file.path


def _pieces(entries: Sequence[FileEntry]) -> Iterator[list[Marked]]:
    piece: list[Marked] = []
    size = 0
    for file in entries:
        if piece and size + len(file.encoded) > _ENTRY_BYTES:
            yield piece
            piece, size = [], 0
        piece.append(Marked(file, EXISTING))
        size += len(file.encoded)
    if piece:
        yield piece
