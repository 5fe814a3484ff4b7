"""The use case: look what is due, do it, and say what came of it.

What a task has changed is looked at again before the next one, which may find something else. A
table that fails does not keep the others from their turn; a catalog that cannot be reached does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from lakeport.app.lake.find import find_table
from lakeport.app.maintain.choose import Chosen
from lakeport.app.maintain.report import DroppedReport, Measures, Report, TableReport, TaskReport
from lakeport.catalog.ports import (
    Catalog,
    Maintainable,
    Restoring,
    Sweepable,
    Table,
    WriteContext,
    require,
)
from lakeport.catalog.upkeep import Done, Due, Policy, Task
from lakeport.core.errors import (
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnavailableError,
    UnsupportedError,
)
from lakeport.core.names import quoted
from lakeport.state import Lease

_MEASURES = tuple(field.name for field in fields(Measures))
_MEASURING = (Task.EXPIRE, Task.COMPACT, Task.MANIFESTS)


@dataclass(frozen=True, slots=True)
class _Job:
    tasks: Collection[Task]
    policy: Policy
    dry_run: bool
    actor: str | None
    held: Collection[Lease]


def maintain_tables(  # noqa: PLR0913  what is done to which tables, and how far
    catalog: Catalog,
    tables: Sequence[Chosen],
    tasks: Collection[Task],
    policy: Policy,
    *,
    dry_run: bool = False,
    actor: str | None = None,
    held: Collection[Lease] = (),
) -> Report:
    """With `policy.force`, tasks are done whether or not they are due.

    `held` are leases of runs that write now: a file that nothing names yet may be theirs, so none is removed.
    """
    job = _Job(tasks, policy, dry_run, actor, held)
    reports = (_maintained(catalog, chosen, job) for chosen in tables)
    return Report(dry_run, tuple(report for report in reports if report is not None))


def remove_dropped(catalog: Catalog, *, dry_run: bool = False) -> tuple[DroppedReport, ...]:
    """What is left of tables that can no longer be brought back; nothing if no table ever can."""
    if not isinstance(catalog, Restoring):
        return ()
    return tuple(
        DroppedReport(str(each.table.name), each.files, each.bytes, each.left, each.problem)
        for each in catalog.remove_dropped(dry_run=dry_run)
    )


def _maintained(catalog: Catalog, chosen: Chosen, job: _Job) -> TableReport | None:
    report = TableReport(chosen.name)
    try:
        upkeep = _Upkeep(find_table(catalog, chosen.name), job)
        report = replace(report, before=upkeep.measured())
        for done in upkeep.tasks():
            report = replace(report, tasks=(*report.tasks, done))
        if any(task.has_changed for task in report.tasks):
            report = replace(report, after=upkeep.measured())
    except UnavailableError:
        raise
    except (UnsupportedError, PreconditionError) as error:
        if chosen.is_named:
            return _failed(report, error)
        return replace(report, skipped=error.message)
    except NotFoundError as error:
        if chosen.is_named:
            return _failed(report, error)
        return None  # dropped since it was listed
    except LakeportError as error:
        return _failed(report, error)
    return report


def _failed(report: TableReport, error: LakeportError) -> TableReport:
    return replace(report, problem=error.message, hint=error.hint)


class _Upkeep:
    """One table on its way through the tasks."""

    def __init__(self, table: Table, job: _Job) -> None:
        what = f"table {quoted(str(table.name))}"
        self._table = require(table, Maintainable, what)
        self._sweepable = require(table, Sweepable, what)
        self._job = job
        self._policy = job.policy
        self._known: dict[Task, Due] = {}
        """What was found since something was last changed: each look reads the table's manifests."""

    def measured(self) -> Measures:
        numbers: dict[str, int] = {}
        for due in self._table.due(self._policy, _MEASURING):
            self._known[due.task] = due
            numbers |= due.numbers
        return Measures(**{name: numbers.get(name, 0) for name in _MEASURES})

    def tasks(self) -> Iterator[TaskReport]:
        held = self._job.held
        for task in (each for each in Task if each in self._job.tasks):
            if task is Task.ORPHANS and held:
                yield TaskReport(task, due=False, reason=_writing(held), numbers={})
                continue
            due = self._found(task)
            wanted = not self._job.dry_run and (due.is_due or self._policy.force)
            yield _told(due, self._do(task) if wanted else None)

    def _found(self, task: Task) -> Due:
        if task not in self._known:
            (self._known[task],) = self._table.due(self._policy, [task])
        return self._known[task]

    def _do(self, task: Task) -> Done:
        self._known.clear()
        context = WriteContext(actor=self._job.actor, statement=f"maintain: {task}")
        match task:
            case Task.EXPIRE:
                return self._table.forget(self._policy, context)
            case Task.COMPACT:
                return self._table.compact(self._policy, context)
            case Task.MANIFESTS:
                return self._table.rewrite_manifests(self._policy, context)
            case Task.ORPHANS:
                return self._sweepable.remove_orphans(grace=self._policy.orphan_grace)


def _writing(held: Collection[Lease]) -> str:
    first = next(iter(held))
    others = f" and {len(held) - 1} more" if len(held) > 1 else ""
    return f"skipped: run {first.owner.run_id} writes {first.table}{others} now"


def _told(due: Due, done: Done | None) -> TaskReport:
    return TaskReport(due.task, due.is_due, due.reason, dict(due.numbers), done)
