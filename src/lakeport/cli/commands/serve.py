"""`lakeport serve`: the lake over Arrow Flight, for DuckDB and every other client."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output import json
from lakeport.cli.output.pipe import tolerate_a_closed_pipe
from lakeport.flight.wakeups import fewer_wakeups

if TYPE_CHECKING:
    from lakeport.app.serve import Greeting, Running
    from lakeport.catalog.iceberg.attachment import Attachment
    from lakeport.cli.output.text import Page


@command
def serve(
    call: Call,
    *,
    grpc: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where Arrow Flight listens; port 0: any free one."),
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Where Iceberg REST, health and metrics are; port 0 likewise."
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Listen beyond this machine without TLS or tokens."),
    ] = False,
) -> None:
    """Serve the lake over Arrow Flight, and to Iceberg engines over REST.

    Says where, and what to paste into DuckDB, Spark, PyIceberg and Trino; with --json one line
    {"event": "ready", "grpc", "http", "iceberg", "engines"}.
    SIGTERM or Ctrl-C lets running calls finish for `server.limits.stop_seconds`; a second one does not.
    """
    settings = call.settings({"server.grpc": grpc, "server.http": http})
    # Before it is loaded: of a port that is taken gRPC would print lines of its own beside our sentence.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    fewer_wakeups()
    from lakeport.app.serve import running, stop_signals  # noqa: PLC0415  loads Arrow and gRPC
    from lakeport.web.app import build  # noqa: PLC0415  loads starlette

    with stop_signals() as wait_for_stop, running(settings, build, insecure=insecure) as server:
        _tell(call, server)
        wait_for_stop()
    _leave()


def _leave() -> NoReturn:
    """Exit code 0, without taking the interpreter apart.

    Everything is closed by now and the server has waited for its threads. But not for ever: one may be
    stuck in a slow store, deep inside Arrow, and finalising Python around it aborts the process.
    """
    logging.shutdown()
    with tolerate_a_closed_pipe():
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _tell(call: Call, server: Running) -> None:
    if not call.json:
        call.show(Answer(server.greeting, _show))
        return
    for notice in server.greeting.notices:
        typer.echo(f"note: {notice}", err=True)
    with tolerate_a_closed_pipe():
        json.write(_ready(server), indent=0)


def _ready(server: Running) -> dict[str, object]:
    return {
        "event": "ready",
        "grpc": server.grpc,
        "http": server.http,
        "iceberg": server.greeting.iceberg,
        "engines": {
            each.name: {
                "spark": each.for_spark(),
                "duckdb": each.for_duckdb(),
                "pyiceberg": each.for_pyiceberg(),
                "trino": each.for_trino(),
            }
            for each in server.greeting.attachments()
        },
    }


def _show_engines(attachment: Attachment, page: Page) -> None:
    """What each engine wants to hear of one catalog."""
    spark = [f"--conf {key}={value}" for key, value in attachment.for_spark().items()]
    given = ", ".join(f'"{key}": "{value}"' for key, value in attachment.for_pyiceberg().items())
    trino = [f"{key}={value}" for key, value in attachment.for_trino().items()]
    for engine, lines in (
        ("Spark", spark),
        ("DuckDB, reading the files itself", attachment.for_duckdb()),
        ("PyIceberg", (f'load_catalog("{attachment.name}", **{{{given}}})',)),
        (f"Trino, in etc/catalog/{attachment.name}.properties", trino),
    ):
        page.line(f"{engine}:")
        for line in lines:
            page.line("  ", page.name(line))
        page.line()


def _show(greeting: Greeting, page: Page) -> None:
    page.line("Arrow Flight     ", page.name(greeting.grpc))
    page.line("health, metrics  ", page.name(greeting.http))
    page.line("Iceberg REST     ", page.name(greeting.iceberg))
    page.line()
    page.line("In DuckDB:" if greeting.is_open else "In DuckDB, with a token of yours:")
    for statement in greeting.statements():
        page.line("  ", page.name(statement))
    page.line()
    for attachment in greeting.attachments():
        _show_engines(attachment, page)
    if greeting.is_open:
        page.line(
            page.doubtful("open: "),
            "there is no token yet, so everyone on this machine is admin and any word will do for "
            "TOKEN; `lakeport token create NAME` makes the first",
        )
    for notice in greeting.notices:
        page.line(page.doubtful("note: "), notice)
    page.line("Ctrl-C stops the server.")
