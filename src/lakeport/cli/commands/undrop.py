"""`lakeport undrop`: a dropped table gets its name back, with all it held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.catalog.reports.dropped import Dropped
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.lakes import Lake, about_a_lake
from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@dataclass(frozen=True, slots=True)
class Undropped:
    """`table` is the one that came back, `dropped` are those that can."""

    table: str | None = None
    dropped: tuple[Dropped, ...] | None = None


@command
@about_a_lake
def undrop(
    call: Call,
    lake: Lake,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="NAMESPACE.TABLE that was dropped.")
    ] = None,
    *,
    listed: Annotated[
        bool, typer.Option("--list", help="Show the tables that can be brought back.")
    ] = False,
) -> Answer[Undropped]:
    """Bring a dropped table back.

    Dropping removes a table's name; its files stay for `maintenance.undrop_days`. Until then the
    table can have its name back, with its rows, its columns and its history.
    """
    if (table is None) != listed:
        raise InvalidRequestError(
            "name the table to bring back, or ask for --list",
            hint="lakeport undrop NAMESPACE.TABLE",
        )
    with lake.open(call) as source:
        if table is None:
            return Answer(Undropped(dropped=source.dropped()), _show)
        return Answer(Undropped(table=source.undrop(table)), _show)


def _show(found: Undropped, page: Page) -> None:
    if found.table is not None:
        page.line(page.good("back: "), page.name(found.table))
    elif not found.dropped:
        page.line("no dropped table can be brought back")
    else:
        page.table(
            ("table", "dropped", "uuid"),
            [(page.name(each.name), each.dropped_at, each.uuid) for each in found.dropped],
        )
