"""Conditions as SQL for a database of one's own, with `?` for every constant.

The SQL is TRUE wherever the condition is, and may be TRUE elsewhere: DuckDB, and the server for everybody
else, apply the whole condition again. A part that cannot be said, of a column that the database lacks, is
left out of an AND; an OR that lacks a branch says nothing and goes as a whole. NOT is moved down to the
single comparisons first, where leaving out is right again.

Texts are compared by their bytes. A database with another order says so in the mapping of the column:
`sql('name COLLATE "C"')`.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias, assert_never
from uuid import UUID

import pyarrow as pa

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.expressions import Expression, replace_columns
from lakeport.catalog.predicates import (
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
)
from lakeport.catalog.predicates.literals import literal
from lakeport.core.names import NameMap

Value: TypeAlias = bool | int | float | str | bytes | Decimal | dt.date | dt.time | UUID


@dataclass(frozen=True, slots=True)
class Sql:
    """An expression in the words of the database."""

    text: str


Mapped: TypeAlias = str | Sql | None


def sql(text: str) -> Sql:
    return Sql(text)


@dataclass(frozen=True, slots=True)
class Where:
    """`text` is a condition with one `?` per parameter; `1=1` where nothing can be said.

    `is_exact` when it is TRUE for exactly the rows that the predicate is TRUE for.
    """

    text: str = "1=1"
    parameters: tuple[Value, ...] = ()
    is_exact: bool = True

    def __str__(self) -> str:
        return self.text


def where_of(predicate: Predicate | None, columns: Mapping[str, Mapped] | None = None) -> Where:
    writer = _Writer(NameMap((columns or {}).items()))
    found = Where() if predicate is None else writer.of(predicate, negated=False)
    return found or Where(is_exact=False)


def duckdb_of(
    predicate: Predicate | None,
    expression: Expression | None,
    columns: Mapping[str, Mapped] | None = None,
) -> str:
    """Both conditions in DuckDB's own SQL, every constant with its type."""
    writer = _Writer(NameMap((columns or {}).items()), in_duckdb=True)
    found = None if predicate is None else writer.of(predicate, negated=False)
    texts = [] if found is None else [found.text]
    if expression is not None:
        names = {column: writer.name(column) for column in expression.columns}
        known = {column: name for column, name in names.items() if name is not None}
        if len(known) == len(names):
            texts.append(replace_columns(expression.sql, known))
    return " AND ".join(f"({text})" for text in texts) or "true"


@dataclass(frozen=True, slots=True)
class _Writer:
    columns: NameMap[Mapped]
    in_duckdb: bool = False

    def of(self, predicate: Predicate, *, negated: bool) -> Where | None:
        match predicate:
            case And(parts):
                return self._joined(parts, is_and=not negated, negated=negated)
            case Or(parts):
                return self._joined(parts, is_and=negated, negated=negated)
            case Not(part):
                return self.of(part, negated=not negated)
            case Between():
                return self.of(And(predicate.halves), negated=negated)
            case Always(value):
                return _always(value, negated=negated)
            case IsNull(column):
                word = "IS NOT NULL" if negated else "IS NULL"
                name = self.name(column)
                return None if name is None else Where(f"{name} {word}")
            case Compare(column, op, value):
                return self._compared(column, op.negation if negated else op, value)
            case IsIn(column, values):
                return self._listed(column, list(values), negated=negated)
            case StartsWith(column, prefix):
                return self._begins(column, prefix, negated=negated)
            case _:
                assert_never(predicate)

    def name(self, column: str) -> str | None:
        mapped = self.columns.get(column, column)
        if isinstance(mapped, Sql):
            return f"({mapped.text})"
        return None if mapped is None else _quoted(mapped)

    def _joined(self, parts: Iterable[Predicate], *, is_and: bool, negated: bool) -> Where | None:
        every = [self.of(part, negated=negated) for part in parts]
        found = [part for part in every if part is not None]
        if not every:
            return _always(is_and, negated=False)
        if not found or (len(found) < len(every) and not is_and):
            return None
        text = (" AND " if is_and else " OR ").join(part.text for part in found)
        is_exact = len(found) == len(every) and all(part.is_exact for part in found)
        values = tuple(value for part in found for value in part.parameters)
        return Where(f"({text})", values, is_exact)

    def _compared(self, column: str, op: Op, scalar: Scalar) -> Where | None:
        name = self.name(column)
        if name is None:
            return None
        if not scalar.is_valid:
            return _with_null(name, op)
        mark, values = self._constants([scalar])
        if mark is None:
            return None
        match op:
            case Op.DISTINCT:
                return Where(f"({name} <> {mark} OR {name} IS NULL)", values)
            case Op.NOT_DISTINCT:
                return Where(f"({name} = {mark} AND {name} IS NOT NULL)", values)
            case _:
                return Where(f"{name} {op.value} {mark}", values)

    def _constants(self, scalars: list[Scalar]) -> tuple[str | None, tuple[Value, ...]]:
        """How they stand in the text, and what goes with it; None where one of them cannot be said."""
        if self.in_duckdb:
            return ", ".join(map(literal, scalars)), ()
        values = [_value(scalar) for scalar in scalars]
        known = tuple(value for value in values if value is not None)
        return (", ".join("?" * len(known)) if len(known) == len(values) else None), known

    def _listed(self, column: str, items: list[Scalar], *, negated: bool) -> Where | None:
        name, known = self.name(column), [item for item in items if item.is_valid]
        if not items:
            return _always(negated, negated=False)
        if not known or (negated and len(known) < len(items)):
            return _always(value=False, negated=False)  # NULL or FALSE, never TRUE
        marks, values = self._constants(known)
        if name is None or marks is None:
            return None
        return Where(f"{name} {'NOT IN' if negated else 'IN'} ({marks})", values)

    def _begins(self, column: str, prefix: str, *, negated: bool) -> Where | None:
        """Not LIKE, which takes no regard of case in some databases."""
        name = self.name(column)
        if name is None or "\0" in prefix:
            return None
        op = "<>" if negated else "="
        mark, values = self._constants([pa.scalar(prefix)])
        return Where(f"substr({name}, 1, {len(prefix)}) {op} {mark}", values)


def _always(value: bool | None, *, negated: bool) -> Where:  # noqa: FBT001  a value, not a switch
    """NULL keeps no row, however often it is negated."""
    holds = value is not None and value is not negated
    return Where("1=1" if holds else "1=0")


def _with_null(name: str, op: Op) -> Where:
    match op:
        case Op.DISTINCT:
            return Where(f"{name} IS NOT NULL")
        case Op.NOT_DISTINCT:
            return Where(f"{name} IS NULL")
        case _:
            return Where("1=0")


def _value(scalar: Scalar) -> Value | None:
    """None for what other databases order, store or spell in ways of their own."""
    if isinstance(scalar, pa.ExtensionScalar) and not isinstance(scalar, pa.UuidScalar):
        return None
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError, ArithmeticError):
        return None  # beyond what Python's own types hold
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and "\0" in value:
        return None
    if isinstance(value, bool | int | float | str | bytes | Decimal | dt.date | dt.time | UUID):
        return value
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
