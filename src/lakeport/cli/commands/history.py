"""`lakeport history`: the snapshots of a table, each of which can be read with `--at`."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.catalog.reports.figures import movement_of
from lakeport.catalog.reports.history import Commit
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.lakes import Lake, about_a_lake

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@command
@about_a_lake
def history(
    call: Call,
    lake: Lake,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="NAMESPACE.TABLE")],
) -> Answer[tuple[Commit, ...]]:
    """Show what happened to a table, oldest first.

    A version or snapshot listed here can be read: `lakeport read TABLE --at version:3`. With --json
    each commit has its whole summary.
    """
    with lake.open(call) as source:
        return Answer(source.history(table), _show)


def _show(commits: tuple[Commit, ...], page: Page) -> None:
    if not commits:
        page.line("nothing was written to it yet")
        return
    page.table(
        ("version", "snapshot", "time", "operation", "added", "deleted", "rows then"),
        [
            (
                commit.version,
                page.name(str(commit.snapshot_id)),
                commit.timestamp,
                commit.operation,
                *astuple(movement_of(commit.operation, commit.summary)),
            )
            for commit in commits
        ],
    )
