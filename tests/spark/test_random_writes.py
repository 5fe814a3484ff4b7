"""Random writes, one after the other, beside the model in plain Python: rows, columns and versions."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.spark.ground import Ground
from tests.spark.model import Model, Record

COLUMNS = ("a", "b", "Long_Name", "ü", "x y")
STRATEGIES = ("append", "delete_insert", "merge", "overwrite_partitions", "full")


def spelled(dice: random.Random, name: str) -> str:
    return dice.choice((name, name.upper(), name.lower()))


def batch_of(dice: random.Random, strategy: str, nulls: str) -> tuple[list[str], list[Record]]:
    """Columns in any order and spelling; those of a `merge` have each key once."""
    others = dice.sample(COLUMNS, dice.randint(0, len(COLUMNS)))
    columns = [spelled(dice, name) for name in ("k", "part", *others)]
    dice.shuffle(columns)
    rows: list[Record] = []
    for _ in range(dice.randint(0, 6)):
        row: Record = {name: dice.choice((None, dice.randint(0, 9))) for name in columns}
        key = next(name for name in columns if name.lower() == "k")
        row[key] = None if dice.random() < 0.15 else dice.randint(1, 8)
        part = next(name for name in columns if name.lower() == "part")
        row[part] = dice.choice((None, 1, 2, 3))
        taken = {known[key] for known in rows}
        is_free = row[key] not in taken or (row[key] is None and nulls == "append")
        if strategy != "merge" or is_free:
            rows.append(row)
    return columns, rows


def query_of(columns: list[str], rows: list[Record]) -> str:
    names = ", ".join(f"`{name}`" for name in columns)
    shown = [
        "(" + ", ".join("NULL" if value is None else str(value) for value in row.values()) + ")"
        for row in rows
    ]
    nothing = "(" + ", ".join("NULL" for _ in columns) + ")"
    casts = ", ".join(f"CAST(`{name}` AS INT) AS `{name}`" for name in columns)
    source = f"VALUES {', '.join(shown or [nothing])} AS given ({names})"
    return f"SELECT {casts} FROM {source}" + ("" if rows else " WHERE false")


def apply(model: Model, strategy: str, columns: list[str], rows: list[Record], nulls: str) -> None:
    match strategy:
        case "delete_insert" | "merge":
            getattr(model, strategy)(columns, rows, ["k"], nulls)
        case "overwrite_partitions":
            part = next(name for name in columns if name.lower() == "part")
            gone = {row[part] for row in rows}
            model.replace(columns, rows, lambda row: row[model.columns[1]] in gone)
        case _:
            getattr(model, strategy)(columns, rows)


def play(ground: Ground, seed: int, writes: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    table = f"t{seed}"
    model, mode = Model(), dice.choice(("mor", "cow"))
    first: list[Record] = [{"k": 1, "part": 1}, {"k": 2, "part": 2}]
    settings: dict[str, Any] = {"partitioned_by": ["part"], "write_mode": mode}
    ground.write(query_of(["k", "part"], first), into=table, **settings)
    model.append(["k", "part"], first)
    for number in range(writes):
        strategy, nulls = dice.choice(STRATEGIES), dice.choice(("append", "match"))
        columns, rows = batch_of(dice, strategy, nulls)
        before = len(ground.history(table))
        grows = {name.casefold() for name in columns} - {n.casefold() for n in model.columns}
        given = {"unique_key": "K"} if strategy in {"delete_insert", "merge"} else {}
        made = ground.write(
            query_of(columns, rows), into=table, strategy=strategy, null_keys=nulls, **given
        )
        apply(model, strategy, columns, rows, nulls)
        told = (seed, number, strategy, nulls, columns, rows)
        assert ground.columns(table) == model.columns, told
        assert ground.rows(table) == model.expected(), told
        commits = len(ground.history(table)) - before
        assert commits == bool(grows) + (made.snapshot_id is not None), told
        assert (made.snapshot_id is not None) == (bool(rows) or strategy == "full"), told


def test_random_writes_make_what_the_model_makes(ground: Ground) -> None:
    play(ground, seed=1, writes=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 5))
def test_more_random_writes(ground: Ground, seed: int) -> None:
    play(ground, seed, writes=12)
