"""Random statements by two handles, one after the other, against a dictionary; others read the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
import pytest

from lakeport.catalog.definition import PrimaryKey
from lakeport.catalog.statements import delete_where, insert_rows, overwrite_rows, update_where
from lakeport.catalog.upkeep import Policy
from lakeport.core.errors import KeyViolationError
from tests.behaviours.lake import Subject, schema_of
from tests.catalog.iceberg.change.workshop import Workshop, iceberg
from tests.lakes.duckdb_reader import DuckDBReader

SHAPES: list[tuple[str, ...]] = [(), ("bucket(3, k)",), ("part",), ("truncate(2, text)", "part")]


@dataclass
class Program:
    """What the table must hold, and the handles that change it by turns."""

    rng: random.Random
    handles: list[Subject]
    rows: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    next_key: int = 0

    def step(self) -> None:
        subject = self.rng.choice(self.handles)
        steps: list[tuple[int, Callable[[Subject], None]]] = [
            (6, self.insert),
            (8, self.update),
            (3, self.move_keys),
            (6, self.delete),
            (1, self.delete_all),
            (1, self.overwrite),
            (2, self.tidy),
        ]
        (chosen,) = self.rng.choices(
            [step for _, step in steps], [weight for weight, _ in steps], k=1
        )
        chosen(subject)

    def insert(self, subject: Subject) -> None:
        insert_rows(subject.table, self._fresh(self.rng.randint(1, 12)))

    def update(self, subject: Subject) -> None:
        where, chosen = self._condition()
        column = self.rng.choice(["n", "part"])
        written = update_where(
            subject.table, {column: f"{column} + 1", "text": "text || 'x'"}, where
        )
        assert written.rows == len(chosen)
        for k in chosen:
            n, text, part = self.rows[k]
            moved = (n + 1, part) if column == "n" else (n, part + 1)
            self.rows[k] = (moved[0], text + "x", moved[1])

    def move_keys(self, subject: Subject) -> None:
        where, chosen = self._condition()
        by = self.rng.choice([1, 2, 1_000])
        moved = {k + by for k in chosen}
        if moved & (self.rows.keys() - chosen):
            with pytest.raises(KeyViolationError):
                update_where(subject.table, {"k": f"k + {by}"}, where)
            return
        assert update_where(subject.table, {"k": f"k + {by}"}, where).rows == len(chosen)
        kept = {k: row for k, row in self.rows.items() if k not in chosen}
        self.rows = kept | {k + by: self.rows[k] for k in chosen}
        self.next_key = max([self.next_key, *(k + 1 for k in moved)])

    def delete(self, subject: Subject) -> None:
        where, chosen = self._condition()
        assert delete_where(subject.table, where).rows == len(chosen)
        self.rows = {k: row for k, row in self.rows.items() if k not in chosen}

    def delete_all(self, subject: Subject) -> None:
        assert delete_where(subject.table).rows == len(self.rows)
        self.rows = {}

    def overwrite(self, subject: Subject) -> None:
        self.rows = {}
        overwrite_rows(subject.table, self._fresh(self.rng.randint(0, 9)))

    def tidy(self, subject: Subject) -> None:
        table = iceberg(subject)
        if self.rng.random() < 0.5:
            table.compact(Policy(force=True))
        else:
            table.rewrite_manifests(Policy(force=True))

    def check(self) -> None:
        for subject in self.handles:
            found = subject.read().to_pylist()
            assert {row["k"]: (row["n"], row["text"], row["part"]) for row in found} == self.rows
            assert len(found) == len(self.rows)

    def _fresh(self, count: int) -> list[dict[str, object]]:
        fresh = range(self.next_key, self.next_key + count)
        self.next_key += count
        self.rows |= {k: (0, f"t{k}", k % 3) for k in fresh}
        return [{"k": k, "n": 0, "text": f"t{k}", "part": k % 3} for k in fresh]

    def _condition(self) -> tuple[str, set[int]]:
        if self.rng.random() < 0.3:
            part = self.rng.randint(0, 3)
            return f"part = {part}", {k for k, row in self.rows.items() if row[2] == part}
        step = self.rng.choice([2, 3, 5, 7])
        rest, low = self.rng.randrange(step), self.rng.randint(0, self.next_key)
        where = f"k % {step} = {rest} AND k >= {low}"
        return where, {k for k in self.rows if k % step == rest and k >= low}


def run(workshop: Workshop, duckdb_reader: DuckDBReader, seed: int, steps: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - to be the same every time
    schema = schema_of(k=pa.int64(), n=pa.int64(), text=pa.string(), part=pa.int32())
    subject = workshop.create(
        schema,
        PrimaryKey(("k",)),
        partitioned_by=SHAPES[seed % len(SHAPES)],
        properties={"write.parquet.row-group-limit": "5"},
    )
    program = Program(rng, [subject, workshop.other()])
    for number in range(steps):
        program.step()
        program.check()
        if number % 8 == 7:
            workshop.assert_read_alike(subject, duckdb_reader)
    workshop.assert_read_alike(subject, duckdb_reader)


@pytest.mark.parametrize("seed", range(4))
def test_a_random_program_leaves_what_it_says(
    workshop: Workshop, duckdb_reader: DuckDBReader, seed: int
) -> None:
    run(workshop, duckdb_reader, seed, steps=16)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_random_programs_leave_what_they_say(
    workshop: Workshop, duckdb_reader: DuckDBReader, seed: int
) -> None:
    run(workshop, duckdb_reader, seed, steps=40)
