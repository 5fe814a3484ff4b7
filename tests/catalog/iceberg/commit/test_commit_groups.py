"""Statements of one process share snapshots, and nothing else."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyiceberg.manifest import DataFile

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import ConflictError
from tests.catalog.iceberg.commit.members import (
    Statement,
    commit,
    data_files,
    embedded,
    head,
    ids_in,
    insert,
    new_table,
    write_rows,
)


class GatedClock:
    """Whoever commits looks at the clock: the next one is held there until the gate opens."""

    def __init__(self) -> None:
        self.is_shut = False
        self.reached = threading.Event()
        self.opened = threading.Event()
        self._now = 1_000_000_000

    def __call__(self) -> int:
        if self.is_shut:
            self.is_shut = False
            self.reached.set()
            self.opened.wait()
        self._now += 1_000_000
        return self._now


@contextmanager
def held(tmp_path: Path) -> Iterator[tuple[IcebergCatalog, Source, GatedClock]]:
    clock = GatedClock()
    with IcebergCatalog(embedded(tmp_path), clock=clock) as catalog:
        try:
            yield catalog, new_table(catalog), clock
        finally:
            clock.opened.set()


def behind_a_leader(
    catalog: IcebergCatalog,
    source: Source,
    clock: GatedClock,
    statements: Sequence[Statement],
) -> list[Future[Committed]]:
    """All of them wait for one commit, and are let go together."""
    pool = ThreadPoolExecutor(1 + len(statements))
    clock.is_shut = True
    try:
        first = pool.submit(commit, catalog, source, insert(source, [0]))
        clock.reached.wait()
        futures = []
        for count, statement in enumerate(statements, start=1):
            futures.append(pool.submit(commit, catalog, source, statement))
            while catalog.commits.waiting(str(source.metadata.table_uuid)) < count:
                os.sched_yield()
    finally:
        clock.opened.set()
        pool.shutdown()
    first.result()
    return futures


def test_those_who_wait_share_a_snapshot(tmp_path: Path) -> None:
    with held(tmp_path) as (catalog, source, clock):
        contexts = [WriteContext("ann", f"s{number}") for number in range(1, 6)]
        statements = [
            insert(source, [number], context) for number, context in enumerate(contexts, start=1)
        ]
        futures = behind_a_leader(catalog, source, clock, statements)
        first, shared = head(catalog).metadata.snapshots
        assert all(future.result().snapshot == shared for future in futures)
        assert first.summary is not None
        assert shared.summary is not None
        assert shared.summary["lakeport.statement"] == "s1, s2, s3, s4, s5"
        assert shared.summary["lakeport.actor"] == "ann"
        assert ids_in(catalog) == [0, 1, 2, 3, 4, 5]


def test_each_sees_what_those_before_it_do(tmp_path: Path) -> None:
    with held(tmp_path) as (catalog, source, clock):
        statements = [insert(source, [number]) for number in (1, 2, 3)]
        behind_a_leader(catalog, source, clock, statements)
        for place, statement in enumerate(statements):
            final = statement.heads[-1]
            assert final.ahead == tuple(each.effect for each in statements[:place])
            assert final.snapshot is not None


def test_one_that_fails_leaves_without_the_others(tmp_path: Path) -> None:
    with held(tmp_path) as (catalog, source, clock):
        bad = Statement(_refusing_company(write_rows(source, [7])))
        statements = [insert(source, [1]), bad, insert(source, [2])]
        futures = behind_a_leader(catalog, source, clock, statements)
        with pytest.raises(ConflictError, match="not with others"):
            futures[1].result()
        assert bad.discarded == 1
        assert futures[0].result().snapshot == futures[2].result().snapshot
        assert ids_in(catalog) == [0, 1, 2]


def _refusing_company(file: DataFile) -> Callable[[Head], Effect]:
    def prepare(given: Head) -> Effect:
        if given.ahead:
            message = "not with others"
            raise ConflictError(message)
        return Effect(rows=1, added=(file,))

    return prepare


def test_one_whose_files_are_gone_leaves_without_the_others(tmp_path: Path) -> None:
    with held(tmp_path) as (catalog, source, clock):
        gone = Statement(Effect(removed=frozenset({"file:///nowhere.parquet"})))
        statements = [insert(source, [1]), gone, insert(source, [2])]
        futures = behind_a_leader(catalog, source, clock, statements)
        with pytest.raises(ConflictError, match="no longer part"):
            futures[1].result()
        assert futures[0].result().snapshot == futures[2].result().snapshot
        assert ids_in(catalog) == [0, 1, 2]


def test_one_with_nothing_left_to_do_is_told_so(tmp_path: Path) -> None:
    with held(tmp_path) as (catalog, source, clock):
        effects = iter([Effect(rows=1, added=(write_rows(source, [9]),)), None])
        idle = Statement(lambda _: next(effects))
        futures = behind_a_leader(catalog, source, clock, [idle, insert(source, [1])])
        assert futures[0].result().effect is None
        assert ids_in(catalog) == [0, 1]


@pytest.mark.parametrize("why", ["summary", "shares"])
def test_some_are_committed_alone(tmp_path: Path, why: str) -> None:
    with held(tmp_path) as (catalog, source, clock):
        context = WriteContext(summary={"run": "7"} if why == "summary" else {})
        loner = insert(source, [2], context)
        loner.shares = why != "shares"
        statements = [insert(source, [1]), loner, insert(source, [3])]
        futures = behind_a_leader(catalog, source, clock, statements)
        one, alone, other = (future.result().snapshot for future in futures)
        assert one == other != alone
        assert alone is not None
        assert alone.summary is not None
        assert alone.summary["added-records"] == "1"
        assert ids_in(catalog) == [0, 1, 2, 3]


def test_a_lone_statement_is_asked_once(tmp_path: Path) -> None:
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        source = new_table(catalog)
        statement = insert(source, [1])
        commit(catalog, source, statement)
        assert len(statement.heads) == 1


def test_many_threads_lose_and_double_nothing(tmp_path: Path) -> None:
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        source = new_table(catalog)

        def work(thread: int) -> None:
            for step in range(5):
                commit(catalog, source, insert(source, [thread * 100 + step]))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert ids_in(catalog) == sorted(t * 100 + step for t in range(8) for step in range(5))
        assert len(data_files(source)) == 40
