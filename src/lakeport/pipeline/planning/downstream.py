"""Whom a change of a table's columns reaches: columns of later models, and their rows, by column lineage."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.core.names import TableName, fold, quoted
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.growth.plan import Plan
from lakeport.pipeline.planning.model import Affected, AffectedRows, Effect


def affected(
    graph: Graph, model: TableName, growth: Plan, kept: frozenset[str]
) -> tuple[Affected, ...]:
    """In the order of the plan's findings, then of the graph. A change inside a struct is its column's."""
    return tuple(
        Affected(each.table, each.column, column, effect, each.through, each.approximate)
        for column, effect in _changes(growth, kept)
        for each in graph.affected({model: (column,)})
        if each.table.folded != model.folded
    )


def affected_rows(
    graph: Graph, model: TableName, growth: Plan, kept: frozenset[str]
) -> tuple[AffectedRows, ...]:
    """Of a model that nobody can look into it is not told that a column is new: it cannot use that yet.

    Nor that rows are gathered or sorted by what is one of the model's columns, which is told as such.
    """
    found: list[AffectedRows] = []
    for column, effect in _changes(growth, kept):
        changed = {model: (column,)}
        shown = {each.table.folded for each in graph.affected(changed)}
        for each in graph.affected_rows(changed):
            is_shown = each.table.folded in shown and not _CHOOSING & set(each.uses)
            is_told = is_shown if each.uses else effect == "new"
            if each.table.folded != model.folded and not is_told:
                found.append(
                    AffectedRows(
                        each.table, column, effect, each.uses, each.through, each.approximate
                    )
                )
    return tuple(found)


_CHOOSING = frozenset({"filter", "join"})
"""Uses that decide whether there is a row at all."""


def _changes(growth: Plan, kept: frozenset[str]) -> Iterator[tuple[str, Effect]]:
    seen: set[tuple[str, Effect]] = set()
    found: list[tuple[str, Effect]] = [(each.path[0], "refused") for each in growth.refused]
    if not growth.refused:
        found += [(each.path[0], "new") for each in growth.added if len(each.path) == 1]
        found += [
            (each.path[0], "null")
            for each in growth.padded
            if len(each.path) == 1 and fold(each.path[0]) not in kept
        ]
        found += [(each.path[0], "widened") for each in growth.widened]
        found += [(each.path[0], "relaxed") for each in growth.relaxed]
    for column, effect in found:
        key = (fold(column), effect)
        if key not in seen:
            seen.add(key)
            yield column, effect


def null_warning(cause: TableName, found: Affected, *, replaced: bool) -> str:
    """Said to the model that goes on reading a column which its upstream model no longer fills.

    `replaced`: all rows of that one are written anew, so none has a value left.
    """
    made = "may be made" if found.approximate else "is made"
    return f"column {quoted(found.column)} {made} of {_gone(cause, found.cause, replaced=replaced)}"


def rows_warning(cause: TableName, found: AffectedRows, *, replaced: bool) -> str:
    """The same of rows: a condition on a column that is NULL lets none of them through, mostly."""
    gone = _gone(cause, found.cause, replaced=replaced)
    if not found.uses:
        is_direct = any(table.folded == cause.folded for table, _ in found.through)
        return f"its code may read {'' if is_direct else 'what is made of '}{gone}"
    sure = "may depend" if found.approximate else "depend"
    return f"its rows {sure} ({', '.join(found.uses)}) on {gone}"


def _gone(cause: TableName, column: str, *, replaced: bool) -> str:
    when = "NULL" if replaced else "NULL for new rows"
    origin = quoted(f"{cause}.{column}")
    return f"{origin}, which will be {when}: the model {quoted(str(cause))} no longer has it"
