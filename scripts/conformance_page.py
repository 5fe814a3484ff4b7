"""The page `docs/reference/conformance.md`, written from the rules and the checks themselves."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.conformance.check import Family
from lakeport.conformance.families import FAMILIES
from lakeport.conformance.rules import RULES

_INTRODUCTION = """\
# Conformance

<!-- Written by scripts/reference.py: change the code, then run it. -->

What `lakeport conformance` asks ([guide](../guides/conformance.md)). Rules that begin with `0.` keep DuckDB's client alive;
the others follow the chapters of the protocol.
"""


def conformance_page() -> str:
    return "\n".join(
        (_INTRODUCTION, *_rules(), *(line for family in FAMILIES for line in _family(family)))
    )


def _rules() -> Iterator[str]:
    yield "## Rules\n"
    yield "| rule | a good server | or else |\n|---|---|---|"
    for rule in RULES.values():
        yield f"| `{rule.number}` | {rule.says} | {rule.client} |"
    yield ""


def _family(family: Family) -> Iterator[str]:
    yield f"## {family.name}: {family.about}\n"
    if family.checks:
        yield "| check | rule | what is asked |\n|---|---|---|"
        for check in family.checks:
            yield f"| `{check.name}` | `{check.rule}` | {check.title} |"
        yield ""
    if family.grown is not None:
        yield f"{_GROWN[family.name]}\n"


_GROWN = {
    "functions": "One more for each function that is listed: `functions.SCHEMA.NAME(TYPES)`. Scalar functions (rule `6.2`) and "
    "in/out functions (`0.9`) are called with 1, 2047, 2048 and 2049 rows, table functions (`6.3`) are bound and read.",
    "existing": "With `--read-existing ROWS` one for each table that was there: `existing.SCHEMA.TABLE` (rule `0.3`).",
}
