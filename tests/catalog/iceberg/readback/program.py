"""Seeded lives of a table: inserts, updates, deletes, every change of columns, and upkeep, in any order."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropConstraint,
    DropField,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetComment,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import Check, Unique, with_default
from tests.arrow_rows import random_field_array
from tests.catalog.iceberg.readback.readers import KEY
from tests.catalog.iceberg.readback.story import Story
from tests.strategies import random_type

Values: TypeAlias = Callable[[random.Random, int], Array]

WIDER: Mapping[pa.DataType, pa.DataType] = {
    pa.int8(): pa.int16(),
    pa.int16(): pa.int32(),
    pa.int32(): pa.int64(),
    pa.uint8(): pa.uint16(),
    pa.uint16(): pa.uint32(),
    pa.uint32(): pa.uint64(),
    pa.float32(): pa.float64(),
    pa.decimal128(4, 1): pa.decimal128(9, 1),
    pa.decimal128(9, 2): pa.decimal128(20, 2),
    pa.timestamp("s"): pa.timestamp("us"),
}


class Program:
    """`special` columns keep their name and get values of their own: those a table is partitioned by."""

    def __init__(
        self, rng: random.Random, story: Story, special: Mapping[str, Values] | None = None
    ) -> None:
        self.rng, self.story = rng, story
        self.special = special or {}
        self._keys = itertools.count()
        self._names = itertools.count(1)

    def run(self, steps: int) -> None:
        self.insert()
        self.story.check()
        choices = [self.insert, self.insert, self.update, self.update, self.delete, self.delete]
        choices += [self.alter] * 4 + [self.truncate, self.overwrite, self.compact, self.manifests]
        choices += [self.expire]
        for _ in range(steps):
            self.rng.choice(choices)()
            self.story.check()

    # -- rows ------------------------------------------------------------------------------------

    def rows(self, count: int) -> pa.Table:
        schema = self.story.schema
        keys = [next(self._keys) for _ in range(count)]
        return pa.Table.from_arrays([self._column(one, keys) for one in schema], schema=schema)

    def _column(self, column: Field, keys: Sequence[int]) -> Array:
        if column.name == KEY:
            return pa.array(keys, pa.int64())
        if column.name in self.special:
            return self.special[column.name](self.rng, len(keys))
        return random_field_array(self.rng, column, len(keys))

    def insert(self) -> None:
        self.story.insert(self.rows(self.rng.choice((1, 7, 25))))

    def overwrite(self) -> None:
        self.story.overwrite(self.rows(self.rng.randint(0, 12)))

    def truncate(self) -> None:
        self.story.truncate()

    def delete(self) -> None:
        self.story.delete(self._some())

    def update(self) -> None:
        keys = self._some()
        able = [one for one in self.story.schema if one.name != KEY]
        if not keys or not able:
            return
        chosen = self.rng.sample(able, min(len(able), self.rng.choice((1, 1, 3))))
        arrays = [self._column(one, keys) for one in chosen]
        self.story.update(keys, pa.RecordBatch.from_arrays(arrays, schema=pa.schema(chosen)))

    def _some(self) -> list[int]:
        keys, share = self.story.keys, self.rng.choice((0.1, 0.5, 1.0))
        return self.rng.sample(keys, round(len(keys) * share))

    # -- upkeep ----------------------------------------------------------------------------------

    def compact(self) -> None:
        self.story.compact()

    def manifests(self) -> None:
        self.story.rewrite_manifests()

    def expire(self) -> None:
        self.story.expire(keep=self.rng.choice((1, 2, 5)))

    # -- columns ---------------------------------------------------------------------------------

    def alter(self) -> None:
        self.story.alter(*(self.change() for _ in range(self.rng.choice((1, 1, 1, 2)))))

    def change(self) -> Change:
        rng, schema = self.rng, self.story.schema
        able = [one for one in schema if one.name != KEY and one.name not in self.special]
        choices: list[Callable[[], Change]] = [self._add, self._rule]
        choices += [lambda: SetComment(None, f"step {next(self._names)}")]
        if able:
            choices += [lambda: self._of_column(rng.choice(able))] * 4
        structs = [one for one in able if isinstance(one.type, pa.StructType)]
        if structs:
            choices += [lambda: self._of_struct(rng.choice(structs))] * 2
        return rng.choice(choices)()

    def _add(self) -> Change:
        name = f"n{next(self._names)}"
        match self.rng.randrange(4):
            case 0:
                return AddColumn(with_default(pa.field(name, pa.int32()), "42"))
            case 1:
                column = pa.field(name, pa.string(), nullable=False)
                return AddColumn(with_default(column, "'été'"))
        return AddColumn(pa.field(name, random_type(self.rng)))

    def _rule(self) -> Change:
        name = f"rule_{self.rng.randrange(3)}"
        match self.rng.randrange(3):
            case 0:
                return AddConstraint(Check(f"{KEY} >= 0", name))
            case 1:
                return AddConstraint(Unique((KEY,), name))
        return DropConstraint(name)

    def _of_column(self, column: Field) -> Change:
        rng, name, fresh = self.rng, column.name, f"n{next(self._names)}"
        choices: list[Change] = [
            RenameColumn(name, fresh),
            DropColumn(name),
            SetComment(name, f"was {fresh}"),
            SetDefault(name, "NULL"),
            RequireColumn(name),
            ChangeType(name, pa.string()),
            ChangeType(name, pa.int64(), using=f"{KEY} * 2"),
        ]
        if not column.nullable:
            choices += [RelaxColumn((name,))] * 3
        if column.type in WIDER:
            choices += [WidenColumn((name,), WIDER[column.type])] * 4
        return rng.choice(choices)

    def _of_struct(self, column: Field) -> Change:
        rng, fresh = self.rng, f"n{next(self._names)}"
        inside = [column.type.field(at).name for at in range(column.type.num_fields)]
        child = (column.name, rng.choice(inside))
        return rng.choice(
            (
                AddField((column.name,), pa.field(fresh, random_type(rng, depth=1))),
                RenameField(child, fresh),
                DropField(child),
            )
        )
