"""`lakeport plan`: what a run would do to every table and to every column downstream."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.project.plan import plan_project
from lakeport.app.project.request import PlanRequest
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.selection import (
    Env,
    Exclude,
    From,
    FullRefresh,
    NoDaemon,
    Publish,
    Select,
    To,
    moment,
    without_daemon,
)
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page
    from lakeport.pipeline.planning.whole import ProjectPlan


@command
def plan(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    *,
    select: Select = None,
    exclude: Exclude = None,
    env: Env = None,
    full_refresh: FullRefresh = False,
    start: From = None,
    end: To = None,
    publish: Publish = None,
    sql: Annotated[bool, typer.Option("--sql", help="Show the SQL that would run, too.")] = False,
    no_spark: Annotated[
        bool,
        typer.Option(
            "--no-spark", help="Leave types that only Spark knows unknown, and never start it."
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if anything changes, for CI.")
    ] = False,
    no_daemon: NoDaemon = False,
) -> Answer[dict[str, object]]:
    """Show what a run would do, and do nothing.

    Tables and columns that would be new, wider, or NULL in new rows; what would be refused, and what to do
    about it; the columns of later models that it reaches. The exit code is 1 if something is refused.
    """
    request = PlanRequest(
        select=tuple(select or ()),
        exclude=tuple(exclude or ()),
        environment=env,
        full_refresh=full_refresh,
        start=moment("--from", start),
        end=moment("--to", end),
        publish=publish,
        spark=not no_spark,
        with_sql=sql or call.json,
    )
    found = plan_project(call.project(without_daemon(wanted=no_daemon)), request)
    no = found.is_refused or (check and found.has_changes)
    code = ExitCode.NO if no else ExitCode.DONE
    value = found.as_dict() if call.json else {}
    return Answer(value, partial(_show, found, sql=sql), code)


def _show(found: ProjectPlan, _value: dict[str, object], page: Page, *, sql: bool) -> None:
    from lakeport.cli.output.plan import show_plan  # noqa: PLC0415  for text alone

    show_plan(found, page, sql=sql)
