"""`lakeport init`: a new project that works at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.initialize import Example, Initialized, initialize
from lakeport.cli.frame import Answer, Call, command

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@command
def init(
    _call: Call,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where; it is made if it is not there.")
    ] = Path(),
    example: Annotated[
        Example | None,
        typer.Option(help="Start with an example: `shop` has raw data and a few models."),
    ] = None,
) -> Answer[Initialized]:
    """Make a new project that works at once.

    Nothing is overwritten: a folder that has a lakeport.toml is refused, a README.md or .gitignore
    that is already there is kept. Models that are in the folder become those of the project; queries
    that are in no folder of models are named, with where to move them.
    """
    return Answer(initialize(folder.absolute(), example), _show)


def _show(made: Initialized, page: Page) -> None:
    page.line("made a project in ", page.name(str(made.folder)))
    for name in made.written:
        page.line("  ", name)
    for name in made.kept:
        page.line("  ", name, page.faint(" (was there, kept)"))
    if ".gitignore" in made.kept:
        page.line("add .lakeport/ to .gitignore: data and state of the embedded catalog live there")
    if made.loose:
        first = made.loose[0]
        page.line(
            f"{', '.join(made.loose)}: no model yet; move each to models/NAMESPACE/: "
            f"models/staging/{first} builds the table staging.{first.removesuffix('.sql')}"
        )
    page.line("next: lakeport doctor --project ", str(made.folder))
