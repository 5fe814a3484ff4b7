"""The page `docs/reference/functions.md`, written from the expressions' allow-list itself."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.catalog.expressions.functions import FUNCTIONS, Argument, Function
from lakeport.catalog.expressions.types import COLLATIONS, NAMED_TYPES, TYPES

_INTRODUCTION = """\
# Functions an expression may call

<!-- Written by scripts/reference.py: change the code, then run it. -->

CHECK, DEFAULT, `USING` and conditions may call these functions of DuckDB and no others;
[expressions](../concepts/expressions.md) says why. Names are found in any case. An argument in the last column must be
written as a literal.
"""

_SYNTAX = """\
## Syntax

Comparisons, `AND`, `OR`, `NOT`, `IS [NOT] NULL`, `IS [NOT] DISTINCT FROM`, `IS [NOT] TRUE`, `BETWEEN`, `IN (…)`, `LIKE`, `ILIKE`,
`SIMILAR TO`, `GLOB`, `~`, `CASE`, `COALESCE`, `IF`, `IFNULL`, `CAST`, `TRY_CAST`, `::`, `TRY`, `AT TIME ZONE`, `EXTRACT`, `INTERVAL`, `COLLATE`,
`s.field`, `s['field']`, `list[1]`, `list[1:2]`, `map['key']`, `json -> path`, `json ->> path`, `[a, b]`, `{'a': b}`, `MAP {a: b}`, `(a, b)`.
"""


def functions_page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield _SYNTAX
    for group in dict.fromkeys(function.group for function in FUNCTIONS.values()):
        members = sorted((f for f in FUNCTIONS.values() if f.group == group), key=_order)
        free = [function for function in members if not _rule(function)]
        yield f"## {group}\n"
        if free:
            yield ", ".join(_code(function.name) for function in free) + "\n"
        ruled = [function for function in members if _rule(function)]
        if ruled:
            yield "| function | allowed with |\n|---|---|"
            yield from (f"| {_code(f.name)} | {_rule(f)} |" for f in ruled)
            yield ""
    yield "## Types and collations\n"
    yield "Casts: " + ", ".join(
        _code(name) for name in sorted(TYPES | {n.upper() for n in NAMED_TYPES})
    )
    yield "\nCollations, also combined with dots: " + ", ".join(map(_code, sorted(COLLATIONS)))


def _order(function: Function) -> str:
    return function.name.lower()


def _code(name: str) -> str:
    return f"`{name}`".replace("|", "\\|")


def _rule(function: Function) -> str:
    rules = [f"{function.arguments} arguments"] if function.arguments else []
    kinds = dict.fromkeys(kind for _, kind in function.demands if kind is not Argument.OTHER)
    rules += [f"a literal {kind}" for kind in kinds]
    return ", ".join(rules)
