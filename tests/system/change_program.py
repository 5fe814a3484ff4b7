"""A random life of one table, and what is known of every version it had: its columns and its rows.

Columns go by a token that outlives their names, so that rows of one version can be shown in the columns of
another without asking the product how.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from lakeport.app.lake.table import LakeTable
from lakeport.catalog.changes import AddColumn, ChangeType, DropColumn, RenameColumn
from lakeport.catalog.ports import Maintainable, require
from lakeport.catalog.upkeep import Policy

EAGER = Policy(small_files=2, deleted_share=0.01, delete_files=1)


@dataclass(frozen=True)
class Kept:
    """`columns` are pairs of token and name; rows are in their order."""

    version: int
    columns: tuple[tuple[int, str], ...]
    rows: Counter[tuple[Any, ...]]

    def shown_in(self, columns: Sequence[tuple[int, str]]) -> Counter[tuple[Any, ...]]:
        own = [token for token, _ in self.columns]
        places = [own.index(token) if token in own else None for token, _ in columns]
        found: Counter[tuple[Any, ...]] = Counter()
        for row, count in self.rows.items():
            found[tuple(None if at is None else row[at] for at in places)] += count
        return found


@dataclass
class Life:
    table: LakeTable
    random: random.Random
    columns: list[tuple[int, str]] = field(default_factory=lambda: [(0, "id"), (1, "n"), (2, "s")])
    made: int = 3
    narrow: bool = True
    kept: list[Kept] = field(default_factory=list)

    def keep(self) -> None:
        version = self.table.port.state().version
        if self.kept and self.kept[-1].version == version:
            return
        names = [name for _, name in self.columns]
        rows = Counter(
            tuple(row[name] for name in names) for row in self.table.scan().read_all().to_pylist()
        )
        self.kept.append(Kept(version, tuple(self.columns), rows))

    def live(self, statements: int) -> None:
        self.keep()
        for _ in range(statements):
            self.random.choice(
                [self.insert] * 4
                + [self.delete] * 3
                + [self.update] * 3
                + [self.alter] * 2
                + [self.tidy] * 2
                + [self.truncate]
            )()
            self.keep()

    def insert(self) -> None:
        count = self.random.randint(1, 6)
        rows = {"id": [self.random.randint(0, 9) for _ in range(count)]}
        for _, name in self.columns[1:]:
            kind = self.table.schema.field(name).type
            value = "x" if pa.types.is_string(kind) else 7
            rows[name] = [self.random.choice([value, None]) for _ in range(count)]  # type: ignore[misc]
        self.table.append(pa.table(rows, schema=self.table.schema.remove_metadata()))

    def delete(self) -> None:
        self.table.delete(where=f"id % 4 = {self.random.randint(0, 3)}")

    def update(self) -> None:
        self.table.update({"id": "id + 1"}, where=f"id % 5 = {self.random.randint(0, 4)}")

    def tidy(self) -> None:
        require(self.table.port, Maintainable, "the table").compact(EAGER)

    def truncate(self) -> None:
        self.table.truncate()

    def alter(self) -> None:
        change = self.random.choice(["add", "rename", "drop", "widen"])
        at = self.random.randrange(1, len(self.columns)) if len(self.columns) > 1 else 0
        if change == "add" or at == 0:
            name = f"c{self.made}"
            self.table.alter(AddColumn(pa.field(name, pa.int64())))
            self.columns.append((self.made, name))
            self.made += 1
        elif change == "rename":
            token, name = self.columns[at]
            self.table.alter(RenameColumn(name, f"{name}r"))
            self.columns[at] = token, f"{name}r"
        elif change == "drop":
            self.table.alter(DropColumn(self.columns.pop(at)[1]))
        else:
            numbers = [name for token, name in self.columns if token == 1]
            if numbers and self.narrow:
                self.table.alter(ChangeType(numbers[0], pa.int64()))
                self.narrow = False
