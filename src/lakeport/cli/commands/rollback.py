"""`lakeport rollback`: rows as they were, of one table or of all that a run wrote."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app import wiring
from lakeport.app.lake.actor import current_actor
from lakeport.app.project.rollback import Rollback, RollbackReport, Rolled
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.sizes import counted
from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page


@command
def rollback(
    call: Call,
    what: Annotated[
        str, typer.Argument(metavar="TABLE|RUN", help="NAMESPACE.TABLE, or a run's id.")
    ],
    *,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="POINT",
            help="Where TABLE goes: version:3, snapshot:ID, a tag, a time [before its last commit].",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also undo what others wrote after RUN.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen, and change nothing.")
    ] = False,
    catalog: Annotated[
        str | None, typer.Option(metavar="NAME", help="In this catalog [default: the first].")
    ] = None,
) -> Answer[RollbackReport]:
    """Take back the last commit of a table, or all that a run wrote.

    Rows go back, columns stay: it is a new version with the rows of an older one. Every version can
    still be read, and gone back to, until it expires. The tables of a run go back together; one that
    the run made is emptied and not dropped. What others have written since is named, and nothing is
    done without --force; the exit code is 1 then.
    """
    settings = call.settings().with_catalog(catalog)
    with wiring.open_state(settings) as store, closing(wiring.open_catalog(settings)) as lake:
        use = Rollback(lake, store, current_actor())
        is_table = "." in what and store.runs.get(what) is None
        if is_table and force:
            raise InvalidRequestError("--force is for a run", hint="leave it out")
        if not is_table and to is not None:
            raise InvalidRequestError(
                "--to is for a table", hint="a run's tables go back to before it; leave it out"
            )
        if is_table:
            return Answer(use.table(what, to, dry_run=dry_run), _show)
        return Answer(use.run(what, force=force, dry_run=dry_run), _show)


def _show(report: RollbackReport, page: Page) -> None:
    for name in report.gone:
        page.line(page.doubtful("left: "), page.name(name), " is no table (any more)")
    if not report.tables:
        page.line("there is nothing to take back")
        return
    page.table(
        ("table", "version", "rows of", "rows", "undone"),
        [_row(table, page) for table in report.tables],
    )
    for table in report.tables:
        for commit in table.undone:
            page.line(page.faint("undone: "), page.name(table.table), " ", commit.called)
        for commit in table.returned:
            page.line(page.faint("back: "), page.name(table.table), " ", commit.called)
    page.line()
    page.line(_summary(report))


def _row(table: Rolled, page: Page) -> tuple[Cell, ...]:
    before, after = (_count(rows) for rows in (table.rows, table.rows_after))
    made = "" if table.made is None else f" -> {table.made}"
    return (
        page.name(table.table),
        f"{table.version}{made}",
        page.doubtful("before it was written to")
        if table.empties
        else f"version {table.to_version}",
        f"{before} -> {after}",
        counted(len(table.undone), "commit"),
    )


def _count(rows: int | None) -> str:
    return "?" if rows is None else f"{rows:,}"


def _summary(report: RollbackReport) -> str:
    tables = counted(len(report.tables), "table")
    if report.dry_run:
        return f"{tables} would go back, nothing was changed"
    first = report.tables[0]
    how = (
        ""
        if report.together
        else ", one after the other: this catalog cannot change several as one"
    )
    return (
        f"{tables} went back{how}; columns stay, and what was undone can still be read:"
        f" lakeport read {first.table} --at version:{first.version}"
    )
