"""Random statements that write: INSERT, UPDATE, MERGE, CREATE TABLE AS and CREATE VIEW."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import QueryMaker
from tests.lineage.oracle.world import TARGET, Column, Scenario, Table, random_rows

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import Source, Visible


def make_writing_scenario(seed: str) -> Scenario:
    return _StatementMaker(Random(seed)).writing_scenario()  # noqa: S311  a test's seed, not a secret


class _StatementMaker(QueryMaker):
    """Puts generated queries into statements that write the table `target`."""

    def writing_scenario(self) -> Scenario:
        self.tables = tuple(self.table(number) for number in range(2))
        write = self.random.choice(
            (
                self._create,
                self._insert_by_name,
                self._insert_by_position,
                self._insert_called,
                self._update,
                self._update_asking,
                self._merge,
                self._merge_choosing,
            )
        )
        sql = write()
        if write == self._create:
            return Scenario(self.tables, sql, TARGET)
        columns = (Column("k", small=True), Column("x", nullable=True), Column("y"))
        target = Table(TARGET, columns, random_rows(columns, 8, self.random))
        return Scenario((*self.tables, target), sql, TARGET)

    def _create(self) -> str:
        kind = self.random.choice(("TABLE", "VIEW"))
        return f"CREATE {kind} {TARGET} AS {self.query(depth=2).sql}"

    def _insert_by_name(self) -> str:
        query = self.query(depth=2)
        names = self.random.sample(("k", "x", "y"), k=min(len(query.columns), 3))
        return f"INSERT INTO {TARGET} ({', '.join(names)}) {self.cut(query, len(names))}"

    def _insert_by_position(self) -> str:
        query = self.query(depth=2)
        while len(query.columns) < 3:
            query = self.query(depth=2)
        return f"INSERT INTO {TARGET} {self.cut(query, 3)}"

    def _insert_called(self) -> str:
        """By the names of the columns, in another order than the table's."""
        source = self.from_clause(depth=1)
        names = self.random.sample(("k", "x", "y"), k=2)
        items = [f"{self.random.choice(source.visible).text} AS {name}" for name in names]
        return f"INSERT INTO {TARGET} BY NAME SELECT {', '.join(items)} {source.sql}"

    def _update_asking(self) -> str:
        """A query for each row, and a predicate that asks another table."""
        table, other = (self.random.choice(self.tables) for _ in range(2))
        value = self.random.choice(table.columns[1:]).name
        total = f"(SELECT sum(q.{value}) FROM {table.name} AS q WHERE q.k = {TARGET}.k)"
        test = f"EXISTS (SELECT 1 FROM {other.name} AS q WHERE q.k = {TARGET}.k)"
        return f"UPDATE {TARGET} SET x = {total}, y = y - 2 * x WHERE {test}"

    def _update(self) -> str:
        value = self.random.choice(
            ("s.total", f"{TARGET}.y + 2 * s.total", f"coalesce({TARGET}.x, s.total)")
        )
        return (
            f"UPDATE {TARGET} SET x = {value} FROM {self._summed()} AS s WHERE {TARGET}.k = s.small"
        )

    def _merge(self) -> str:
        value = self.random.choice(("s.total", f"{TARGET}.x + 2 * s.total"))
        return (
            f"MERGE INTO {TARGET} USING {self._summed()} AS s ON {TARGET}.k = s.small "
            f"WHEN MATCHED THEN UPDATE SET x = {value} "
            "WHEN NOT MATCHED THEN INSERT (k, y) VALUES (s.small, s.total)"
        )

    def _merge_choosing(self) -> str:
        return (
            f"MERGE INTO {TARGET} USING {self._summed()} AS s ON {TARGET}.k = s.small "
            f"WHEN MATCHED AND s.total > {TARGET}.y THEN UPDATE SET x = s.total "
            f"WHEN MATCHED THEN UPDATE SET x = {TARGET}.y "
            f"WHEN NOT MATCHED BY SOURCE THEN UPDATE SET y = 3 * {TARGET}.x "
            "WHEN NOT MATCHED AND s.total > 0 THEN INSERT (k, x) VALUES (s.small, s.total)"
        )

    def _summed(self) -> str:
        """One row per key: with several, an update would pick one of them at will."""
        source, small = self._with_small()
        key = self.random.choice(small)
        value = self.random.choice(self.apart(source.visible, key) or source.visible)
        where = self.where(source)
        grouped = f"{source.sql}{where} GROUP BY {key.text}"
        return f"(SELECT {key.text} AS small, sum({value.text}) AS total {grouped})"

    def _with_small(self) -> tuple[Source, list[Visible]]:
        """Not the key of a LEFT JOIN: without its rows, the right side of it shows nothing."""
        while True:
            source = self.from_clause(depth=1)
            small = [v for v in source.visible if v.column.small and "." in v.text]
            if small:
                return source, small
