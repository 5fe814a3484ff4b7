"""Spark, Airport, PyIceberg and DuckDB write to one table at the same time: nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.airport.attached import attached
from tests.engines.apart import Apart
from tests.engines.crowd import (
    MADE,
    TABLE,
    Ledger,
    expected,
    over_airport,
    run_together,
    take_turns,
    with_duckdb,
    with_pyiceberg,
    with_spark,
)
from tests.engines.door_process import other_door
from tests.engines.witnesses import Witnesses


def check_crowd(
    witnesses: Witnesses,
    door: str,
    rounds: int,
    run: Callable[[Sequence[Iterator[None]]], None],
) -> None:
    witnesses.spark.run(*MADE)
    duck = witnesses.duck.attach(door)
    ledgers = [Ledger() for _ in range(4)]
    with attached(witnesses.catalog) as airport:
        run(
            [
                with_spark(witnesses.spark, ledgers[0], rounds),
                over_airport(airport, ledgers[1], rounds),
                with_pyiceberg(witnesses.client, ledgers[2], rounds),
                with_duckdb(duck, ledgers[3], rounds),
            ]
        )
    assert witnesses.rows(TABLE) == expected(ledgers)
    commits = sum(ledger.commits for ledger in ledgers)
    # The first is that of the shared row.
    assert witnesses.catalog.namespace("shop").table(TABLE).state().version == commits + 1
    refusals = [text for ledger in ledgers for text in ledger.refusals]
    assert not [text for text in refusals if "unknown" in text.casefold()]


def test_engines_that_take_turns_see_each_others_work(witnesses: Witnesses, door: str) -> None:
    check_crowd(witnesses, door, 2, partial(take_turns, seed=1))


def test_engines_that_write_at_the_same_time_lose_nothing(witnesses: Witnesses, door: str) -> None:
    check_crowd(witnesses, door, 3, run_together)


@pytest.mark.long
def test_many_rounds_at_the_same_time_lose_nothing(witnesses: Witnesses, door: str) -> None:
    check_crowd(witnesses, door, 12, run_together)


@pytest.mark.long
def test_engines_at_the_doors_of_two_processes_lose_nothing(
    witnesses: Witnesses, tmp_path: Path
) -> None:
    """Spark, PyIceberg and Airport are at one of them, DuckDB is at the other."""
    with Apart(other_door, str(tmp_path)) as other:
        check_crowd(witnesses, other.ask("address"), 8, run_together)
