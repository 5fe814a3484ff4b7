"""`lakeport status`: what ran, what runs, what was cut off, and what to do about it."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.app import wiring
from lakeport.app.project.load import load_project
from lakeport.app.project.status import (
    ModelStatusLine,
    ProjectStatus,
    RunStatusLine,
    RunStatusReport,
    Status,
)
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.sizes import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.cli.output.text import Cell, Page, Styled

_SHORT = 8
"""Letters of a run's id that are shown, and enough to name it."""


@command
def status(
    call: Call,
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="One run, by its id or the first letters of it."),
    ] = None,
    *,
    env: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of one environment [default: all].")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many runs to list.")] = 10,
    catalog: Annotated[
        str | None, typer.Option(metavar="NAME", help="In this catalog [default: the first].")
    ] = None,
) -> Answer[Status] | Answer[RunStatusReport]:
    """Show what ran last, what runs now, and what was left behind.

    Each model with its last outcome, each table that is being written, runs that were killed and how to
    go on with them. With RUN, all about one run. Needs no Spark; `lakeport.runs` and
    `lakeport.model_runs` have the same as tables.
    """
    settings = call.project().with_catalog(catalog)
    with ExitStack() as stack:
        store = stack.enter_context(wiring.open_state(settings))
        asked = ProjectStatus(
            store,
            settings.catalog.name,
            lambda: stack.enter_context(closing(wiring.open_catalog(settings))),
            partial(load_project, settings),
        )
        if run is not None:
            return Answer(asked.of_run(run), _show_run)
        return Answer(asked.whole(env, limit=limit), _show)


def _show(found: Status, page: Page) -> None:
    if not found.runs:
        page.line("nothing ran yet; `lakeport run` builds the models of this project")
    else:
        _show_runs(found.runs, page)
    if found.models:
        page.line()
        _show_models(found.models, page)
    if found.unbuilt:
        page.line()
        page.line(
            page.doubtful("no file builds "),
            *_listed(found.unbuilt, page),
            page.doubtful(" any more"),
            "; what was written stays as it is",
        )
    _show_problems(found.models, page)
    for run in found.interrupted:
        page.line()
        page.line(page.bad("cut off: "), "run ", page.name(run.run_id), f" of {run.started_at}")
        page.line(
            page.name("hint: "),
            f"`{run.asked}` goes on with it;",
            f" `lakeport rollback {run.run_id}` takes back what it has committed",
        )
    if found.writing:
        page.line()
        page.table(
            ("being written", "by run", "process", "since"),
            [
                (page.name(each.table), _short(each.run_id), each.process, each.since)
                for each in found.writing
            ],
        )
    if found.left:
        page.line()
        page.table(
            ("left behind", "what", "by run", "since"),
            [
                (page.name(each.table), each.branch or each.kind, _short(each.run_id), each.since)
                for each in found.left
            ],
        )
        gone = sum(each.removable for each in found.left)
        page.line(f"`lakeport maintain` removes {gone:,} of them now, and the rest when it is old")
    if found.problem is not None:
        page.line()
        page.line(page.doubtful("the lake was not looked at: "), found.problem)


def _show_runs(runs: Sequence[RunStatusLine], page: Page) -> None:
    named = any(run.environment is not None for run in runs)
    page.table(
        ("run", *(["environment"] if named else []), "status", "started", "took", "models"),
        [
            (
                page.name(_short(run.run_id)),
                *([run.environment or ""] if named else []),
                _coloured(run.status, page),
                run.started_at,
                _took(run.seconds),
                _counts(run),
            )
            for run in runs
        ],
    )


def _show_run(report: RunStatusReport, page: Page) -> None:
    run = report.run
    facts: list[tuple[str, str | None]] = [
        ("run", run.run_id),
        ("status", run.status.replace("_", " ")),
        ("started", run.started_at),
        ("ended", run.ended_at),
        ("took", _took(run.seconds)),
        ("environment", run.environment),
        ("asked", run.asked),
        ("by", run.actor),
        ("on", run.process),
        ("error", run.error),
    ]
    page.table(("", ""), [(page.faint(name), value) for name, value in facts if value])
    if report.models:
        page.line()
        _show_models(report.models, page)
    _show_problems(report.models, page)


def _show_models(models: Sequence[ModelStatusLine], page: Page) -> None:
    named = any(each.environment is not None for each in models)
    page.table(
        (
            "model",
            *(["environment"] if named else []),
            "status",
            "when",
            "took",
            "rows",
            "version",
        ),
        [
            (
                page.name(each.model),
                *([each.environment or ""] if named else []),
                _coloured(each.status, page),
                each.at,
                _took(each.seconds),
                each.rows,
                each.version,
            )
            for each in models
        ],
    )


def _show_problems(models: Sequence[ModelStatusLine], page: Page) -> None:
    for model in models:
        if model.error is None:
            continue
        page.line()
        page.line(page.bad("failed: "), page.name(model.model), ": ", model.error)
        if model.hint:
            page.line(page.name("hint: "), model.hint)
        if model.committed_at:
            page.line("its last commit is of ", model.committed_at)


def _counts(run: RunStatusLine) -> str:
    found = sorted(run.models.items())
    told = [f"{count:,} {status.replace('_', ' ')}" for status, count in found]
    return ", ".join(told) or counted(0, "model")


def _coloured(status: str, page: Page) -> Cell:
    text = status.replace("_", " ")
    if status in {"succeeded", "recovered"}:
        return page.good(text)
    return page.bad(text) if status in {"failed", "interrupted"} else page.doubtful(text)


def _took(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _listed(names: Sequence[str], page: Page) -> Sequence[str | Styled]:
    return [cell for name in names for cell in (", ", page.name(name))][1:]


def _short(run_id: str | None) -> str:
    return "" if run_id is None else run_id[:_SHORT]
