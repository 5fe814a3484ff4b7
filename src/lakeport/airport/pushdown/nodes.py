"""A filter's expressions after reading: few kinds of nodes, each with its DuckDB type.

They are what the client's binder made of the SQL: every implicit cast is written out and both sides of
a comparison have one type. `Column` is bound to the table's own field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lakeport.airport.pushdown.types import BOOLEAN, DuckType
from lakeport.catalog.arrow import Field
from lakeport.catalog.predicates import Op


@dataclass(frozen=True, slots=True)
class Interval:
    months: int
    days: int
    micros: int


@dataclass(frozen=True, slots=True)
class Constant:
    """Times, dates and DECIMALs are the integers that DuckDB stores, UUIDs 16 bytes, BIT a text of
    zeros and ones, an ENUM its member. A UNION holds its one value with the member's name as tag.
    """

    type: DuckType
    value: bool | int | float | str | bytes | Interval | tuple[Constant, ...] | None
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`type` is what the client took the column for; `is_stored` when DuckDB sees it so here too."""

    field: Field
    type: DuckType
    is_stored: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    op: Op
    left: Node
    right: Node
    type: DuckType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Range:
    """BETWEEN; either end itself may lie outside."""

    value: Node
    low: Node
    high: Node
    low_inclusive: bool
    high_inclusive: bool
    type: DuckType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Joined:
    """AND or OR as a value: inside a CASE, a comparison, a call."""

    word: str
    parts: tuple[Node, ...]
    type: DuckType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Negation:
    part: Node
    type: DuckType = BOOLEAN


@dataclass(frozen=True, slots=True)
class NullTest:
    part: Node
    is_null: bool
    type: DuckType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Membership:
    probe: Node
    items: tuple[Node, ...]
    is_in: bool
    type: DuckType = BOOLEAN


@dataclass(frozen=True, slots=True)
class Choice:
    """CASE: pairs of condition and value."""

    checks: tuple[tuple[Node, Node], ...]
    otherwise: Node
    type: DuckType


@dataclass(frozen=True, slots=True)
class Conversion:
    part: Node
    type: DuckType
    is_try: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A function of DuckDB's own, or COALESCE and TRY, which its grammar treats as operators."""

    name: str
    arguments: tuple[Node, ...]
    type: DuckType
    is_operator: bool = False


Node: TypeAlias = (
    Constant
    | Column
    | Comparison
    | Range
    | Joined
    | Negation
    | NullTest
    | Membership
    | Choice
    | Conversion
    | Call
)
