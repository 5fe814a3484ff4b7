"""Scripts that fill, change, rename and drop temporary tables, against a simulation of their rows.

The simulation keeps, for every column of every temporary, the columns of stored tables that its
values may come from at that moment; what is copied out must have exactly those sources when the
temporaries are collapsed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import msgspec
import pytest

from lakeport.lineage import analyze
from tests.lineage.golden_facts import workload_facts

STORED = {"x": ("a", "b"), "y": ("c", "d"), "kept": ("v",), "other": ("v",)}
READ = ("x", "y")
NAMES = ("one", "two", "three")


@dataclass(slots=True)
class Simulation:
    """The script so far, what the temporaries hold, and what was copied out."""

    random: Random
    script: list[str] = field(default_factory=list)
    held: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    copied: dict[str, set[str]] = field(default_factory=dict)

    def source(self) -> tuple[str, str, set[str]]:
        """A table to read, one of its columns, and where that comes from."""
        table = self.random.choice([*READ, *self.held])
        column = self.random.choice(list(STORED.get(table) or self.held[table]))
        return (
            table,
            column,
            set(self.held[table][column]) if table in self.held else {f"{table}.{column}"},
        )

    def create(self, name: str) -> None:
        table, column, sources = self.source()
        self.script.append(f"CREATE TEMP TABLE {name} AS SELECT {column} AS p, 1 AS q FROM {table}")
        self.held[name] = {"p": sources, "q": set()}

    def insert(self, name: str) -> None:
        table, column, sources = self.source()
        into = self.random.choice(["p", "q"])
        self.script.append(f"INSERT INTO {name} ({into}) SELECT {column} FROM {table}")
        self.held[name][into] |= sources

    def update(self, name: str) -> None:
        into, column = self.random.choice(["p", "q"]), self.random.choice(["p", "q"])
        self.script.append(f"UPDATE {name} SET {into} = {column} WHERE {column} > 0")
        self.held[name][into] |= self.held[name][column]

    def copy_out(self, name: str) -> None:
        column, into = self.random.choice(["p", "q"]), self.random.choice(["kept", "other"])
        self.script.append(f"INSERT INTO {into} (v) SELECT {column} FROM {name}")
        self.copied.setdefault(f"{into}.v", set()).update(self.held[name][column])

    def empty(self, name: str) -> None:
        self.script.append(f"TRUNCATE TABLE {name}")
        self.held[name] = {"p": set(), "q": set()}

    def drop(self, name: str) -> None:
        self.script.append(f"DROP TABLE {name}")
        del self.held[name]

    def rename(self, name: str) -> None:
        free = [other for other in NAMES if other not in self.held]
        if free:
            self.script.append(f"ALTER TABLE {name} RENAME TO {free[0]}")
            self.held[free[0]] = self.held.pop(name)

    def step(self) -> None:
        name = self.random.choice(NAMES)
        if name not in self.held:
            self.create(name)
            return
        often = [self.insert] * 3 + [self.copy_out] * 3 + [self.update] * 2
        self.random.choice([*often, self.empty, self.drop, self.rename])(name)


@pytest.mark.parametrize("seed", range(120))
def test_what_is_copied_out_comes_from_what_was_held_then(seed: int) -> None:
    simulation = Simulation(Random(seed))  # noqa: S311  a test's seed, not a secret
    for _ in range(14):
        simulation.step()
    tables = [
        {"name": name, "columns": [{"name": column} for column in columns]}
        for name, columns in STORED.items()
    ]
    answer = analyze(
        {
            "sql": ";\n".join(simulation.script),
            "dialect": "postgres",
            "schema": {"tables": tables},
            "options": {"collapseTemporary": True},
        }
    )
    facts = workload_facts(msgspec.to_builtins(answer)["globalLineage"])
    found = {
        facts.name(column): set(facts.origins(column))
        for column in facts.columns()
        if facts.origins(column)
    }
    assert found == {target: sources for target, sources in simulation.copied.items() if sources}
