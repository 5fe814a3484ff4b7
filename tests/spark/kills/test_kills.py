"""SIGKILL for the JVM or for Python, at each point of a write: the table is as it was, or complete.

The next run with the same id is right whatever happened, and what was left behind can be removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport import Definition, PrimaryKey
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.pipeline.staging import STAGING, remove_leftovers
from lakeport.pipeline.target import RUN_ID
from tests.spark.ground import Ground
from tests.spark.kills.dying import Death, die
from tests.spark.kills.victim import QUERY, ROWS, RUN
from tests.spark.test_strategies_on_spark import values

FIRST = values("k, v", "(1, 10)", "(2, 20)")
BEFORE = [(1, 10), (2, 20)]
PADDED = [(1, 10, None), (2, 20, None)]
ADDED = [(2, 21, "x"), (3, 30, "y")]
KEYED = Definition(pa.schema({"k": pa.int32(), "v": pa.int32()}), (PrimaryKey(("k",), "pk"),))


def after(death: Death) -> list[tuple[Any, ...]]:
    kept = PADDED[:1] if death.keyed else PADDED
    return [*kept, *ADDED]


def begun(ground: Ground, deaths: Sequence[Death]) -> None:
    for death in deaths:
        if death.keyed:
            ground.lake.create_table(f"shop.{death.table}", KEYED)
        ground.write(FIRST, into=death.table, run_id="first")


def runs(ground: Ground, table: str) -> list[str]:
    return [summary[RUN_ID] for summary in ground.data_snapshots(table)]


def refs(ground: Ground, table: str) -> list[str]:
    return sorted(ref.name for ref in ground.lake.table(f"shop.{table}").refs())


def recovered(ground: Ground, death: Death) -> None:
    """What is there, what the next run makes of it, and what can be swept up."""
    table = death.table
    if death.has_committed:
        assert ground.rows(table) == after(death)
    else:
        assert ground.rows(table) == (BEFORE if death.moment == "staged" else PADDED)
    given = ROWS if death.moment == "staged" else QUERY
    keys = "k" if death.keyed else ()
    again = ground.write(given, into=table, run_id=RUN, unique_key=keys)
    assert again.repeated is death.has_committed
    assert ground.rows(table) == after(death)
    assert ground.columns(table) == ["k", "v", "new"]
    assert runs(ground, table) == ["first", RUN]
    assert refs(ground, table) == ["main"]
    swept = ground.lake.table(f"shop.{table}").port
    assert isinstance(swept, IcebergTable)
    if death.moment == "uncommitted" and not death.keyed and death.who == "python":
        assert list(swept.orphans(grace=0))
    swept.remove_orphans(grace=0)
    assert list(swept.orphans(grace=0)) == []
    assert ground.rows(table) == after(death)


# Whole runs that die at these points, and when they were told of their commit, are in
# `tests/spark/running/test_kills.py`.
@pytest.mark.long
@pytest.mark.timeout(300)
def test_killed_with_columns_added_and_with_the_commit_made(ground: Ground, tmp_path: Path) -> None:
    deaths = [
        Death("grown", "python"),
        Death("grown", "jvm"),
        Death("committed", "python"),
        Death("committed", "jvm"),
    ]
    begun(ground, deaths)
    told = die(tmp_path, deaths)
    assert told[Death("grown", "jvm")]["code"] == "unavailable"
    assert "JVM was killed by signal 9 (run it again" in told[Death("grown", "jvm")]["error"]
    # Whoever only lost the JVM asks the table, and has nothing to be sorry for.
    assert told[Death("committed", "jvm")]["rows"] == len(ADDED)
    for death in deaths:
        recovered(ground, death)


@pytest.mark.long
@pytest.mark.timeout(500)
def test_killed_at_every_other_point(ground: Ground, tmp_path: Path) -> None:
    deaths = [
        Death("staged", "python"),
        Death("staged", "jvm"),
        Death("uncommitted", "python"),
        Death("uncommitted", "jvm"),
        Death("uncommitted", "python", keyed=True),
        Death("untidied", "python", keyed=True),
    ]
    begun(ground, deaths)
    told = die(tmp_path, deaths)
    assert told[Death("staged", "jvm")]["code"] == "unavailable"
    # Nobody who sees the line break knows how far the commit had come.
    assert told[Death("uncommitted", "jvm")]["code"] == "outcome_unknown"
    assert f"run_id='{RUN}'" in told[Death("uncommitted", "jvm")]["error"]
    assert len(ground.lake.tables(STAGING)) == 1  # of who was killed with rows staged
    assert len(refs(ground, Death("uncommitted", "python", keyed=True).table)) == 2
    for death in deaths:
        recovered(ground, death)
    removed = remove_leftovers(ground.lake.pipeline().tables, timedelta(0))
    assert len(removed) == 1
    assert ground.lake.tables(STAGING) == []
