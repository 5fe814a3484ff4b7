"""`lakeport show`: everything known of a table but its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.catalog.reports.description import TableDescription
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.lakes import Lake, about_a_lake
from lakeport.cli.output.sizes import counted, size_text
from lakeport.core.timepoint import parse_point

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@command
@about_a_lake
def show(
    call: Call,
    lake: Lake,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="NAMESPACE.TABLE")],
    *,
    at: Annotated[
        str | None,
        typer.Option(metavar="POINT", help="As it was then; see `lakeport read --help`."),
    ] = None,
) -> Answer[TableDescription]:
    """Show a table: columns, rules, layout, size, snapshots; or a view with its SQL.

    Types are written as in DuckDB's CREATE TABLE; --json has Arrow's names beside them. No data file
    is opened: rows and sizes are what the snapshot says about itself.
    """
    point = None if at is None else parse_point(at)
    with lake.open(call) as source:
        return Answer(source.describe(table, point), _show)


def _show(found: TableDescription, page: Page) -> None:
    page.line(page.name(found.name), f"  {found.comment}" if found.comment else "")
    page.line()
    page.table(
        ("column", "type", "null", "default", "comment"),
        [
            (page.name(column.name), column.type, column.nullable, column.default, column.comment)
            for column in found.columns
        ],
    )
    page.line()
    page.table(("about", "value"), [(page.name(what), value) for what, value in _facts(found)])


def _facts(found: TableDescription) -> Iterator[tuple[str, str]]:
    yield from _view(found) if found.kind == "view" else _table(found)
    yield "uuid", found.uuid
    yield from (("property", f"{key} = {value}") for key, value in sorted(found.properties.items()))


def _view(found: TableDescription) -> Iterator[tuple[str, str]]:
    yield "view", "its SQL is kept for other engines and not run here"
    yield from ((f"SQL of {query.dialect}", query.sql) for query in found.queries)
    yield "version", str(found.version)


def _table(found: TableDescription) -> Iterator[tuple[str, str]]:
    figures = found.figures
    yield from (("rule", text) for text in found.constraints)
    yield from (("partitioned by", text) for text in found.partitioned_by)
    yield from (("sorted by", text) for text in found.sorted_by)
    yield "rows", "unknown" if figures.rows is None else f"{figures.rows:,}"
    if figures.data_files is not None:
        yield "data files", f"{figures.data_files:,}"
    if figures.bytes is not None:
        yield "size", size_text(figures.bytes) or ""
    if figures.delete_files:
        rows = "" if figures.deleted_rows is None else f" of {counted(figures.deleted_rows, 'row')}"
        yield "delete files", f"{figures.delete_files:,}{rows}"
    yield "version", str(found.version)
    if found.snapshot is not None:
        commit = found.snapshot
        yield "snapshot", f"{commit.snapshot_id} ({commit.operation}, {commit.timestamp})"
    yield "snapshots", f"{found.snapshots:,}"
    yield from ((ref.kind, f"{ref.name} = snapshot {ref.snapshot_id}") for ref in found.refs)
    if found.storage is not None:
        yield "format", found.storage.format
        yield "location", found.storage.location
