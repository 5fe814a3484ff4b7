"""What came of maintaining tables, for a person and for a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakeport.app.maintain.leftovers import LeftoverReport
from lakeport.catalog.upkeep import Compacted, Done, Expired, Regrouped, Swept, Task


@dataclass(frozen=True, slots=True)
class Measures:
    """How large a table is, in all that upkeep makes smaller; `bytes` are those of live files."""

    snapshots: int = 0
    data_files: int = 0
    delete_files: int = 0
    manifests: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class TaskReport:
    """`done` is None when the task was not due, or was only rehearsed, or failed."""

    task: Task
    due: bool
    reason: str
    numbers: Mapping[str, int]
    done: Done | None = None

    @property
    def has_changed(self) -> bool:
        """A task that was forced may have found nothing to do."""
        match self.done:
            case None:
                return False
            case Expired():
                return self.done.snapshots > 0
            case Compacted() | Regrouped():
                return bool(self.done.versions)
            case Swept():
                return self.done.files > 0


@dataclass(frozen=True, slots=True)
class TableReport:
    """`after` is None if nothing was changed. `skipped` says why a table is not for us to maintain, and
    `problem` what went wrong: tasks before it were done.
    """

    table: str
    tasks: tuple[TaskReport, ...] = ()
    before: Measures | None = None
    after: Measures | None = None
    skipped: str | None = None
    problem: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class DroppedReport:
    """A dropped table that can no longer be brought back: the files that went, or would."""

    table: str
    files: int = 0
    bytes: int = 0
    left: int = 0
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """`leftovers` are what killed runs left and nobody wants any more; `problem` is about all of it."""

    dry_run: bool
    tables: tuple[TableReport, ...]
    dropped: tuple[DroppedReport, ...] = ()
    leftovers: tuple[LeftoverReport, ...] = ()
    problem: str | None = None

    @property
    def has_problems(self) -> bool:
        told = (
            self.problem,
            *(table.problem for table in self.tables),
            *(table.problem for table in self.dropped),
            *(left.problem for left in self.leftovers),
        )
        return any(problem is not None for problem in told)
