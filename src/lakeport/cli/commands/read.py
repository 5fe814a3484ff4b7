"""`lakeport read`: rows of a table, now or at any point of its history."""

from __future__ import annotations

import csv
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lakeport.app.lake.rows.arrow import arrow_chunks
from lakeport.app.lake.rows.csv import csv_chunks
from lakeport.app.lake.rows.json import json_chunks
from lakeport.catalog.query import Query
from lakeport.cli.frame import Call, command
from lakeport.cli.lakes import Lake, about_a_lake
from lakeport.cli.output.pour import pour, refuse_a_terminal
from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.catalog.streams import BatchStream

Format: TypeAlias = Literal["table", "json", "csv", "arrow"]


@command
@about_a_lake
def read(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    lake: Lake,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="NAMESPACE.TABLE")],
    *,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="Only these columns, in this order.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help="Only rows for which this condition is true."),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="At most so many rows.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="POINT", help="The table as it was then.")
    ] = None,
    output: Annotated[
        Format | None,
        typer.Option("--format", help="How to write the rows [default: table, with --json json]."),
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write here, not to stdout.")
    ] = None,
) -> None:
    """Read rows of a table.

    The condition is SQL in DuckDB's dialect; files that cannot hold a match are not opened. Rows come
    in no particular order.

    A POINT is a version (`3`, `version:3`), a moment (`2024-01-15`, `2024-01-15T10:30:00Z`; UTC
    without a zone), a tag or branch (`v1`, `tag:v1`, `branch:audit`) or a snapshot
    (`snapshot:4611686018427387904`). The columns are those of that point.

    json is an array of objects with explicit nulls, csv has a header, arrow is an IPC stream.
    """
    chosen: Format = output or ("json" if call.json else "table")
    if chosen == "arrow":
        refuse_a_terminal(target)
    query = Query(_names(columns), where, limit, at)
    with lake.open(call) as source, source.read(table, query) as stream:
        pour(_chunks(stream, chosen, limit, is_file=target is not None), target)


def _names(columns: str | None) -> list[str] | None:
    """Names with a comma stand in quotes, as in CSV."""
    if columns is None:
        return None
    names = [name.strip() for name in next(csv.reader([columns], skipinitialspace=True), [])]
    if not all(names) or not names:
        raise InvalidRequestError("--columns names no column", hint="write --columns a,b")
    return names


def _chunks(
    stream: BatchStream, chosen: Format, limit: int | None, *, is_file: bool
) -> Generator[bytes, None, None]:
    match chosen:
        case "json":
            return json_chunks(stream)
        case "csv":
            return csv_chunks(stream)
        case "arrow":
            return arrow_chunks(stream)
        case "table":
            # rich measures characters; the other formats never pay for it
            from lakeport.cli.output.rows import table_chunks, terminal_width  # noqa: PLC0415

            width = None if is_file else terminal_width()
            return table_chunks(stream, width=width, limit=limit)
