"""What a database says about a query's dependencies: change one column, look which outputs change.

This is the independent side of the proof: it knows nothing of SQL's rules, only that a value which
changes when a source column changes depends on it.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Self

import duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.lineage.oracle.world import Row, Scenario, Table

Bags = list[Counter[object]]
# Past this many changes, a column whose every claimed output has changed needs no further proof.
ENOUGH = 4


class Database:
    """A DuckDB holding a scenario's tables. One thread: row order must not differ between runs."""

    def __init__(self, scenario: Scenario) -> None:
        # Of an ASOF join DuckDB has two ways, by the size it guesses, that take NULL differently.
        self._connection = duckdb.connect(config={"threads": "1", "asof_loop_join_threshold": "0"})
        self._scenario = scenario
        for table in scenario.tables:
            columns = ", ".join(f"{column.name} BIGINT" for column in table.columns)
            self._connection.execute(f"CREATE TABLE {table.name} ({columns})")
            self.fill(table, table.rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def fill(self, table: Table, rows: list[Row]) -> None:
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        self._connection.execute(f"DELETE FROM {table.name}")
        self._connection.execute(f"INSERT INTO {table.name} VALUES {values}")

    def bags(self) -> Bags:
        """The multiset of values of each column of the answer, or of the table written."""
        names, rows = self._answer()
        return [Counter(row[position] for row in rows) for position in range(len(names))]

    def tells(self) -> bool:
        """Whether there are a few rows, and a table written to is no longer what it was."""
        rows = sorted(map(repr, self._answer()[1]))
        held = {table.name: table.rows for table in self._scenario.tables}
        before = held.get(self._scenario.target or "", [])
        return len(rows) > 1 and rows != sorted(repr(tuple(row)) for row in before)

    def output_names(self) -> list[str]:
        return self._answer()[0]

    def _answer(self) -> tuple[list[str], list[tuple[object, ...]]]:
        scenario = self._scenario
        self._connection.execute("BEGIN")
        try:
            cursor = self._connection.execute(scenario.sql)
            if scenario.target is not None:
                cursor = self._connection.execute(f"SELECT * FROM {scenario.target}")
            return [item[0] for item in cursor.description or ()], cursor.fetchall()
        finally:
            self._connection.execute("ROLLBACK")


def telling_scenario(seed: int, make: Callable[[str], Scenario]) -> Scenario:
    """The first scenario of this seed that does something: an empty answer shows no dependency."""
    for attempt in range(100):
        scenario = make(f"{seed}.{attempt}")
        with Database(scenario) as database:
            if database.tells():
                return scenario
    raise AssertionError(f"seed {seed} gives only empty answers")


def perturbed(table: Table, position: int, seed: int) -> Iterator[list[Row]]:
    """The table's rows with other values in one column, in ever different ways."""
    random = Random(seed)  # noqa: S311  a test's seed, not a secret
    yield _replaced(table, position, lambda _: random.randint(0, 5))
    yield _replaced(table, position, lambda old: None if old is None else old + 7)
    yield _replaced(table, position, lambda _: random.randint(-500, 500))
    yield _replaced(table, position, lambda old: random.randint(0, 5) if old is None else old)
    yield _replaced(table, position, lambda old: None if random.random() < 0.5 else old)
    yield _replaced(table, position, lambda _: None)
    for _ in range(8):
        yield _replaced(table, position, lambda _: random.choice((None, 0, 1, 2, 3, 4, 5, 60)))
    for changed in range(len(table.rows)):
        rows = [list(row) for row in table.rows]
        rows[changed][position] = (rows[changed][position] or 0) + 1
        yield rows


def _replaced(table: Table, position: int, new: Callable[[int | None], int | None]) -> list[Row]:
    return [[*row[:position], new(row[position]), *row[position + 1 :]] for row in table.rows]


def _literal(value: int | None) -> str:
    return "NULL" if value is None else str(value)
