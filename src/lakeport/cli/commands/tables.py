"""`lakeport tables`: what the lake holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.catalog.reports.listing import Listed, ListedLong
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.lakes import Lake, about_a_lake
from lakeport.cli.output.sizes import counted, size_text
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page


@command
@about_a_lake
def tables(
    call: Call,
    lake: Lake,
    namespace: Annotated[
        str | None, typer.Argument(metavar="NAMESPACE", help="Only its tables, nested ones too.")
    ] = None,
    *,
    long: Annotated[
        bool,
        typer.Option("--long", "-l", help="Also comment, rows, size, version and last change."),
    ] = False,
) -> Answer[tuple[Listed, ...]]:
    """List the tables and views of the lake.

    Names come in one question per namespace; --long asks for every table's metadata, too. `rows` and
    `size` are what the newest snapshot says about itself. The exit code is 1 if one cannot be opened.
    """
    with lake.open(call) as source:
        found = source.tables(namespace, long=long)
    damaged = any(isinstance(listed, ListedLong) and listed.problem for listed in found)
    return Answer(found, _show, ExitCode.NO if damaged else ExitCode.DONE)


def _show(found: tuple[Listed, ...], page: Page) -> None:
    if not found:
        page.line("there are no tables yet; `lakeport load NAMESPACE.TABLE FILE` makes one")
        return
    long = [listed for listed in found if isinstance(listed, ListedLong)]
    if long:
        page.table(
            ("table", "rows", "size", "version", "changed", "comment"),
            [_long(listed, page) for listed in long],
        )
    else:
        page.table(("table",), [(page.name(_name(listed)),) for listed in found])
    namespaces = len({listed.namespace for listed in found})
    views = sum(listed.kind == "view" for listed in found)
    kinds = counted(len(found) - views, "table") + (f", {counted(views, 'view')}" if views else "")
    page.line(f"{kinds} in {counted(namespaces, 'namespace')}")


def _name(listed: Listed) -> str:
    return listed.name if listed.kind == "table" else f"{listed.name} ({listed.kind})"


def _long(listed: ListedLong, page: Page) -> tuple[Cell, ...]:
    return (
        page.name(_name(listed)),
        listed.rows,
        size_text(listed.bytes),
        listed.version,
        listed.changed,
        listed.comment if listed.problem is None else page.bad(listed.problem),
    )
