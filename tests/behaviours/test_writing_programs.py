"""Four writers at once: whatever they were told happened, happened, one statement after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

import pytest

from tests.behaviours.faults import FAULTS
from tests.behaviours.history import ImpossibleHistoryError, check_history, shared_touches
from tests.behaviours.lake import Lake, Subject
from tests.behaviours.programs import (
    COLUMNS,
    SCHEMA,
    STATEMENTS,
    WRITERS,
    Log,
    observed,
    run_interleaved,
    run_threads,
)


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads change places often, so that short statements really overlap."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def check(subject: Subject, log: Log) -> None:
    if log.failures:
        raise log.failures[0]
    at = cache(observed(subject))
    check_history(COLUMNS, log.entries, subject.state.version, at)
    for seen in log.reads:
        # What a reader saw while others wrote is what its version still shows.
        assert sorted(seen.rows, key=repr) == sorted(at(seen.version), key=repr)


@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize("seed", range(20))
def test_writers_on_threads_leave_a_serial_history(lake: Lake, seed: int) -> None:
    subject = lake.create(SCHEMA)
    check(subject, run_threads(subject, seed))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("eager_switching")
def test_many_programs_on_threads_leave_serial_histories(lake: Lake) -> None:
    for seed in range(1_000, 1_200):
        subject = lake.create(SCHEMA, name=f"orders_{seed}")
        check(subject, run_threads(subject, seed))


@pytest.mark.parametrize("seed", range(20))
def test_interleaved_writers_leave_a_serial_history(lake: Lake, seed: int) -> None:
    subject = lake.create(SCHEMA)
    check(subject, run_interleaved(subject, seed))


def test_a_third_of_the_statements_touches_rows_of_another_writer(lake: Lake) -> None:
    statements = shared = refused = 0
    for seed in range(20):
        subject = lake.create(SCHEMA, name=f"orders_{seed}")
        log = run_interleaved(subject, seed)
        statements += len(log.entries) + log.refused
        shared += shared_touches(log.entries) + log.refused
        refused += log.refused
    assert statements > 20 * WRITERS * STATEMENTS * 0.8
    assert shared * 3 >= statements
    assert refused * 10 >= statements  # real collisions, not only shared rows


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_checker_sees_a_planted_bug(lake: Lake, fault: str) -> None:
    reports = []
    for seed in range(20):
        real = lake.create(SCHEMA, name=f"orders_{seed}")
        log = run_interleaved(Subject(FAULTS[fault](real)), seed)
        try:
            check(real, log)
        except ImpossibleHistoryError as report:
            reports.append(str(report))
    assert any(fault in report for report in reports), reports
