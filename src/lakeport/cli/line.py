"""The command line: shared options, the version, and one translation from errors to exit codes.

stdout is data, stderr is talk. With `--json` an error is one line `{"error": {…}}` on stdout as well as
the sentence on stderr. Exit codes: 0 done, 1 the answer is no, 2 wrong use, 3 failed, 130 interrupted.
"""

from __future__ import annotations

import inspect
import io
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

import lakeport
from lakeport.cli import failure
from lakeport.cli.frame import SHARED_PARAMETERS, shared_from, with_parameters
from lakeport.cli.output import json
from lakeport.cli.registry import PLAIN, LazyGroup, add_listings
from lakeport.core.status import ExitCode

NAME = "lakeport"


def carried_out(arguments: list[str]) -> int:
    """The command line of a process that does nothing else."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a character shows its number; a name must never stop a command.
            stream.reconfigure(errors="backslashreplace")
    return run(arguments)


def run(arguments: list[str]) -> int:
    """Run one command line and give its exit code; never raises."""
    try:
        outcome = build().main(arguments, prog_name=NAME, standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  the one translation of this door
        return failure.report(error, arguments)
    return int(outcome or ExitCode.DONE)


@cache
def build() -> Any:
    """The command line as typer sees it; the reference is generated from it too.

    Nothing in it changes with a call, and typer takes longer to make it than to use it.
    """
    app = typer.Typer(
        name=NAME,
        help="An airport for a lakehouse.",
        cls=LazyGroup,
        context_settings=_HELP,
        **PLAIN,
    )
    parameters = (
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        inspect.Parameter(
            "version",
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option("--version", help="Show the version.")],
        ),
        *SHARED_PARAMETERS,
    )
    app.callback(invoke_without_command=True)(with_parameters(_start, parameters))
    add_listings(app)
    return get_command(app)


_HELP = {"help_option_names": ["-h", "--help"]}


def _start(*, context: typer.Context, version: bool, **given: Any) -> int:
    """An airport for a lakehouse: Iceberg tables, built by SQL models, served to everyone."""
    context.obj = shared_from(given, None)
    if version:
        if context.obj.json:
            json.write({"version": lakeport.__version__})
        else:
            typer.echo(f"{NAME} {lakeport.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(ExitCode.WRONG_USE)
    return ExitCode.DONE
