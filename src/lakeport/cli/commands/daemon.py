"""`lakeport daemon`: a Spark that stays warm between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.app.project import daemon
from lakeport.app.project.daemon import DaemonReport
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.registry import COMMANDS, family
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page


@command
def start(call: Call) -> Answer[DaemonReport]:
    """Start one for this project, and wait until it answers.

    It is a Spark Connect server on loopback that only its owner can use. `run`, `test` and programs use it
    when its settings and versions are theirs; one with others is replaced. It ends itself when nobody
    used it for `pipeline.daemon.idle_hours`.
    """
    return Answer(daemon.start_daemon(call.project()), _show)


@command
def stop(call: Call) -> Answer[DaemonReport]:
    """End it; what is left of one that was killed goes, too.

    A run that uses it fails there, and can be repeated: what it has committed is not done again.
    """
    return Answer(daemon.stop_daemon(call.project()), _show)


@command
def status(call: Call) -> Answer[DaemonReport]:
    """Show whether one runs; the exit code is 1 if not."""
    report = daemon.daemon_status(call.project())
    return Answer(report, _show, ExitCode.DONE if report.is_running else ExitCode.NO)


def _show(report: DaemonReport, page: Page) -> None:
    if not report.is_running:
        if report.state == "stopped":
            page.line("stopped the daemon (process ", str(report.pid), ")")
        else:
            page.line("no daemon runs; `lakeport daemon start` starts one")
        return
    words = {"started": "started", "replaced": "started in place of another", "running": "runs"}
    page.line(page.good(words[report.state]), ": ", page.name(report.address or ""))
    page.table(("", ""), [row for row in _rows(report, page) if row[1] is not None])


def _rows(report: DaemonReport, page: Page) -> list[tuple[Cell, Cell]]:
    other = page.doubtful(
        "no: its settings or versions are others; `lakeport daemon start` replaces it"
    )
    idle = report.idle_hours
    return [
        ("process", str(report.pid)),
        ("since", report.started),
        ("Spark", f"{report.spark}, Java {report.java}"),
        ("used by runs", "yes" if report.matches else other),
        ("in use now", "yes" if report.used else "no"),
        ("ends itself", "never" if idle is None else f"after {idle:g} hours without use"),
        ("log", str(report.log)),
    ]


app = family("daemon", start, stop, status, summary=COMMANDS["daemon"])
