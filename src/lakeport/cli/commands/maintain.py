"""`lakeport maintain`: what is due to keep tables quick and small, and doing it."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app import wiring
from lakeport.app.lake.actor import current_actor
from lakeport.app.maintain import (
    DroppedReport,
    LeftoverReport,
    Measures,
    Report,
    TableReport,
    choose_tables,
    find_leftovers,
    forget_runs,
    is_staging,
    leftover_age,
    maintain_tables,
    policy_of,
    remove_dropped,
    remove_leftovers,
    require_own_upkeep,
)
from lakeport.app.maintain.choose import Chosen
from lakeport.catalog.upkeep import Compacted, Done, Expired, Regrouped, Swept, Task
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.sizes import counted, size_text
from lakeport.core.duration import parse_duration
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName, nearest, quoted
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.app.settings import Settings
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.cli.output.text import Cell, Page
    from lakeport.state import Store

LEFTOVERS = "leftovers"
"""The task that is about no table: what killed runs left."""

_WORDS = (LEFTOVERS, *Task)
_TASKS = ", ".join(_WORDS)


@command
def maintain(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE...", help="NAMESPACE.TABLE or a pattern [default: all]."),
    ] = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what is due, and change nothing.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(metavar="TASK,...", help=f"Some tasks of: {_TASKS}.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Do what can be done, due or not.")
    ] = False,
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="AGE", help="How old orphans must be, like 12h [default: 3d or as set]."
        ),
    ] = None,
    catalog: Annotated[
        str | None, typer.Option(metavar="NAME", help="In this catalog [default: the first].")
    ] = None,
) -> Answer[Report]:
    """Keep tables quick and small.

    What killed runs left is removed, old snapshots are forgotten, small files and deletes joined, lists
    of files shortened, files that nothing names removed: whatever is due by the settings of
    [maintenance]. No row changes. While a run is at work, no file is taken for one that nothing names.
    Without TABLE, `leftovers` removes staging tables and branches of all tables and forgets old runs,
    and `orphans` what is left of dropped tables that can no longer be brought back. The exit code is 1
    if a table could not be maintained.
    """
    settings = call.settings().with_catalog(catalog)
    require_own_upkeep(settings)
    words = _words(only)
    tasks = tuple(task for task in Task if task in words)
    grace = None if older_than is None else parse_duration(older_than)
    policy = policy_of(settings.maintenance, grace=grace, force=force)
    with ExitStack() as stack:
        lake = stack.enter_context(closing(wiring.open_catalog(settings)))
        has_state = wiring.has_state(settings)
        store = stack.enter_context(wiring.open_state(settings)) if has_state else None
        chosen = choose_tables(lake, tables or ())
        left: tuple[LeftoverReport, ...] = ()
        if LEFTOVERS in words:
            left = _clear_leftovers(lake, store, settings, chosen, dry_run=dry_run)
        report = maintain_tables(
            lake,
            [each for each in chosen if not _is_staging(each)],
            tasks,
            policy,
            dry_run=dry_run,
            actor=current_actor(),
            held=() if store is None else store.leases.held(lake.name),
        )
        report = replace(report, leftovers=left)
        if not tables and Task.ORPHANS in tasks:
            report = replace(report, dropped=remove_dropped(lake, dry_run=dry_run))
        if not tables and LEFTOVERS in words and store is not None and not dry_run:
            forget_runs(settings, store)
    return Answer(report, _show, ExitCode.NO if report.has_problems else ExitCode.DONE)


def _clear_leftovers(
    lake: IcebergCatalog,
    store: Store | None,
    settings: Settings,
    chosen: Sequence[Chosen],
    *,
    dry_run: bool,
) -> tuple[LeftoverReport, ...]:
    names = [name for each in chosen if (name := TableName.parse(each.name)) is not None]
    found = find_leftovers(lake, store, names, older_than=leftover_age(settings))
    return remove_leftovers(lake, found, dry_run=dry_run)


def _is_staging(chosen: Chosen) -> bool:
    """Such a table lives for minutes, and goes as a whole."""
    name = TableName.parse(chosen.name)
    return not chosen.is_named and name is not None and is_staging(name)


def _words(only: str | None) -> tuple[str, ...]:
    if only is None:
        return _WORDS
    words = [word.strip().lower() for word in only.split(",") if word.strip()]
    unknown = next((word for word in words if word not in _WORDS), None)
    if unknown is not None or not words:
        wrong = only if unknown is None else unknown
        close = nearest(wrong, _WORDS)
        raise InvalidRequestError(
            f"{quoted(wrong)} is no task of upkeep",
            hint=f"did you mean {quoted(close)}? tasks: {_TASKS}" if close else f"tasks: {_TASKS}",
        )
    return tuple(words)


# -- as text -------------------------------------------------------------------------------------


def _show(report: Report, page: Page) -> None:
    if not report.tables and not report.dropped and not report.leftovers:
        page.line("there are no tables yet; `lakeport load NAMESPACE.TABLE FILE` makes one")
        return
    page.table(
        ("table", "task", "due", "why") if report.dry_run else ("table", "task", "why", "done"),
        [
            *(_left(each, page, dry_run=report.dry_run) for each in report.leftovers),
            *(row for table in report.tables for row in _rows(table, page, dry_run=report.dry_run)),
            *(_dropped(each, page, dry_run=report.dry_run) for each in report.dropped),
        ],
    )
    changed = [table for table in report.tables if table.before and table.after]
    if changed:
        page.line()
        page.table(
            ("table", "", "snapshots", "data files", "delete files", "manifests", "size"),
            [row for table in changed for row in _sizes(table, page)],
        )
    for table in report.tables:
        if table.problem:
            page.line()
            page.line(page.bad("failed: "), page.name(table.table), ": ", table.problem)
            if table.hint:
                page.line(page.name("hint: "), table.hint)
    page.line()
    page.line(_summary(report))


def _rows(table: TableReport, page: Page, *, dry_run: bool) -> list[tuple[Cell, ...]]:
    """What came of each task, and why there are no more of them."""
    rows: list[tuple[str, str, Cell]] = []
    for task in table.tasks:
        due = page.doubtful("yes") if task.due else "no"
        rows.append((task.task.value, task.reason, due if dry_run else _done(task.done, page)))
    if table.skipped is not None:
        rows.append(("", table.skipped, page.doubtful("skipped")))
    if table.problem is not None:
        rows.append(("", "see below", page.bad("failed")))
    return [
        (page.name(table.table), task, *((state, why) if dry_run else (why, state)))
        for task, why, state in rows
    ]


def _left(left: LeftoverReport, page: Page, *, dry_run: bool) -> tuple[Cell, ...]:
    what = "staging table" if left.branch is None else f"branch {left.branch}"
    why = (
        left.problem
        or f"{what} of {'a run' if left.run is None else f'run {left.run}'} that is over"
    )
    done = page.bad("failed") if left.problem else page.good("removed")
    cells = (page.doubtful("yes"), why) if dry_run else (why, done)
    return (page.name(left.table), LEFTOVERS, *cells)


def _dropped(table: DroppedReport, page: Page, *, dry_run: bool) -> tuple[Cell, ...]:
    why = table.problem or "dropped too long ago to come back"
    swept = Swept(table.files, table.bytes, table.left)
    done = page.bad("failed") if table.problem else _done(swept, page)
    state = page.doubtful("yes") if dry_run else done
    cells = (state, why) if dry_run else (why, state)
    return (page.name(table.table), "dropped", *cells)


def _done(done: Done | None, page: Page) -> Cell:
    if done is None:
        return page.faint("not due")
    told = _told(done)
    return page.good(told) if told else page.faint("nothing to do")


def _told(done: Done) -> str:
    return ", ".join(text for count, text in _parts(done) if count)


def _parts(done: Done) -> list[tuple[int, str]]:
    """Each with the number that makes it worth saying."""
    match done:
        case Expired():
            return [
                (done.snapshots, f"{counted(done.snapshots, 'snapshot')} forgotten"),
                (done.files, f"{counted(done.files, 'file')} removed ({size_text(done.bytes)})"),
                (done.left, f"{counted(done.left, 'file')} could not be removed"),
            ]
        case Compacted():
            sizes = f"{size_text(done.bytes_before)} to {size_text(done.bytes_after)}"
            became = f"{counted(done.rewritten, 'file')} became {done.written:,} ({sizes})"
            return [
                (done.rewritten, became),
                (done.deletes, f"{counted(done.deletes, 'delete file')} taken out"),
                (done.skipped, f"{counted(done.skipped, 'group')} left: others were faster"),
            ]
        case Regrouped():
            fewer = done.before - done.after
            return [(fewer, f"{counted(done.before, 'manifest')} became {done.after:,}")]
        case Swept():
            return [
                (done.files, f"{counted(done.files, 'file')} removed ({size_text(done.bytes)})"),
                (done.left, f"{counted(done.left, 'file')} could not be removed"),
            ]


def _sizes(table: TableReport, page: Page) -> list[tuple[Cell, ...]]:
    both = (("before", table.before), ("after", table.after))
    return [(page.name(table.table), when, *_cells(size)) for when, size in both if size]


def _cells(size: Measures) -> tuple[Cell, ...]:
    counts = (size.snapshots, size.data_files, size.delete_files, size.manifests)
    return (*counts, size_text(size.bytes))


def _summary(report: Report) -> str:
    due = sum(task.due for table in report.tables for task in table.tasks)
    done = sum(task.has_changed for table in report.tables for task in table.tasks)
    failed = sum(table.problem is not None for table in report.tables)
    told = [
        counted(len(report.tables), "table"),
        f"{counted(due, 'task')} due" if report.dry_run else f"{counted(done, 'task')} done",
        *([f"{failed:,} failed"] if failed else []),
        *(["nothing was changed"] if report.dry_run else []),
    ]
    return ", ".join(told)
