"""What each strategy means, in plain Python: rows are dictionaries, a table is a list of them.

Written from the words of docs/concepts/growth.md, not from the SQL: columns only get more, what a batch
does not have is NULL, and a NULL in a key equals nothing unless the setting says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.engines.plain import Row, in_order

Record = dict[str, Any]


@dataclass
class Model:
    columns: list[str] = field(default_factory=list)
    rows: list[Record] = field(default_factory=list)

    def expected(self) -> list[Row]:
        return in_order(tuple(row.get(name) for name in self.columns) for row in self.rows)

    def append(self, columns: Sequence[str], batch: Sequence[Record]) -> None:
        self._grow(columns)
        self.rows += [self._named(row) for row in batch]

    def full(self, columns: Sequence[str], batch: Sequence[Record]) -> None:
        self.rows.clear()
        self.append(columns, batch)

    def delete_insert(
        self, columns: Sequence[str], batch: Sequence[Record], key: Sequence[str], nulls: str
    ) -> None:
        self._grow(columns)
        doomed = {self._key(row, key) for row in batch if self._matches(row, key, nulls)}
        self.rows = [row for row in self.rows if self._key(row, key) not in doomed]
        self.append(columns, batch)

    def merge(
        self, columns: Sequence[str], batch: Sequence[Record], key: Sequence[str], nulls: str
    ) -> None:
        self._grow(columns)
        for given in batch:
            row = self._named(given)
            same = [
                known
                for known in self.rows
                if self._matches(given, key, nulls) and self._key(known, key) == self._key(row, key)
            ]
            for known in same:
                known.update(row)
            if not same:
                self.rows.append(row)

    def replace(
        self, columns: Sequence[str], batch: Sequence[Record], doomed: Callable[[Record], bool]
    ) -> None:
        self._grow(columns)
        self.rows = [row for row in self.rows if not doomed(row)]
        self.append(columns, batch)

    # -- inside ----------------------------------------------------------------------------------

    def _grow(self, columns: Sequence[str]) -> None:
        held = {name.casefold() for name in self.columns}
        self.columns += [name for name in columns if name.casefold() not in held]

    def _named(self, row: Record) -> Record:
        spelled = {name.casefold(): name for name in self.columns}
        return {spelled[name.casefold()]: value for name, value in row.items()}

    def _key(self, row: Record, key: Sequence[str]) -> tuple[Any, ...]:
        values = {name.casefold(): value for name, value in row.items()}
        return tuple(values.get(name.casefold()) for name in key)

    def _matches(self, row: Record, key: Sequence[str], nulls: str) -> bool:
        return nulls == "match" or None not in self._key(row, key)
