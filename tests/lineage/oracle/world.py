"""Tables full of random rows, and a statement to run over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROWS = 18
TARGET = "target"
Row = list[int | None]


@dataclass(frozen=True, slots=True)
class Column:
    """What the maker must know of a column to use it where it can matter.

    `small`: values 0–5, so equality joins find partners. `varies`: not one value for all rows.
    `roots`: names of everything it may be made of; two terms that share one could cancel out.
    """

    name: str
    small: bool = False
    nullable: bool = False
    varies: bool = True
    roots: frozenset[str] = frozenset()

    def renamed(self, name: str) -> Column:
        return replace(self, name=name)


@dataclass(slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A query, or a statement that writes the table `target`."""

    tables: tuple[Table, ...]
    sql: str
    target: str | None = None


def other_worlds(scenario: Scenario, count: int) -> Iterator[Scenario]:
    """The same query over other rows: what a join or a filter hides in one world shows in another."""
    for number in range(count):
        random = Random(f"{scenario.sql} {number}")  # noqa: S311  a test's seed, not a secret
        tables = tuple(
            replace(table, rows=random_rows(table.columns, random.randint(2, 14), random))
            for table in scenario.tables
        )
        yield replace(scenario, tables=tables)


def random_rows(columns: Sequence[Column], count: int, random: Random) -> list[Row]:
    return [[_value(column, random) for column in columns] for _ in range(count)]


def _value(column: Column, random: Random) -> int | None:
    if column.nullable and random.random() < 0.3:
        return None
    return random.randint(0, 5) if column.small else random.randint(-40, 40)
