"""`lakeport test`: models over rows that are written down, and the rows they must make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.app.project.test import TestReport, TestRequest, run_tests
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.sizes import counted
from lakeport.cli.selection import Env, Exclude, NoDaemon, Select, without_daemon
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page
    from lakeport.pipeline.testing import Difference, TestResult

_MOST = 20
_FEW = 3


@command
def test(  # a command, and none of pytest's
    call: Call,
    *,
    select: Select = None,  # noqa: PT028
    exclude: Exclude = None,  # noqa: PT028
    env: Env = None,  # noqa: PT028
    no_daemon: NoDaemon = False,  # noqa: PT028
) -> Answer[TestReport]:
    """Run the unit tests of models.

    Each `[[test]]` in a file `tests/**/*.toml` gives rows for the tables that a model reads, and expects
    rows of it. They run on Spark, and on no table of the lake. The exit code is 1 if a test fails.
    """
    request = TestRequest(tuple(select or ()), tuple(exclude or ()), env)
    report = run_tests(call.project(without_daemon(wanted=no_daemon)), request)
    return Answer(report, _show, ExitCode.NO if report.failed else ExitCode.DONE)


def _show(report: TestReport, page: Page) -> None:
    if not report.tests:
        few = f" of {', '.join(report.untested)}" if len(report.untested) <= _FEW else ""
        page.line(f"there are no tests{few}; write some as `[[test]]` in tests/NAME.toml")
        return
    page.table(
        ("test", "model", "result", "seconds"),
        [(one.name, page.name(one.model), _word(one, page), one.seconds) for one in report.tests],
    )
    for one in report.tests:
        if one.status != "passed":
            page.line()
            _show_failure(one, page)
    page.line()
    told = [counted(len(report.tests), "test"), f"{report.passed:,} passed"]
    if report.failed:
        told.append(f"{report.failed:,} failed")
    if report.untested:
        told.append(f"{counted(len(report.untested), 'model')} without a test")
    page.line(", ".join(told))


def _word(one: TestResult, page: Page) -> Cell:
    return page.good("passed") if one.status == "passed" else page.bad(one.status)


def _show_failure(one: TestResult, page: Page) -> None:
    page.line(page.bad(f"{one.path}:{one.line}"), ": ", one.name, " (", page.name(one.model), ")")
    if one.message is not None:
        page.line("  ", one.message.replace("\n", "\n  "))
    if one.hint is not None:
        page.line("  ", page.name("hint: "), one.hint)
    if one.difference is not None:
        _show_difference(one.difference, page)


def _show_difference(found: Difference, page: Page) -> None:
    if found.misplaced:
        page.line("  the rows are right, and their order is not; they came as:")
    else:
        page.line("  ", _summary(found))
    rows: list[tuple[Cell, ...]] = []
    for changed in found.changed[:_MOST]:
        cells = zip(found.columns, changed.expected, changed.got, strict=True)
        rows.append(
            (
                "  ~",
                *(
                    page.doubtful(f"{want} → {got}") if name in changed.columns else want
                    for name, want, got in cells
                ),
            )
        )
    rows += [("  -", *map(page.bad, map(str, row))) for row in found.missing[:_MOST]]
    mark = "   " if found.misplaced else "  +"
    rows += [(mark, *map(page.good, map(str, row))) for row in found.unexpected[:_MOST]]
    page.table(("", *found.columns), rows)


def _summary(found: Difference) -> str:
    """What the marks before the rows mean."""
    parts = (
        (found.changed, "~ expected → got: "),
        (found.missing, "- expected and not there: "),
        (found.unexpected, "+ there and not expected: "),
    )
    return ", ".join(f"{text}{counted(len(rows), 'row')}" for rows, text in parts if rows)
