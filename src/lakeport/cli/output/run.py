"""A run as a person reads it: a line for each model, then what went wrong, then one line for all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakeport.cli.output.sizes import counted
from lakeport.pipeline.growth.plan import dotted
from lakeport.pipeline.growth.spark_words import text_of

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page
    from lakeport.pipeline.running.result import ModelResult, RunResult

_WORDS = {
    "append": "appended",
    "delete_insert": "merged",
    "merge": "merged",
    "full": "replaced",
    "overwrite_partitions": "replaced",
    "time_range": "replaced",
    "view": "view",
}
_COLUMNS = 4


def show_run(result: RunResult, page: Page) -> None:
    for note in result.notes:
        page.line(page.faint(note))
    shown = [model for model in result.models if model.status != "skipped"]
    if not result.models:
        page.line("no models are selected: nothing to do")
        return
    if not shown:
        page.line("only ephemeral models were selected: those who read them compute them")
        return
    page.table(("model", "result", "rows", "time", ""), [_row(model, page) for model in shown])
    for model in shown:
        _trouble(model, page)
    if result.error is not None:
        page.line()
        page.line(page.bad("error: "), result.error.message)
        if result.error.hint:
            page.line(page.name("hint: "), result.error.hint)
    page.line()
    page.line(*_summary(result, page))
    if result.status in {"failed", "stopped"}:
        where = "" if result.environment is None else f" --env {result.environment}"
        page.line(page.name("hint: "), f"`lakeport run{where} --retry` goes on with what is left")


def _row(model: ModelResult, page: Page) -> tuple[Cell, ...]:
    return (
        page.name(str(model.model))
        if model.status in {"succeeded", "recovered"}
        else str(model.model),
        _word(model, page),
        None if model.status not in {"succeeded", "recovered"} else model.rows,
        took(model.seconds),
        "; ".join(_remarks(model)),
    )


def _word(model: ModelResult, page: Page) -> Cell:
    match model.status:
        case "succeeded":
            is_new = model.outcome is not None and model.outcome.created
            is_idle = model.outcome is not None and model.outcome.snapshot_id is None
            word = "unchanged" if is_idle else _WORDS.get(model.strategy or "", "done")
            return page.good("created" if is_new else word)
        case "recovered":
            return page.good("recovered")
        case "failed":
            return page.bad("failed")
        case _:
            return page.doubtful(model.status)


def _remarks(model: ModelResult) -> Iterator[str]:
    if model.blocked_by is not None:
        yield f"{model.blocked_by} failed"
    if model.status == "recovered":
        yield "this run had written it before"
    outcome = model.outcome
    if outcome is None or model.status != "succeeded":
        return
    if outcome.growth is not None and not outcome.created:
        added = [f"{dotted(each.path)} {text_of(each.type)}" for each in outcome.growth.added]
        if added:
            yield f"+ {_few(added)}"
        wider = [
            f"{dotted(each.path)} is {text_of(each.after)} now" for each in outcome.growth.widened
        ]
        if wider:
            yield _few(wider)
        kept = [dotted(each.path) for each in outcome.growth.padded]
        if kept:
            yield f"keeps {_few(kept)}, NULL in new rows"
    if outcome.attempts > 1:
        yield f"{outcome.attempts} attempts"


def _few(words: list[str]) -> str:
    more = len(words) - _COLUMNS
    return ", ".join(words[:_COLUMNS]) + (f" and {more} more" if more > 0 else "")


def _trouble(model: ModelResult, page: Page) -> None:
    if model.error is not None and model.status == "failed":
        page.line()
        page.line(page.bad("error: "), f"{model.model}: ", model.error.message)
        if model.error.hint:
            page.line(page.name("hint: "), model.error.hint)
    for warning in model.warnings:
        page.line()
        page.line(page.doubtful("warning: "), f"{model.model}: ", warning)


def _summary(result: RunResult, page: Page) -> Iterator[Cell]:
    done = result.count("succeeded", "recovered")
    counts = (("failed", result.count("failed")), ("blocked", result.count("blocked")))
    bad = [
        f"{number} {word}"
        for word, number in (*counts, ("stopped", result.count("stopped")))
        if number
    ]
    total = sum(1 for model in result.models if model.status != "skipped")
    rows = sum(model.rows or 0 for model in result.models if model.status == "succeeded")
    where = "" if result.environment is None else f" in {result.environment}"
    said = f"{counted(total, 'model')}{where}: {done} done"
    yield page.good(said) if result.status == "succeeded" else said
    if bad:
        yield page.bad(f", {', '.join(bad)}")
    if result.publish == "run-atomic":
        is_out = result.status == "succeeded"
        yield ", published together" if is_out else page.bad(", nothing published")
    yield f"; {counted(rows, 'row')} in {took(result.seconds)}"
    yield page.faint(f"  run {result.run_id}")


def took(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"
