"""A workload that a chance has written: no two statements are alike, and each reads what others made."""

from __future__ import annotations

import random

_WORDS = (
    *("customer", "order", "item", "price", "quantity", "region", "day", "status"),
    *("shipment", "tax", "discount", "code", "kind", "rank", "score"),
)
_TYPES = ("INT", "BIGINT", "STRING", "DOUBLE", "DATE", "DECIMAL(12,2)")
_VALUES = (
    *("{}", "{}", "{} + 1", "upper({})", "coalesce({}, 0)", "sum({})", "cast({} AS STRING)"),
    "CASE WHEN {0} > 3 THEN {0} ELSE 0 END",
    "row_number() OVER (PARTITION BY {0} ORDER BY {0} DESC)",
)


class _Writer:
    """Knows the tables it has made, with their columns."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - texts, no secrets
        self._tables: dict[str, list[str]] = {}

    def statement(self, number: int) -> str:
        chance = self._chance
        if number < 20 or chance.random() < 0.1:
            return self._table(number)
        names = [f"{chance.choice(_WORDS)}_{number}_{n}" for n in range(chance.randint(2, 7))]
        query = self._query(names)
        match chance.choices(("TABLE", "VIEW", "INSERT", "SELECT"), (4, 2, 2, 2))[0]:
            case "SELECT":
                return query
            case "INSERT":
                return f"INSERT INTO report_{chance.randint(1, 9)} {query}"
            case kind:
                table = f"mart_{number}"
                self._tables[table] = names
                return f"CREATE {kind} {table} AS {query}"

    def _table(self, number: int) -> str:
        chance = self._chance
        words = chance.sample(_WORDS, chance.randint(4, 9))
        columns = [f"{word}_{chance.randint(0, 99)}" for word in words]
        table = f"source_{chance.choice(_WORDS)}_{number}"
        self._tables[table] = columns
        listed = ", ".join(f"{column} {chance.choice(_TYPES)}" for column in columns)
        return f"CREATE TABLE {table} ({listed})"

    def _query(self, names: list[str]) -> str:
        chance = self._chance
        sources = chance.sample(list(self._tables), chance.randint(1, 3))
        items = ", ".join(
            f"{chance.choice(_VALUES).format(self._column(sources))} AS {name}" for name in names
        )
        query = f"SELECT {items} FROM {sources[0]} AS t0"
        for place, source in enumerate(sources[1:], 1):
            left, right = self._column(sources[:1]), chance.choice(self._tables[source])
            join = chance.choice(("JOIN", "LEFT JOIN"))
            query += f" {join} {source} AS t{place} ON {left} = t{place}.{right}"
        if chance.random() < 0.6:
            query += f" WHERE {self._column(sources)} > {chance.randint(1, 99)}"
        return query

    def _column(self, sources: list[str]) -> str:
        place = self._chance.randrange(len(sources))
        return f"t{place}.{self._chance.choice(self._tables[sources[place]])}"


def varied(count: int) -> list[str]:
    """So many statements, the same in every run."""
    writer = _Writer(seed=1)
    return [writer.statement(number) for number in range(count)]
