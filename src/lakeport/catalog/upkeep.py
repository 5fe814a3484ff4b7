"""The upkeep of a table as plain values: what there is to do, from when on, and what was done.

Four tasks keep a table quick and small, none of them changes a row: `expire` forgets old snapshots and
removes the files that only they named, `compact` joins small files and writes out what was deleted,
`manifests` joins the lists of files, `orphans` removes files that nothing names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from lakeport.core.timepoint import NANOSECONDS

DAY = 24 * 60 * 60 * NANOSECONDS
ORPHAN_GRACE = 3 * DAY


class Task(StrEnum):
    """In the order in which they are best done: each leaves something for the next to clear away."""

    EXPIRE = "expire"
    COMPACT = "compact"
    MANIFESTS = "manifests"
    ORPHANS = "orphans"


@dataclass(frozen=True, slots=True)
class Policy:
    """From when on a task is due; times are in nanoseconds.

    Of the snapshots, the newest `keep_snapshots` stay, and all that are younger than `keep_for`. So
    many `small_files` in one partition are joined; a file is small below `small_share` of the size
    that the table wants. A file is written anew when `deleted_share` of its rows are deleted, or when
    `delete_files` of them apply to it, whatever their rows. More than `manifests` small lists of files
    are joined. A file that nothing names is an orphan once it is older than `orphan_grace`. With
    `force` everything that can be joined is. A commit of a compaction takes `group_bytes`: what
    another writer makes worthless must not be too much, and a commit per partition would be too many.
    Fewer files than `small_files`, with fewer delete files than `delete_files`, are left as they are while
    all of them together are below `least_bytes`: nobody would feel the difference.
    """

    keep_snapshots: int = 20
    keep_for: int = 5 * DAY
    small_files: int = 8
    small_share: float = 0.75
    deleted_share: float = 0.1
    delete_files: int = 8
    manifests: int = 100
    orphan_grace: int = ORPHAN_GRACE
    force: bool = False
    group_bytes: int = 1 << 30
    least_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a task should be done now, why, and the numbers that say so."""

    task: Task
    is_due: bool
    reason: str
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expired:
    """Snapshots that were forgotten, and the files that went with them.

    `left` files could not be removed; nothing names them now, so they are orphans.
    """

    snapshots: int = 0
    files: int = 0
    bytes: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Compacted:
    """Files written anew and those in their place; `deletes` are delete files that nothing needs now.

    Each of the `versions` holds the same rows as the one before it. `skipped` groups of files were
    changed by others so often that they were left as they are.
    """

    versions: tuple[int, ...] = ()
    rewritten: int = 0
    written: int = 0
    deletes: int = 0
    rows: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Regrouped:
    """How many manifests the table had and has; `versions` is the one that was committed, if any."""

    versions: tuple[int, ...] = ()
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file that nothing names; `modified` in nanoseconds since 1970."""

    path: str
    bytes: int
    modified: int


@dataclass(frozen=True, slots=True)
class Swept:
    """Orphans that were found and, unless it was a rehearsal, removed; `left` could not be."""

    files: int = 0
    bytes: int = 0
    left: int = 0


Done: TypeAlias = Expired | Compacted | Regrouped | Swept
