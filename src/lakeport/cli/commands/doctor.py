"""`lakeport doctor`: what is here, what is missing, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.doctor import Report, State, examine
from lakeport.cli.frame import Answer, Call, command
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page, Styled


@command
def doctor(
    call: Call,
    *,
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Also read the rows of tables that have constraints."),
    ] = False,
) -> Answer[Report]:
    """Check that everything Lakeport needs is here.

    Tables are looked at, too: constraints that another program made impossible to keep, and with
    --deep rows that break one. Nothing is changed. The exit code is 1 if a check fails; what is
    merely missing for one part of Lakeport, like Java for pipelines, is a warning.
    """
    report = examine(call.settings(), deep=deep)
    return Answer(report, _show, ExitCode.NO if report.count(State.FAIL) else ExitCode.DONE)


def _show(report: Report, page: Page) -> None:
    page.table(
        ("check", "state", "found"),
        [
            (page.name(check.name), _state(check.state, page), check.found)
            for check in report.checks
        ],
    )
    remedies = [check for check in report.checks if check.remedy]
    if remedies:
        page.line()
        page.table(
            ("for", "do this"), [(page.name(check.name), check.remedy) for check in remedies]
        )
    page.line()
    counts = [f"{report.count(state)} {state}" for state in State if report.count(state)]
    page.line(f"{len(report.checks)} checks: {', '.join(counts)}")


def _state(state: State, page: Page) -> Styled:
    paint = {State.OK: page.good, State.WARN: page.doubtful, State.FAIL: page.bad}
    return paint[state](state)
