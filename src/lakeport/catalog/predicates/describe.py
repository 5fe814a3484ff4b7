"""A bound predicate as DuckDB SQL: for messages, for plans, and to be run by DuckDB as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from lakeport.catalog.predicates.literals import literal, text_literal
from lakeport.catalog.predicates.model import (
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Or,
    Predicate,
    StartsWith,
)


def describe(predicate: Predicate) -> str:  # noqa: C901 one arm per predicate
    """With every constant's type written out, so that nothing is left to be guessed."""
    match predicate:
        case Compare(column, op, value):
            return f"{_name(column)} {op.value} {literal(value)}"
        case IsIn(column, values):
            listed = ", ".join(literal(value) for value in values)
            # SQL has no empty list, but nothing is in it.
            return f"{_name(column)} IN ({listed})" if listed else "FALSE"
        case Between(column, low, high, True, True):
            return f"{_name(column)} BETWEEN {literal(low)} AND {literal(high)}"
        case Between():
            return _joined("AND", predicate.halves, empty="TRUE")
        case IsNull(column):
            return f"{_name(column)} IS NULL"
        case Not(IsNull(column)):
            return f"{_name(column)} IS NOT NULL"
        case StartsWith(column, prefix):
            return f"starts_with({_name(column)}, {text_literal(prefix)})"
        case And(parts):
            return _joined("AND", parts, empty="TRUE")
        case Or(parts):
            return _joined("OR", parts, empty="FALSE")
        case Not(part):
            return f"(NOT {describe(part)})"
        case Always(value):
            return "NULL::BOOLEAN" if value is None else str(value).upper()
        case _:
            assert_never(predicate)


def _joined(word: str, parts: Sequence[Predicate], *, empty: str) -> str:
    if not parts:
        return empty
    return "(" + f" {word} ".join(describe(part) for part in parts) + ")"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
