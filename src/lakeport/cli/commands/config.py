"""`lakeport config`: every setting, its value, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.settings import Entry, shown_text
from lakeport.cli.frame import Answer, Call, command
from lakeport.core.errors import NotFoundError

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@dataclass(frozen=True, slots=True)
class Configuration:
    """What `--json` shows."""

    project: str | None
    settings: tuple[Entry, ...]


@command
def config(
    call: Call,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Only these settings or sections, like `server.tls`."),
    ] = None,
) -> Answer[Configuration]:
    """Show each setting and where it came from.

    A value comes from lakeport.toml, from the environment (LAKEPORT_SECTION_KEY) or from a flag;
    the later one wins. Secrets are masked.
    """
    settings = call.settings()
    entries = tuple(settings.entries())
    for name in names or ():
        if not any(_is_in(entry, name) for entry in entries):
            raise NotFoundError.among("setting", name, [entry.name for entry in entries])
    chosen = tuple(entry for entry in entries if not names or any(_is_in(entry, n) for n in names))
    project = str(settings.root) if settings.file is not None else None
    return Answer(Configuration(project, chosen), _show)


def _is_in(entry: Entry, name: str) -> bool:
    return entry.name == name or entry.name.startswith(name + ".")


def _show(found: Configuration, page: Page) -> None:
    page.table(
        ("setting", "value", "from"),
        [
            (page.name(entry.name), shown_text(entry.value), page.faint(str(entry.source)))
            for entry in found.settings
        ],
    )
