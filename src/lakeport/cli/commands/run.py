"""`lakeport run`: the project's models, built."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app.project.request import RunRequest
from lakeport.app.project.run import run_project
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
    from contextlib import AbstractContextManager

    from lakeport.cli.output.text import Page
    from lakeport.pipeline.running.events import Listener
    from lakeport.pipeline.running.result import RunResult


@command
def run(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    *,
    select: Select = None,
    exclude: Exclude = None,
    env: Env = None,
    full_refresh: FullRefresh = False,
    start: From = None,
    end: To = None,
    publish: Publish = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Models at the same time [default: `pipeline.workers`]."
        ),
    ] = None,
    retry: Annotated[
        bool,
        typer.Option(
            "--retry",
            help="Go on with the last run that failed or was stopped; what it wrote stays.",
        ),
    ] = False,
    new: Annotated[
        bool,
        typer.Option("--new", help="Begin anew, although a run of the same kind was killed."),
    ] = False,
    no_daemon: NoDaemon = False,
) -> Answer[dict[str, object]]:
    """Build the tables of the project's models, each after those that it reads.

    Tables only grow: a column that a model no longer has is kept, and is NULL in new rows. A model that
    fails blocks those that read it and no others. After a crash, running again goes on where it ended.
    The exit code is 1 if a model failed, was blocked or stopped.
    """
    request = RunRequest(
        select=tuple(select or ()),
        exclude=tuple(exclude or ()),
        environment=env,
        full_refresh=full_refresh,
        start=moment("--from", start),
        end=moment("--to", end),
        publish=publish,
        jobs=jobs,
        retry=retry,
        new=new,
    )
    settings = call.project(without_daemon(wanted=no_daemon))
    result = run_project(settings, request, following=None if call.json else _following)
    code = ExitCode.DONE if result.status == "succeeded" else ExitCode.NO
    return Answer(result.as_dict() if call.json else {}, partial(_show, result), code)


def _following() -> AbstractContextManager[Listener]:
    from lakeport.cli.output.live import following  # noqa: PLC0415  loads rich and the pipeline

    return following()


def _show(result: RunResult, _value: dict[str, object], page: Page) -> None:
    from lakeport.cli.output.run import show_run  # noqa: PLC0415  for text alone

    show_run(result, page)
