"""The closed set of conditions that can prune: frozen values, no behaviour but what they mention.

Every one is TRUE, FALSE or NULL for a row, as in SQL; a scan keeps the rows where it is TRUE. A
predicate in the user's terms (any spelling, any constant) becomes one in the table's terms with
`bind`; only a bound one can be evaluated, used for pruning, described or put into a ticket.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

from lakeport.catalog.arrow import Array, Scalar

MAX_DEPTH = 100
"""How deep a predicate may nest: far beyond any query, far below Python's stack."""

MAX_BOUND_DEPTH = MAX_DEPTH + 4
"""Binding may put a small tree in the place of a comparison."""


class Op(StrEnum):
    """Comparison operators, spelled as in SQL."""

    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    DISTINCT = "IS DISTINCT FROM"
    NOT_DISTINCT = "IS NOT DISTINCT FROM"

    @property
    def negation(self) -> Op:
        """The operator that is TRUE exactly where this one is FALSE."""
        return _NEGATIONS[self]


_PAIRS = ((Op.EQ, Op.NE), (Op.LT, Op.GE), (Op.LE, Op.GT), (Op.DISTINCT, Op.NOT_DISTINCT))
_NEGATIONS = dict(_PAIRS) | {second: first for first, second in _PAIRS}


@dataclass(frozen=True, slots=True)
class Compare:
    """The operator's SQL text does as well: `Compare("price", ">=", pa.scalar(5))`."""

    column: str
    op: Op
    value: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "op", Op(self.op))


@dataclass(frozen=True, slots=True)
class IsIn:
    """NULL among the values makes every miss NULL; without values it is FALSE, even for NULL."""

    column: str
    values: Array

    def __hash__(self) -> int:
        # pyarrow's arrays have no hash of their own.
        return hash((self.column, self.values.type, len(self.values)))


@dataclass(frozen=True, slots=True)
class Between:
    column: str
    low: Scalar
    high: Scalar
    low_inclusive: bool = True
    high_inclusive: bool = True

    @property
    def halves(self) -> tuple[Compare, Compare]:
        """The two comparisons that it abbreviates."""
        return (
            Compare(self.column, Op.GE if self.low_inclusive else Op.GT, self.low),
            Compare(self.column, Op.LE if self.high_inclusive else Op.LT, self.high),
        )


@dataclass(frozen=True, slots=True)
class IsNull:
    """The only condition that columns of every type can have."""

    column: str


@dataclass(frozen=True, slots=True)
class StartsWith:
    """`LIKE 'prefix%'`, where the prefix is taken literally."""

    column: str
    prefix: str


@dataclass(frozen=True, slots=True)
class And:
    """Of nothing, it is TRUE."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Of nothing, it is FALSE."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Predicate


@dataclass(frozen=True, slots=True)
class Always:
    """The same for every row; None is NULL."""

    value: bool | None


Predicate: TypeAlias = Compare | IsIn | Between | IsNull | StartsWith | And | Or | Not | Always


def false_unless_null(column: str) -> Predicate:
    """What a comparison that no value can pass amounts to: NULL is still NULL."""
    return And((Always(None), IsNull(column)))


def true_unless_null(column: str) -> Predicate:
    return Or((Always(None), Not(IsNull(column))))


def columns_of(predicate: Predicate) -> frozenset[str]:
    """The columns that must be read to evaluate it, in the spelling it uses."""
    return frozenset(_columns(predicate))


def _columns(predicate: Predicate) -> Iterator[str]:
    match predicate:
        case Compare() | IsIn() | Between() | IsNull() | StartsWith():
            yield predicate.column
        case And() | Or():
            for part in predicate.parts:
                yield from _columns(part)
        case Not():
            yield from _columns(predicate.part)
        case Always():
            return
        case _:
            assert_never(predicate)
