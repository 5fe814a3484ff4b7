"""A snapshot's summary: who made it, what came and went, and how much there is now.

Totals of files and rows are added up from the manifest list, so that they are right whatever the parent
said; sizes and the two kinds of deletes are not in the list and go on from the parent's.
Records are counted as Iceberg does: by data file, whether or not some of their rows were deleted since.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyiceberg.table.snapshots import Operation, Snapshot, Summary

from lakeport.catalog.history import ACTOR, STATEMENT
from lakeport.catalog.iceberg.commit.entries import FileEntry
from lakeport.catalog.iceberg.commit.listed import DATA, DELETES, ManifestRow
from lakeport.catalog.iceberg.manifests.entries import EQUALITY, partition_key
from lakeport.catalog.ports import WriteContext

_POSITIONS = 1

_ENGINE = {"engine-name": "lakeport"}


@dataclass(slots=True)
class Changes:
    """The files that a snapshot adds and removes, of both kinds, with the ids of their specs."""

    added: list[tuple[int, FileEntry]] = field(default_factory=list)
    removed: list[tuple[int, FileEntry]] = field(default_factory=list)

    def operation(self) -> Operation:
        """What it is if nobody says."""
        gains = any(file.content == DATA for _, file in self.added)
        loses = bool(self.removed) or any(file.content != DATA for _, file in self.added)
        if gains and loses:
            return Operation.OVERWRITE
        return Operation.DELETE if loses else Operation.APPEND


def summarise(
    operation: Operation,
    changes: Changes,
    listed: Sequence[ManifestRow],
    parent: Snapshot | None,
    said: Mapping[str, str],
) -> Summary:
    """`said` is what the statements say of themselves; the counts are ours to say."""
    counts = _counts(changes)
    said = {key: value for key, value in said.items() if key != "operation"}
    totals = {
        "total-data-files": sum(row.files for row in listed if row.content == DATA),
        "total-records": sum(row.rows for row in listed if row.content == DATA),
        "total-delete-files": sum(row.files for row in listed if row.content == DELETES),
        **_continued(parent, counts),
    }
    shown = {key: str(value) for key, value in counts.items() if value}
    return Summary(
        operation,
        **{**said, **shown, **{key: str(value) for key, value in totals.items()}, **_ENGINE},
    )


def statements_said(contexts: Iterable[WriteContext]) -> dict[str, str]:
    """Of several that share a snapshot, each actor and each statement is named once."""
    given = list(contexts)
    actors = dict.fromkeys(each.actor for each in given if each.actor)
    statements = dict.fromkeys(each.statement for each in given if each.statement)
    said = {ACTOR: ", ".join(actors), STATEMENT: ", ".join(statements)}
    found = {key: value for key, value in said.items() if value}
    for each in given:
        found.update(each.summary)
    return found


def _counts(changes: Changes) -> dict[str, int]:
    added = [file for _, file in changes.added]
    removed = [file for _, file in changes.removed]
    partitions: set[Hashable] = {
        (spec_id, partition_key(file.partition))
        for spec_id, file in (*changes.added, *changes.removed)
    }
    return {
        "added-data-files": _files(added, DATA),
        "deleted-data-files": _files(removed, DATA),
        "added-records": _rows(added, DATA),
        "deleted-records": _rows(removed, DATA),
        "added-files-size": sum(file.size for file in added),
        "removed-files-size": sum(file.size for file in removed),
        "added-delete-files": len(added) - _files(added, DATA),
        "removed-delete-files": len(removed) - _files(removed, DATA),
        "added-position-delete-files": _files(added, _POSITIONS),
        "removed-position-delete-files": _files(removed, _POSITIONS),
        "added-position-deletes": _rows(added, _POSITIONS),
        "removed-position-deletes": _rows(removed, _POSITIONS),
        "removed-equality-delete-files": _files(removed, EQUALITY),
        "removed-equality-deletes": _rows(removed, EQUALITY),
        "changed-partition-count": len(partitions),
    }


def _files(files: Sequence[FileEntry], content: int) -> int:
    return sum(file.content == content for file in files)


def _rows(files: Sequence[FileEntry], content: int) -> int:
    return sum(file.rows for file in files if file.content == content)


_CONTINUED = (
    ("total-files-size", "added-files-size", "removed-files-size"),
    ("total-position-deletes", "added-position-deletes", "removed-position-deletes"),
    ("total-equality-deletes", "added-equality-deletes", "removed-equality-deletes"),
)


def _continued(parent: Snapshot | None, counts: Mapping[str, int]) -> dict[str, int]:
    """Left out where the parent does not say it, as a number that is too small would be wrong."""
    found = {}
    for total, added, removed in _CONTINUED:
        before = "0"
        if parent is not None:
            said = None if parent.summary is None else parent.summary.additional_properties
            before = "" if said is None else said.get(total, "")
        if before.isdigit():
            after = int(before) + counts.get(added, 0) - counts.get(removed, 0)
            if after >= 0:
                found[total] = after
    return found
