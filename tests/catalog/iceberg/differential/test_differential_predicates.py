"""Generated predicates over generated tables: pruning changes nothing, and DuckDB agrees.

Each predicate is asked three ways: of the splits that planning leaves, of all rows after reading them,
and of DuckDB over the rows the oracle knows. How many were applied exactly is counted and printed
(`pytest -s`); the rest would have to be supersets.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.conditions import accepted
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Predicate, bind, describe
from tests.behaviours.lake import values
from tests.catalog.iceberg.differential.readers import opened, our_rows, streamed_rows
from tests.lakes.generated import Profile, random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.schemas import KEY
from tests.oracle import answers
from tests.random_predicates import random_predicate
from tests.strategies import seeded

NORMAL_TABLES, LONG_TABLES, EACH = 12, 30, 90
LONG_START = 5_000


def test_there_are_enough_predicates() -> None:
    assert NORMAL_TABLES * EACH >= 1_000
    assert LONG_TABLES * EACH >= 2_000


class Tally:
    """How the predicates of all tables fared."""

    def __init__(self) -> None:
        self.exact = 0
        self.supersets: list[str] = []
        self.parts: Counter[str] = Counter()

    def add(self, text: str, *, exact: bool) -> None:
        if exact:
            self.exact += 1
        else:
            self.supersets.append(text)

    @property
    def total(self) -> int:
        return self.exact + len(self.supersets)

    def __str__(self) -> str:
        pruned = self.parts["all"] - self.parts["read"]
        return (
            f"{self.total} predicates, {self.exact} applied exactly, {len(self.supersets)} supersets"
            f" {self.supersets[:20]}; {pruned} of {self.parts['all']} files pruned"
        )


def keys(rows: pa.Table) -> list[int]:
    return sorted(values(rows, KEY))


def kept_keys(rows: pa.Table, mask: pa.BooleanArray | None) -> list[int]:
    return keys(rows if mask is None else rows.filter(mask))


def after_reading(everything: pa.Table, predicate: Predicate) -> list[int]:
    """The predicate on all rows, with no planning in the way."""
    found: list[int] = []
    for batch in everything.to_batches():
        found += kept_keys(pa.Table.from_batches([batch]), accepted(predicate, None, batch))
    return sorted(found)


def examine(table: IcebergTable, expected: pa.Table, rng: random.Random, tally: Tally) -> None:
    everything = our_rows(table)
    files = sum(len(split.parts) for split in table.plan(ScanRequest()).splits)
    predicates = [random_predicate(rng, expected) for _ in range(EACH)]
    bound = [bind(predicate, expected.schema) for predicate in predicates]
    texts = [describe(predicate) for predicate in bound]
    outcomes = answers(expected, texts)
    for predicate, resolved, text, outcome in zip(predicates, bound, texts, outcomes, strict=True):
        right = kept_keys(expected, outcome)
        request = ScanRequest(columns=(KEY,), predicate=predicate)
        plan = table.plan(request)
        streamed = keys(streamed_rows(table, request, plan))
        assert after_reading(everything, resolved) == right, text
        exact = plan.exact and streamed == right
        if not exact:
            assert not plan.exact, text
            assert set(right) <= set(streamed), text
            assert keys(our_rows(table, request)) == right, text
        tally.add(text, exact=exact)
        tally.parts["all"] += files
        tally.parts["read"] += sum(len(split.parts) for split in plan.splits)


def examine_tables(folder: Path, chosen: range, profile: Profile) -> Tally:
    tally = Tally()
    lake = Lake(folder)
    for seed in chosen:
        name = f"g.t{seed}"
        rng = seeded(seed)
        made = random_lake_table(rng, lake, name, profile)
        with opened(lake, name) as table:
            examine(table, made.rows(), rng, tally)
    return tally


@pytest.mark.parametrize("part", range(3))
def test_predicates_keep_the_same_rows_pruned_or_not(
    tmp_path: Path, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    size = NORMAL_TABLES // 3
    tally = examine_tables(tmp_path, range(part * size, (part + 1) * size), Profile())
    with capsys.disabled():
        print(f"\n{tally}")  # noqa: T201 the count is part of the result
    assert tally.exact >= 0.9 * tally.total
    assert tally.parts["read"] < tally.parts["all"]


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_predicates_keep_the_same_rows_pruned_or_not(tmp_path: Path, part: int) -> None:
    size = LONG_TABLES // 10
    start = LONG_START + part * size
    tally = examine_tables(tmp_path, range(start, start + size), Profile(rows=50, steps=10))
    assert tally.exact >= 0.9 * tally.total
    assert tally.parts["read"] < tally.parts["all"]
