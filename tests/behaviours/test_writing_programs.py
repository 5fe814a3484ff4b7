"""Four writers at once: whatever they were told happened, happened, one statement after the other."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.behaviours.faults import FAULTS
from tests.behaviours.history import ImpossibleHistoryError, shared
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock, Upkeep
from tests.behaviours.lake import Lake, Subject
from tests.behaviours.programs import STATEMENTS, WRITERS, create
from tests.behaviours.runners import check, run_interleaved, run_processes, run_threads
from tests.behaviours.worker import Order, Workers

SHARED = [name for name, one in IMPLEMENTATIONS.items() if one.is_shared]
PROGRAMS = 7
"""Of each of the three ways: 21 in all. What processes cannot share runs more in the other ways."""


def all_upkeep(lake: Lake) -> tuple[Upkeep, ...]:
    return lake.implementation.upkeep + lake.implementation.sweeping


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads change places often, so that short statements really overlap."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers() as started:
        yield started


def test_interleaved_writers_leave_a_serial_history(
    lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    """And at least a third of their statements touches rows that another writer touches, too."""
    touching = statements = 0
    refused: Counter[str] = Counter()
    programs = PROGRAMS if lake.implementation.is_shared else 2 * PROGRAMS
    for seed in range(programs):
        subject = create(lake, seed)
        log = run_interleaved(subject, seed, all_upkeep(lake))
        check(subject, log)
        touching += shared(log.attempts)
        statements += len(log.attempts)
        refused += log.refused
    with capsys.disabled():
        sys.stdout.write(f"\n{touching} of {statements} statements share rows; {dict(refused)}\n")
    assert statements > programs * WRITERS * STATEMENTS * 0.8
    assert touching * 3 >= statements
    assert refused.total() * 10 >= statements  # real collisions, not only shared rows


@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize("seed", range(100, 100 + PROGRAMS))
def test_writers_on_threads_leave_a_serial_history(lake: Lake, seed: int) -> None:
    subject = create(lake, seed)
    check(subject, run_threads(subject, seed, all_upkeep(lake)))


def run_in_processes(name: str, folder: Path, seeds: range, workers: Workers) -> None:
    implementation = IMPLEMENTATIONS[name]
    clock = Clock()
    lake = Lake(implementation, implementation.make(clock, folder), clock)
    try:
        for seed in seeds:
            subject = create(lake, seed)
            order = Order(name, folder, f"orders_{seed}")
            check(subject, run_processes(subject, seed, workers, order))
    finally:
        implementation.close(lake.catalog)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", SHARED)
def test_writers_in_processes_leave_a_serial_history(
    name: str, tmp_path: Path, workers: Workers
) -> None:
    run_in_processes(name, tmp_path, range(200, 200 + PROGRAMS), workers)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_checker_sees_a_planted_bug(lake: Lake, fault: str) -> None:
    reports = []
    for seed in range(20):
        real = create(lake, seed)
        log = run_interleaved(Subject(FAULTS[fault](real)), seed)
        try:
            check(real, log)
        except ImpossibleHistoryError as report:
            reports.append(str(report))
            if fault in str(report):
                return
    pytest.fail(f"nobody noticed: {reports}")


# -- many of them --------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize("first", range(1_000, 1_080, 10))
def test_many_programs_on_threads_leave_serial_histories(lake: Lake, first: int) -> None:
    for seed in range(first, first + 10):
        subject = create(lake, seed)
        check(subject, run_threads(subject, seed, all_upkeep(lake)))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(2_000, 2_060, 10))
def test_many_interleaved_programs_leave_serial_histories(lake: Lake, first: int) -> None:
    for seed in range(first, first + 10):
        subject = create(lake, seed)
        check(subject, run_interleaved(subject, seed, all_upkeep(lake)))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(3_000, 3_060, 20))
@pytest.mark.parametrize("name", SHARED)
def test_many_programs_in_processes_leave_serial_histories(
    name: str, tmp_path: Path, workers: Workers, first: int
) -> None:
    run_in_processes(name, tmp_path, range(first, first + 20), workers)
