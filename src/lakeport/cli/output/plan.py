"""A plan as text for a reviewer: what changes in full, what does not in one line, the sum at the end.

Marks come before words: `+` a column that is new, `~` one that gets wider or optional, `∅` one that the
table keeps and new rows are NULL in, `!` what stops a run, `→` whom it reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakeport.cli.output.sizes import counted
from lakeport.core.names import fold
from lakeport.pipeline.growth.plan import (
    Added,
    Finding,
    Padded,
    Refused,
    Relaxed,
    Unmapped,
    Widened,
    dotted,
)
from lakeport.pipeline.growth.spark_words import text_of

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page, Styled
    from lakeport.pipeline.planning.model import Affected, Effect, ModelPlan
    from lakeport.pipeline.planning.whole import ProjectPlan

_KEPT = 6
_EFFECTS = {
    "new": "is new",
    "null": "will be NULL for new rows",
    "widened": "gets wider",
    "relaxed": "may be NULL from now on",
    "refused": "is refused",
}
_HOW = {
    "delete_insert": "rows replaced by key",
    "append": "rows added",
    "merge": "rows merged by key",
    "overwrite_partitions": "partitions replaced",
    "time_range": "a stretch of time replaced",
    "full": "all rows replaced",
}


def show_plan(plan: ProjectPlan, page: Page, *, sql: bool = False) -> None:
    widths = _widths(plan)
    for model in plan.models:
        _heading(model, page, widths)
        if _is_detailed(model, sql=sql):
            for line in _details(model, page):
                page.line(*line)
            if sql:
                _sql(model, page)
            page.line()
    if plan.models and not _is_detailed(plan.models[-1], sql=sql):
        page.line()
    _missing(plan, page)
    for note in plan.notes:
        page.line(page.doubtful("note: "), note)
    page.line(summary_line(plan))


def _is_detailed(model: ModelPlan, *, sql: bool) -> bool:
    """A model that waits for others is told as such: nobody can do anything about it there."""
    if sql or model.only_waits:
        return sql
    return model.status not in {"unchanged", "blocked"} or bool(model.warnings)


def _missing(plan: ProjectPlan, page: Page) -> None:
    """Sources that are not loaded, each once, with the command that does it."""
    sources = plan.missing_sources
    if not sources:
        return
    verb = "source is" if len(sources) == 1 else "sources are"
    page.line(page.bad(f"! {len(sources):,} {verb} not loaded yet"))
    places = [_some([str(place) for place in each.places]) for each in sources]
    names, width = max(len(str(each.source)) for each in sources), max(map(len, places))
    for each, read in zip(sources, places, strict=True):
        name = page.name(str(each.source).ljust(names))
        page.line("    ", name, f"  {read.ljust(width)}  {each.command}")
    page.line()


def _widths(plan: ProjectPlan) -> tuple[int, int, int]:
    names = max((len(_title(model)) for model in plan.models), default=0)
    strategies = max((len(_kind(model)) for model in plan.models), default=0)
    return len(str(max((model.depth for model in plan.models), default=1))), names, strategies


def _heading(model: ModelPlan, page: Page, widths: tuple[int, int, int]) -> None:
    depth, names, kinds = widths
    paint = {
        "unchanged": page.faint,
        "new": page.good,
        "changed": page.doubtful,
        "refused": page.bad,
        "blocked": page.bad,
    }[model.status]
    page.line(
        page.faint(f"{model.depth:>{depth}}  "),
        page.name(_title(model).ljust(names)),
        f"  {_kind(model).ljust(kinds)}  ",
        paint(_state(model)),
    )


def _title(model: ModelPlan) -> str:
    same = str(model.table).lower() == str(model.model).lower()
    return str(model.model) if same else f"{model.model} → {model.table}"


def _kind(model: ModelPlan) -> str:
    return model.strategy or model.materialized


def _state(model: ModelPlan) -> str:
    if model.only_waits:
        return f"waits for {_some([str(name) for name in model.waits_for])}"
    if model.status == "blocked":
        return f"blocked by {', '.join(str(name) for name in model.blocked_by)}"
    told = "; ".join(reason.text for reason in model.reasons if reason.code != "schema")
    if model.status == "unchanged":
        padded = () if model.growth is None else model.growth.padded
        kept = [dotted(each.path) for each in padded if not _gives(model, each)]
        keeps = [f"keeps {counted(len(kept), 'column')} no longer in the model: {_some(kept)}"]
        return "; ".join(("unchanged", *([told] if told else []), *(keeps if kept else [])))
    # What changed is no reason for a refusal: that is told below.
    between = "; " if model.status == "refused" else ": "
    return f"{model.status}{between}{told}" if told else model.status


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _KEPT} more" if len(names) > _KEPT else ""
    return ", ".join(names[:_KEPT]) + more


def _details(model: ModelPlan, page: Page) -> Iterator[tuple[Cell, ...]]:
    yield from ((_IN, *line) for line in _facts(model, page))
    yield from ((_IN, *line) for line in _columns(model, page))
    for obstacle in model.obstacles:
        if obstacle.source is not None:  # told once, for all who read it
            continue
        first, *more = obstacle.message.split("\n")
        yield _IN, page.bad(f"! {first}")
        yield from ((_IN, "  ", line) for line in more)  # a piece of the file, and where in it
        if obstacle.hint:
            yield _IN, "    ", page.name("hint: "), obstacle.hint
    for warning in model.warnings:
        yield _IN, page.doubtful(f"? {warning}")
    yield from ((_IN, *line) for line in _reached(model, page))


_IN = "     "


def _facts(model: ModelPlan, page: Page) -> Iterator[tuple[Cell, ...]]:
    """What is worth knowing of a table that changes, beside its columns."""
    facts = []
    if model.strategy is not None:
        facts.append(_HOW.get(model.strategy, model.strategy))
    if model.publish not in {None, "direct"}:
        facts.append(f"published by {model.publish}")
    if model.interval is not None:
        facts.append(
            f"from {model.interval.start:%Y-%m-%d %H:%M} to {model.interval.end:%Y-%m-%d %H:%M} UTC"
        )
    if model.audits:
        facts.append(
            f"{counted(len(model.audits), 'audit')}: {_some([a.name for a in model.audits])}"
        )
    facts += model.rules
    facts.insert(0, model.path)
    yield (page.faint(" · ".join(facts)),)


def _columns(model: ModelPlan, page: Page) -> Iterator[tuple[Cell, ...]]:
    growth = model.growth
    if growth is None:
        if model.materialized in {"incremental", "table"} and not model.obstacles:
            yield (page.doubtful("? its columns are known when it runs"),)
        elif model.materialized == "view" and model.creates:
            yield from _listed(model, page)
        return
    lines = [line for found in growth.findings if (line := _finding(model, found, page))]
    width = max((len(name.text) for name, _ in lines), default=0)
    for name, rest in lines:
        yield (name._replace(text=name.text.ljust(width)), f"  {rest}")
    for refused in growth.refused:
        yield (page.bad(f"! {dotted(refused.path)}"), f"  refused: {refused.reason}")
        for number, remedy in enumerate(refused.remedies):
            yield ("    ", page.name("or " if number else "remedy: "), remedy)
    held = {fold(field.name) for field in growth.before}
    # Of a query that cannot run nothing will be known.
    for column in () if model.obstacles else model.unknown:
        sign, what = ("?", "checked") if fold(column) in held else ("+", "known")
        yield (page.doubtful(f"{sign} {column}"), f"  its type is {what} when it runs")


def _listed(model: ModelPlan, page: Page) -> Iterator[tuple[Cell, ...]]:
    width = max((len(column.name) for column in model.columns or ()), default=0)
    for column in model.columns or ():
        told = "known when it runs" if column.type is None else text_of(column.type)
        yield (page.good(f"+ {column.name.ljust(width)}"), f"  {told}")


def _finding(model: ModelPlan, found: Finding, page: Page) -> tuple[Styled, str] | None:
    name = dotted(found.path)
    match found:
        case Added():
            return page.good(f"+ {name}"), text_of(found.type)
        case Padded() if model.is_kept(found):
            return page.faint(f"∅ {name}"), f"{text_of(found.type)}, as before"
        case Padded():
            rows = "every row" if model.strategy == "full" else "new rows"
            why = f"NULL in {rows}: the model {'gives NULL' if _gives(model, found) else 'no longer has it'}"
            return page.doubtful(f"∅ {name}"), f"{text_of(found.type)}, {why}"
        case Widened():
            types = f"{text_of(found.before)} → {text_of(found.after)}"
            return page.doubtful(f"~ {name}"), types
        case Relaxed():
            return page.doubtful(f"~ {name}"), "may be NULL from now on"
        case Refused() | Unmapped():  # told below, and as warnings
            return None


def _gives(model: ModelPlan, padded: Padded) -> bool:
    """Whether the query has it, as a bare NULL."""
    names = {fold(column.name) for column in model.columns or ()}
    return len(padded.path) == 1 and fold(padded.path[0]) in names


def _reached(model: ModelPlan, page: Page) -> Iterator[tuple[Cell, ...]]:
    found = [
        (f"{each.model}.{each.column}", each.effect, _told(model, each))
        for each in model.downstream
    ]
    found += _rows(model)
    width = max((len(name) for name, _, _ in found), default=0)
    for name, effect, told in found:
        paint = page.doubtful if effect in {"null", "refused"} else page.name
        yield ("→ ", paint(name.ljust(width)), f"  {told}")


def _told(model: ModelPlan, each: Affected) -> str:
    sure = " (approximate)" if each.approximate else ""
    return f"from {each.cause}, which {_effect(model, each.effect)}{sure}"


def _rows(model: ModelPlan) -> Iterator[tuple[str, Effect, str]]:
    """A line for each model, use and effect, however many columns it is about."""
    causes: dict[tuple[str, str, Effect, bool], list[str]] = {}
    for each in model.downstream_rows:
        name = f"rows of {each.model} ({', '.join(each.uses)})"
        seen = (name, "by") if each.uses else (f"{each.model} (code)", "may read")
        guessed = each.approximate and bool(each.uses)
        causes.setdefault((*seen, each.effect, guessed), []).append(each.cause)
    for (name, verb, effect, guessed), columns in causes.items():
        sure = " (approximate)" if guessed else ""
        yield name, effect, f"{verb} {_some(columns)}, which {_effect(model, effect)}{sure}"


def _effect(model: ModelPlan, effect: Effect) -> str:
    is_gone = effect == "null" and model.strategy == "full"
    return "will be NULL" if is_gone else _EFFECTS[effect]


def _sql(model: ModelPlan, page: Page) -> None:
    if model.query and model.materialized != "view":  # whose statement has it
        page.line(_IN, page.faint("-- the query"))
        for line in model.query.splitlines():
            page.line(_IN, line)
    for number, statement in enumerate(model.sql):
        if number or model.materialized != "view":
            page.line(_IN, page.faint("-- then"))
        for line in statement.splitlines():
            page.line(_IN, line)


def summary_line(plan: ProjectPlan) -> str:
    found = plan.summary
    if not found.models:
        return "no models are selected: nothing to do"
    if not plan.has_changes:
        return f"{counted(found.models, 'model')}, nothing changes"
    # What is in a run's way is counted as that, and not as a change.
    status = Counter(model.status for model in plan.models if not model.only_waits)
    changed, refused = status["new"] + status["changed"], sum(map(_stops, plan.models))
    waits = "waits" if found.waiting == 1 else "wait"
    parts = (
        (status["new"], f"{status['new']:,} new"),
        (found.added, f"{counted(found.added, 'column')} added"),
        (found.padded, f"{found.padded:,} padded"),
        (found.widened, f"{found.widened:,} widened"),
        (found.relaxed, f"{found.relaxed:,} made optional"),
        (found.affected, f"{counted(found.affected, 'downstream column')} affected"),
        (found.rows_affected, f"rows of {counted(found.rows_affected, 'downstream model')}"),
        (refused, f"{refused:,} refused"),
        (status["blocked"], f"{status['blocked']:,} blocked"),
        (
            found.waiting,
            f"{found.waiting:,} {waits} for {counted(found.missing_sources, 'source')}",
        ),
    )
    told = [text for count, text in parts if count]
    if not changed:
        return f"{counted(found.models, 'model')}: {', '.join(told)}"
    if not refused:
        told.append("nothing is dropped")
    verb = "changes" if changed == 1 else "change"
    return ", ".join((f"{changed:,} of {counted(found.models, 'model')} {verb}", *told))


def _stops(model: ModelPlan) -> int:
    own = sum(each.source is None for each in model.obstacles)
    return own + (0 if model.growth is None else len(model.growth.refused))
