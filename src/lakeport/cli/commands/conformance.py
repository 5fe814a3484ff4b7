"""`lakeport conformance`: is that server a good Airport server?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.conformance import Asked, check_server
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.progress import telling
from lakeport.cli.output.sizes import counted
from lakeport.conformance.report import Outcome, Report, Result
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakeport.cli.output.text import Page, Styled


@command
def conformance(  # noqa: PLR0913  each of them is an option
    call: Call,
    server: Annotated[
        str, typer.Argument(metavar="URL", help="The server: grpc://HOST:PORT or grpc+tls://…")
    ],
    *,
    token: Annotated[
        str | None,
        typer.Option(help="To show the server; LAKEPORT_TOKEN hides it from lists of processes."),
    ] = None,
    catalog: Annotated[
        str, typer.Option(metavar="NAME", help="Attach this catalog [default: the unnamed one].")
    ] = "",
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Make a schema of this name and remove it again [default: an unlikely one].",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Checks, families or rules like this; may be repeated."),
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="All but these; may be repeated.")
    ] = None,
    read_existing: Annotated[
        int,
        typer.Option(metavar="ROWS", min=0, help="Read so many rows of each table that is there."),
    ] = 0,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long the server may be silent.")
    ] = 30.0,
    ca: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The authority that signed the server's TLS."),
    ] = None,
    cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A certificate to show the server.")
    ] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate's key.")] = None,
) -> Answer[Report]:
    """Check that a server speaks the Airport protocol as DuckDB needs it.

    Any Airport server will do. The checks work in a schema of their own, which they remove again; what the server
    does not offer is skipped. Each failure names the rule that is broken, what was seen, and what DuckDB would
    do. The exit code is 1 if a check fails, 3 if the server cannot be reached.
    """
    proofs = {"token": token, "ca": ca, "cert": cert, "key": key}
    flags = {f"remote.{name}": str(value) for name, value in proofs.items() if value is not None}
    settings = call.settings({"remote.url": server, **flags})
    asked = Asked(catalog, schema, tuple(only or ()), tuple(skip or ()), read_existing, timeout)
    with telling(is_shown=not call.json) as tell:
        report = check_server(settings, asked, _counted(tell))
    return Answer(report, _show, ExitCode.DONE if report.is_passed else ExitCode.NO)


def _counted(tell: Callable[[str], None]) -> Callable[[Result], None]:
    done = failed = 0

    def listen(result: Result) -> None:
        nonlocal done, failed
        done += 1
        failed += result.outcome is Outcome.FAILED
        wrong = f", {failed:,} failed" if failed else ""
        tell(f"{counted(done, 'check')}{wrong}: {result.family}")

    return listen


def _show(report: Report, page: Page) -> None:
    page.table(
        ("rule", "check", "result", "ms", "what is asked"),
        [
            (
                result.rule,
                page.name(result.check),
                _outcome(result.outcome, page),
                round(result.seconds * 1000),
                result.title,
            )
            for result in report.results
        ],
    )
    for result in (*report.of(Outcome.ADVICE), *report.of(Outcome.FAILED)):
        page.line()
        _show_wrong(result, page)
    skipped = report.of(Outcome.SKIPPED)
    if skipped:
        page.line()
        rows = [(page.name(names), reason) for names, reason in _reasons(skipped)]
        page.table(("skipped", "because"), rows)
    page.line()
    page.line(_summary(report))


def _reasons(skipped: tuple[Result, ...]) -> Iterator[tuple[str, str | None]]:
    """Each once, however many it kept from being asked."""
    for reason in dict.fromkeys(one.reason for one in skipped):
        first, *others = (one.check for one in skipped if one.reason == reason)
        yield (f"{first} and {len(others):,} more" if others else first), reason


def _show_wrong(result: Result, page: Page) -> None:
    head = f"{result.outcome} {result.check}"
    paint = page.bad if result.outcome is Outcome.FAILED else page.doubtful
    page.line(paint(head), f": {result.title}")
    page.line("  rule ", page.name(result.rule), f": {result.says}")
    page.line("  seen: ", result.seen)
    page.line("  DuckDB: ", result.client)


def _outcome(outcome: Outcome, page: Page) -> Styled:
    paint = {
        Outcome.PASSED: page.good,
        Outcome.ADVICE: page.doubtful,
        Outcome.FAILED: page.bad,
        Outcome.SKIPPED: page.faint,
    }
    return paint[outcome](outcome)


def _summary(report: Report) -> str:
    counts = [f"{report.count(each):,} {each}" for each in Outcome if report.count(each)]
    place = (
        "no schema was made"
        if report.namespace is None
        else f"schema {report.namespace} was made and removed again"
    )
    whole = counted(len(report.results), "check")
    return f"{report.server}: {whole} in {report.seconds:.1f} s: {', '.join(counts)}; {place}"
