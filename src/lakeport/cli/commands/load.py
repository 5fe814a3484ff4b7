"""`lakeport load`: files into a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.lake.load.inputs import FileFormat, FileOptions
from lakeport.app.lake.load.load import Load, Loaded, Mode, load_files
from lakeport.app.project.declared import declared_columns
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.lakes import Lake, about_a_lake
from lakeport.cli.output.progress import counting
from lakeport.cli.output.sizes import counted
from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@command
@about_a_lake
def load(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    lake: Lake,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="NAMESPACE.TABLE")],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="The files; `-` is standard input.")
    ],
    *,
    file_format: Annotated[
        FileFormat | None,
        typer.Option("--format", help="Their format [default: by the file's name]."),
    ] = None,
    create: Annotated[bool, typer.Option("--create", help="The table must be new.")] = False,
    append: Annotated[
        bool, typer.Option("--append", help="The table must be there already.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="The rows take the place of all that are there.")
    ] = False,
    partition_by: Annotated[
        list[str] | None,
        typer.Option(metavar="TERM", help="Of a new table, such as `day(at)`; may be repeated."),
    ] = None,
    sort_by: Annotated[
        list[str] | None,
        typer.Option(metavar="TERM", help="Of a new table, such as `price desc`; may be repeated."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(metavar="C", help="What separates values in CSV [default: ,].")
    ] = None,
    null: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text that means NULL in CSV; may be repeated."),
    ] = None,
) -> Answer[Loaded]:
    """Load files into a table.

    CSV (with a header), JSON (an array of objects, or one per line), Parquet and Arrow. A new table
    gets the columns that the project's sources.toml declares for it, and those that all files together
    need; into a table that is there, columns go by name in any case, and one that a file lacks gets its
    DEFAULT or NULL. All files are loaded in one commit, or nothing is.
    """
    options = FileOptions(file_format, delimiter, tuple(null or ()))
    mode = _mode(create=create, append=append, replace=replace)
    with (
        lake.open(call) as source,
        counting(f"loading {table}", is_shown=not call.json) as progress,
    ):
        place = source.place()
        wanted = Load(
            table,
            tuple(files),
            options,
            mode,
            tuple(partition_by or ()),
            tuple(sort_by or ()),
            declared_columns(call.settings(), place.name_of(table)),
        )
        return Answer(load_files(place, wanted, progress), _show)


def _mode(**asked: bool) -> Mode:
    chosen = [mode for mode in _MODES if asked[mode]]
    if len(chosen) > 1:
        raise InvalidRequestError(
            f"{' and '.join(f'--{mode}' for mode in chosen)} exclude each other",
            hint="use one of them",
        )
    return chosen[0] if chosen else "either"


_MODES: tuple[Mode, ...] = ("create", "append", "replace")


def _show(done: Loaded, page: Page) -> None:
    if len(done.files) > 1:
        page.table(("file", "rows"), [(file.file, file.rows) for file in done.files])
    made = "made " if done.created else "in place of all rows of " if done.replaced else "into "
    page.line(
        f"loaded {counted(done.rows, 'row')} from {counted(len(done.files), 'file')}, {made}",
        page.name(done.table),
        f", now version {done.version}",
    )
