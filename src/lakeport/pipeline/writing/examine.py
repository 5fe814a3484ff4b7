"""Staged rows looked at before anything is touched: counted, measured, held against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakeport.catalog.definition import Definition, Key, PrimaryKey
from lakeport.core.errors import KeyViolationError
from lakeport.pipeline.console import Console
from lakeport.pipeline.growth import Plan
from lakeport.pipeline.staging import Figures
from lakeport.pipeline.strategies import (
    Measured,
    Write,
    countable,
    counted,
    left_out,
    measure,
    measured,
    repeated_keys,
    repetition,
    require_keys,
    taken_keys,
)
from lakeport.pipeline.strategies.write import MEANING
from lakeport.pipeline.target import Head
from lakeport.pipeline.writing.request import WriteRequest
from lakeport.pipeline.writing.rules import require_rules


@dataclass(frozen=True, slots=True)
class Examined:
    """`write` has the bounds of its keys. `found` is None where nobody needs to know before the commit,
    which counts rows itself.
    """

    write: Write
    found: Measured | None
    warnings: tuple[str, ...]


def figures_of(
    request: WriteRequest, write: Write, plan: Plan, rules: Definition | None
) -> tuple[str, ...]:
    """What `examine` will want to know and can be found out while the rows are computed."""
    if _is_unasked(request, write, plan, rules) or request.chosen == "merge":
        return ()
    return countable(write)


def examine(
    console: Console,
    request: WriteRequest,
    write: Write,
    plan: Plan,
    rules: Definition | None,
    figures: Figures | None = None,
) -> Examined:
    """`rules` are the table's, None of one that is not there yet. `figures` are known already."""
    if _is_unasked(request, write, plan, rules):
        return Examined(write, None, ())
    # A table that has changed since may have its keys in another type.
    if figures is not None and figures.asked == figures_of(request, write, plan, rules):
        row: Sequence[Any] = counted(figures.values)
    else:
        # A MERGE that updates takes one row for each key; `delete_insert` keeps what repeats.
        row = console.row(measure(write, repeats=request.chosen == "merge"), MEANING)
    found = measured(write, row)
    require_keys(write, found)
    if found.repeated:
        raise repetition(write, console.rows(repeated_keys(write), MEANING))
    if rules is not None:
        require_rules(console, write, plan, rules, found.rows)
    bounded = replace(write, bounds=found.bounds)
    return Examined(bounded, found, tuple(_warnings(console, request, bounded, found)))


def _is_unasked(request: WriteRequest, write: Write, plan: Plan, rules: Definition | None) -> bool:
    """The whole table anew: the commit counts, and nothing is matched."""
    return request.chosen == "full" and not write.unique_key and not _has_rules(plan, rules)


def _has_rules(plan: Plan, rules: Definition | None) -> bool:
    if rules is None:
        return False
    return bool(rules.constraints) or any(column.required for column in plan.after)


def require_unique(console: Console, request: WriteRequest, write: Write, head: Head) -> None:
    """`KeyViolationError` for keys that two rows would have; true of this head and no later one."""
    schema = None if head.snapshot_id is None else head.definition.schema
    for key in head.definition.keys:
        sample = console.rows(taken_keys(request.chosen, write, key, schema), MEANING)
        if sample:
            raise _violation(key, sample)


def _violation(key: Key, sample: Sequence[Sequence[object]]) -> KeyViolationError:
    rows = "; ".join(", ".join(str(value) for value in row) for row in sample)
    kind = "PRIMARY KEY" if isinstance(key, PrimaryKey) else "UNIQUE"
    called = f"{kind} ({', '.join(key.columns)})"
    return KeyViolationError(
        f"{called}: more than one row would have these keys: {rows}",
        hint="leave them out of the query, or replace rows by unique_key",
        details={"constraint": key.name, "sample": rows},
        unseen=f"{called}: keys would be there twice",
    )


def _warnings(
    console: Console, request: WriteRequest, write: Write, found: Measured
) -> Iterator[str]:
    if found.null_keys and request.null_keys == "append":
        yield (
            f"{found.null_keys} of {found.rows} rows have a NULL in their unique_key:"
            " they replace nothing and are added each time"
        )
    if request.chosen == "time_range" and found.rows:
        (outside,) = console.row(left_out(write), MEANING)
        if outside:
            yield f"{outside} of {found.rows} rows are outside of the range and were left out"
