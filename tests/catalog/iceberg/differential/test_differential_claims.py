"""What else is said about generated tables: statistics, row ids, columns, limits, versions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, Op, bind, describe
from lakeport.catalog.predicates.kinds import kind_of_field
from lakeport.core.timepoint import AtSnapshot
from tests.behaviours.lake import values
from tests.catalog.iceberg.differential.readers import SMALL, opened, our_rows, streamed_rows
from tests.lakes.generated import Profile, random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.schemas import KEY
from tests.lakes.table import LakeTable
from tests.lakes.texts import array_texts, differences
from tests.oracle import answers
from tests.random_predicates import random_predicate
from tests.strategies import seeded

SEEDS = range(200, 208)
_SEQUENCES, _ORDINALS = 1 << 23, 1 << 40


def row_ids_by_key(table: LakeTable, snapshot_id: int) -> dict[Any, int]:
    """Decision 7: the snapshot's sequence number, then the row's place among all, deleted ones too."""
    snapshot = table.snapshots[snapshot_id]
    first = (snapshot.sequence % _SEQUENCES) * _ORDINALS
    found: dict[Any, int] = {}
    for file in snapshot.files:
        rows, _ = table.contents.rows[file.path]
        for at, key in enumerate(rows.column(KEY).to_pylist()):
            found[key] = first + at
        first += rows.num_rows
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_row_ids_are_places_in_the_snapshot(lake: Lake, seed: int) -> None:
    made = random_lake_table(seeded(seed), lake, "g.t")
    with opened(lake, "g.t") as table:
        for ident, snapshot in made.snapshots.items():
            if snapshot.sequence == 0:
                continue  # format 1 has no versions and so no row ids
            request = ScanRequest(columns=(KEY,), row_ids=True, at=AtSnapshot(ident))
            found = our_rows(table, request)
            expected = row_ids_by_key(made, ident)
            for key, row_id in zip(values(found, KEY), values(found, "rowid"), strict=True):
                assert row_id == expected[key]


@pytest.mark.parametrize("seed", SEEDS)
def test_row_ids_do_not_depend_on_the_question(lake: Lake, seed: int) -> None:
    rng = seeded(seed)
    made = random_lake_table(rng, lake, "g.t", Profile(versions=(2, 3)))
    expected, head = made.rows(), made.head
    assert head is not None
    ids = row_ids_by_key(made, head.ident)
    with opened(lake, "g.t") as table:
        for _ in range(10):
            predicate = random_predicate(rng, expected)
            request = ScanRequest(columns=(KEY,), predicate=predicate, row_ids=True, limit=9)
            found = our_rows(table, request)
            for key, row_id in zip(values(found, KEY), values(found, "rowid"), strict=True):
                assert row_id == ids[key]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_statistics_claim_is_true(lake: Lake, seed: int) -> None:
    made = random_lake_table(seeded(seed), lake, "g.t")
    rows = made.rows()
    with opened(lake, "g.t") as table:
        for field in rows.schema:
            found = table.statistics(field.name)
            column = rows.column(field.name)
            texts = [text for chunk in column.chunks for text in array_texts(chunk)]
            if found.has_null is not None:
                assert found.has_null == (column.null_count > 0)
            if found.has_values is not None:
                assert found.has_values == (column.null_count < len(column))
            if found.distinct is not None:
                assert found.distinct == len(set(texts) - {"∅"})
            for end, beyond in ((found.minimum, Op.LT), (found.maximum, Op.GT)):
                if end is None or kind_of_field(field) is None:
                    continue
                conditions = [
                    describe(bind(Compare(field.name, op, end), rows.schema))
                    for op in (beyond, Op.NOT_DISTINCT)
                ]
                outside, there = answers(rows, conditions)
                assert outside.true_count == 0
                assert there.true_count > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_any_columns_in_any_order_and_any_limit(lake: Lake, seed: int) -> None:
    rng = seeded(seed)
    made = random_lake_table(rng, lake, "g.t")
    expected = made.rows()
    names = expected.column_names
    with opened(lake, "g.t") as table:
        for _ in range(4):
            chosen = [KEY, *rng.sample(names, rng.randint(0, len(names)))]
            chosen = list(dict.fromkeys(chosen))
            rng.shuffle(chosen)
            found = our_rows(table, ScanRequest(columns=tuple(chosen)))
            assert found.column_names == chosen
            assert differences(found, expected.select(chosen), KEY) == []
            limit = rng.randint(0, expected.num_rows + 2)
            some = our_rows(table, ScanRequest(columns=(KEY,), limit=limit))
            assert some.num_rows == min(limit, expected.num_rows)
            assert set(values(some, KEY)) <= set(values(expected, KEY))
        assert our_rows(table, ScanRequest(columns=())).num_rows == expected.num_rows


@pytest.mark.parametrize("seed", SEEDS)
def test_versions_are_sequence_numbers(lake: Lake, seed: int) -> None:
    made = random_lake_table(seeded(seed), lake, "g.t")
    with opened(lake, "g.t") as table:
        told = {info.snapshot_id: info.version for info in table.history()}
    assert told == {ident: one.sequence or None for ident, one in made.snapshots.items()}


def test_a_plan_outlives_later_commits(lake: Lake) -> None:
    made = random_lake_table(seeded(3), lake, "g.t", Profile(versions=(2,)))
    before = made.rows()
    with opened(lake, "g.t") as table:
        request = ScanRequest(columns=(KEY,))
        plan = table.plan(request)
        made.append(made.rows().slice(0, 1))
        found = streamed_rows(table, request, plan)
    assert sorted(values(found, KEY)) == sorted(values(before, KEY))


def test_many_readers_share_one_catalog_with_small_caches(lake: Lake) -> None:
    """What does not fit is read again; nobody sees what another one is filling in."""
    expected = {
        name: random_lake_table(seeded(seed), lake, f"g.{name}").rows()
        for seed, name in enumerate(("a", "b", "c", "d"), start=300)
    }
    with IcebergCatalog(lake.profile, options=SMALL, cache_bytes=8_192) as catalog:

        def work(name: str) -> list[str]:
            return differences(our_rows(catalog.namespace("g").table(name)), expected[name], KEY)

        with ThreadPoolExecutor(6) as pool:
            outcomes = list(pool.map(work, list(expected) * 6))
    assert outcomes == [[]] * 24
