"""Random INSERT, UPDATE and DELETE statements leave the rows that DuckDB's own table has."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.core.timepoint import AtVersion
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.strategies import seeded

SCHEMA = schema_of(k=pa.int64(), v=pa.int64(), s=pa.string())
STATEMENTS = 12


def random_where(rng: random.Random) -> str:
    return rng.choice(
        (
            f"k % {rng.randint(2, 4)} = {rng.randint(0, 3)}",
            f"v > {rng.randint(0, 20)}",
            f"s LIKE '{rng.choice('abc')}%'",
            "v IS NULL",
            f"coalesce(v, 0) + k < {rng.randint(0, 40)}",
        )
    )


def random_set(rng: random.Random) -> dict[str, str]:
    assignments = {
        "k": "k + 1000",
        "v": rng.choice(("v + 1", "k * 2", "NULL", "7")),
        "s": rng.choice(("upper(s)", "s || 'x'", "'b'", "NULL")),
    }
    return {name: assignments[name] for name in rng.sample(sorted(assignments), rng.randint(1, 3))}


@pytest.mark.parametrize("seed", range(10))
def test_random_statements_agree_with_duckdb(lake: Lake, seed: int) -> None:
    agree_with_duckdb(lake.create(SCHEMA), seeded(seed))


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(100, 120, 10))
def test_many_random_statements_agree_with_duckdb(lake: Lake, first: int) -> None:
    for seed in range(first, first + 10):
        agree_with_duckdb(lake.create(SCHEMA, name=f"orders_{seed}"), seeded(seed))


def agree_with_duckdb(subject: Subject, rng: random.Random) -> None:
    versions: dict[int, list[tuple[object, ...]]] = {}
    with duckdb.connect(config={"threads": 1}) as judge:
        judge.execute("CREATE TABLE t (k BIGINT, v BIGINT, s VARCHAR)")
        for _ in range(STATEMENTS):
            roll = rng.random()
            if roll < 0.4:
                rows = [
                    (rng.randint(0, 30), rng.choice((None, rng.randint(0, 30))), rng.choice("abc"))
                    for _ in range(rng.randint(1, 90))
                ]
                judge.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
                written = insert_rows(
                    subject.table, [dict(zip(SCHEMA.names, row, strict=True)) for row in rows]
                )
                changed = len(rows)
            elif roll < 0.75:
                where, assignments = random_where(rng), random_set(rng)
                settings = ", ".join(f"{name} = {sql}" for name, sql in assignments.items())
                count = judge.execute(f"UPDATE t SET {settings} WHERE {where}").fetchall()
                written = update_where(subject.table, assignments, where)
                changed = count[0][0]
            else:
                where = random_where(rng)
                count = judge.execute(f"DELETE FROM t WHERE {where}").fetchall()
                written = delete_where(subject.table, where)
                changed = count[0][0]
            expected = sorted(judge.execute("FROM t").fetchall(), key=repr)
            assert written.rows == changed
            assert subject.rows() == expected
            versions[written.version] = expected
    for version, expected in versions.items():
        assert subject.rows(at=AtVersion(version)) == expected
