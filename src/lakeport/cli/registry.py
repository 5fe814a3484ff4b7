"""The list of commands, and the group that loads a command's module only when it is called.

`lakeport --version` and `lakeport --help` therefore import no use case and no heavy library, however
many commands there are. To add a command: a line here, and a module `cli/commands/NAME.py` with a
function `NAME` made by `@command`, or a `typer.Typer` called `app` when it has commands of its own.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {
    "init": "Make a new project that works at once.",
    "config": "Show each setting and where it came from.",
    "doctor": "Check that everything Lakeport needs is here.",
    "tables": "List the tables and views of the lake.",
    "show": "Show a table: columns, rules, layout, size, snapshots; or a view with its SQL.",
    "history": "Show what happened to a table, oldest first.",
    "read": "Read rows of a table.",
    "load": "Load files into a table.",
    "undrop": "Bring a dropped table back.",
    "plan": "Show what a run would do, and do nothing.",
    "run": "Build the tables of the project's models, each after those that it reads.",
    "test": "Run the unit tests of models.",
    "daemon": "Keep a warm Spark between runs.",
    "status": "Show what ran last, what runs now, and what was left behind.",
    "rollback": "Take back the last commit of a table, or all that a run wrote.",
    "maintain": "Keep tables quick and small.",
    "serve": "Serve the lake over Arrow Flight, and to Iceberg engines over REST.",
    "conformance": "Check that a server speaks the Airport protocol as DuckDB needs it.",
    "functions": "List the project's functions that SQL can call.",
    "token": "Make, list and revoke the tokens of callers.",
    "lineage": "Show where every column comes from.",
}
"""Name and summary, in the order of `--help`. The summary is the first line of the command's own help."""

# Help is plain text: typer's boxes would end up in pipes and in the reference.
PLAIN: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}


class LazyGroup(TyperGroup):
    """Lists by summary, resolves to the real command."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else load_command(name), rest


class DefaultCommand(TyperCommand):
    """Is called by its group's name alone, and says so in its usage and its errors."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        if parent is not None:
            info_name, parent = parent.info_name, parent.parent
        return super().make_context(info_name, args, parent=parent, **extra)


class DefaultGroup(TyperGroup):
    """A command with commands of its own: the first word decides, any other first word is its argument.

    The command called like the group itself is the default: `lakeport lineage a.sql` and
    `lakeport lineage diff OLD NEW` both work, and a file called `diff` is `./diff`.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if self.name is not None and not (args and args[0] in self.commands):
            args = [self.name, *args]
        return super().parse_args(ctx, args)


def family(name: str, *functions: Callable[..., int], summary: str) -> typer.Typer:
    """The `app` of a command with commands of its own, each named like its function.

    If one of them is called `name`, it runs when no other is named.
    """
    named = {function.__name__.strip("_").replace("_", "-"): function for function in functions}
    group = DefaultGroup if name in named else TyperGroup
    app = typer.Typer(name=name, help=summary, cls=group, add_completion=False, **PLAIN)
    app.callback()(_nothing)
    others = ", ".join(word for word in named if word != name)
    for word, function in named.items():
        if word == name:
            app.command(word, cls=DefaultCommand, epilog=f"Commands of its own: {others}.")(
                function
            )
        else:
            app.command(word)(function)
    return app


@cache
def load_command(name: str) -> Any:
    """The real command behind a line of `COMMANDS`."""
    module = importlib.import_module(f"lakeport.cli.commands.{name.replace('-', '_')}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, **PLAIN)
        app.command(name)(getattr(module, name.replace("-", "_")))
    loaded = get_command(app)
    loaded.name = name
    return loaded


def add_listings(app: typer.Typer) -> None:
    for name, summary in COMMANDS.items():
        app.command(name, help=summary)(_nothing)


def _nothing() -> None:
    """Stands for a command in a list, or for a group that does nothing by itself."""
