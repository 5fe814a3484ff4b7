"""The page `docs/reference/filters.md`: what is evaluated and what is not, from the code and recordings.

`python -m tests.airport.pushdown.filters_page` writes it; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lakeport.airport.pushdown import functions, parse_filters
from lakeport.airport.pushdown.read import CLASSES, CONJUNCTIONS, MAX_DEPTH, OPERATORS
from lakeport.airport.pushdown.types import PARAMETRISED, PLAIN
from tests.airport.pushdown.recorded import Recorded, recordings, rows_for

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "filters.md"

_INTRODUCTION = """\
# Filters that DuckDB pushes down

<!-- Written by `python -m tests.airport.pushdown.filters_page`. -->

DuckDB's `airport` client sends the WHERE clause of a scan along, as JSON of its bound expression, and applies
all of it again to the rows it gets. So the server may leave out what it cannot evaluate, but never drops a row
that the whole clause would keep: a part is left out of an AND, an OR or a NOT over an AND that lacks a part goes as a
whole. A row for which a condition fails (a cast of a text that is no number) is sent, and the client
raises the error, if another condition has not refused the row before.

A condition on one column and constants becomes a *predicate*, which skips files and row groups by their bounds. All
others run in the [locked-down engine](../concepts/expressions.md). A document that is not JSON, or no object, is
INVALID_ARGUMENT; any other surprise in it widens.
"""


def page() -> str:
    return "\n".join([_INTRODUCTION, *_grammar(), *_functions(), *_recordings()])


def _grammar() -> Iterator[str]:
    yield "## Evaluated\n"
    yield f"* Classes: {_names(CLASSES)}."
    yield f"* Comparisons: {_names(OPERATORS)}, `COMPARE_BETWEEN`, `COMPARE_IN`, `COMPARE_NOT_IN`."
    yield f"* Conjunctions: {_names(CONJUNCTIONS)}."
    yield (
        "* Operators: `OPERATOR_NOT`, `OPERATOR_IS_NULL`, `OPERATOR_IS_NOT_NULL`,"
        " `OPERATOR_COALESCE`, `OPERATOR_TRY`."
    )
    yield f"* Types: {_names(sorted({*PLAIN, *PARAMETRISED}))}. Of GEOMETRY only IS NULL."
    yield "* Constants in every form of these types: pairs of 64 bit halves, unscaled decimals, escaped"
    yield "  blobs, base64, infinities, NaN, packed times, intervals, nested values, members of ENUMs."
    yield f"* Up to {MAX_DEPTH} levels; a deeper part is left out.\n"


def _functions() -> Iterator[str]:
    yield "## Functions\n"
    yield "By name, where their catalog is empty or `system`: those of [functions](functions.md), except"
    yield "where the answer depends on more than the row:\n"
    yield f"* {_names(functions.UNSTABLE)}: its values change with DuckDB's releases."
    yield "* TIME and TIMESTAMP WITH TIME ZONE in a cast or a function: the session's time zone is not told. These"
    yield f"  take them as the numbers they are: {_names(sorted(functions.ZONE_FREE))}."
    yield f"* {_names(sorted(functions.DIVISIONS))} of floats by what is no constant: a setting says what x / 0 is."
    yield f"* {_names(sorted(functions.SUBSTRINGS))} at places that are not constant, and a BIGNUM's negation:"
    yield "  DuckDB has two answers."
    yield f"* {_names(sorted(functions.NAMELESS))}: the JSON does not say the fields' names.\n"
    yield f"Also {_names(sorted(functions.INTERNAL))}, which stand for other SQL. Volatile functions and functions of"
    yield "the attached catalog are never evaluated.\n"


def _recordings() -> Iterator[str]:
    pushed = [recorded for recorded in recordings() if recorded.was_pushed]
    left = [(recorded, _dropped(recorded)) for recorded in pushed]
    widened = [(recorded, dropped) for recorded, dropped in left if dropped]
    total, unpushed = len(recordings()), len(recordings()) - len(pushed)
    yield "## The recorded filters\n"
    yield f"Of {total} conditions that were recorded with the real client, {len(pushed) - len(widened)} are evaluated"
    yield f"exactly: the rows are DuckDB's own. {unpushed} never leave the client (subqueries, constants). These"
    yield f"{len(widened)} are widened:\n"
    yield "| condition | left out |"
    yield "|---|---|"
    for recorded, dropped in widened:
        yield f"| `{recorded.condition}` | {', '.join(dropped)} |"
    yield ""


def _dropped(recorded: Recorded) -> tuple[str, ...]:
    return parse_filters(recorded.text, rows_for(recorded).schema).dropped


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
