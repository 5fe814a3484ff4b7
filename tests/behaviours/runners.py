"""Three ways to run a program of writers: in a seeded order, on threads, and in processes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from functools import cache

from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import ExpiredError, NotFoundError
from lakeport.core.timepoint import AtVersion
from tests.behaviours.history import Row, check_history
from tests.behaviours.implementations import Upkeep
from tests.behaviours.lake import Subject
from tests.behaviours.programs import COLUMNS, KEPT, WRITERS, Log, Writer, begin, look
from tests.behaviours.worker import Order, Workers


def run_interleaved(
    subject: Subject,
    seed: int,
    upkeep: tuple[Upkeep, ...] = (),
    own: Callable[[int], Subject] | None = None,
) -> Log:
    """On one thread, switched at the writers' pauses by a seeded scheduler.

    `own` gives each writer its own way to the table.
    """
    log = begin(subject)
    rng = random.Random(seed)  # noqa: S311 # repeatable, not secret
    running = [writer.run() for writer in _writers(subject, log, seed, upkeep, own)]
    while running:
        writer = rng.choice(running)
        try:
            next(writer)
        except StopIteration:
            running.remove(writer)
    return log


def run_threads(
    subject: Subject,
    seed: int,
    upkeep: tuple[Upkeep, ...] = (),
    own: Callable[[int], Subject] | None = None,
) -> Log:
    """A thread per writer and one that reads; what goes wrong inside one is in `failures`."""
    log = begin(subject)
    start = threading.Barrier(WRITERS)
    done = threading.Event()

    def work(writer: Writer) -> None:
        start.wait()
        try:
            for _ in writer.run():
                pass
        except BaseException as failure:  # noqa: BLE001 # a thread's failure is the test's to raise
            log.failures.append(failure)

    def watch() -> None:
        try:
            while not done.is_set():
                _look_once(subject, log)
        except BaseException as failure:  # noqa: BLE001 # the same
            log.failures.append(failure)

    reader = threading.Thread(target=watch)
    writers = _writers(subject, log, seed, upkeep, own)
    threads = [threading.Thread(target=work, args=(writer,)) for writer in writers]
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    reader.join()
    return log


def run_processes(subject: Subject, seed: int, workers: Workers, order: Order) -> Log:
    """A process per writer, each with a catalog of its own over the same database and files."""
    log = begin(subject)
    for part in workers.run(order, seed):
        log.include(part)
    return log


def _writers(
    subject: Subject,
    log: Log,
    seed: int,
    upkeep: tuple[Upkeep, ...],
    own: Callable[[int], Subject] | None,
) -> list[Writer]:
    way = own or (lambda _: subject)
    return [Writer(number, way(number), log, seed, upkeep) for number in range(WRITERS)]


def _look_once(subject: Subject, log: Log) -> None:
    try:
        log.reads.append(look(subject))
    except (ExpiredError, NotFoundError):
        if not log.expiries:  # what it began to read may expire under it, and only then be gone
            raise


def check(subject: Subject, log: Log) -> None:
    """`ImpossibleHistoryError` unless one statement after the other explains all of it."""
    if log.failures:
        raise log.failures[0]
    kept = KEPT if log.expiries else None
    at = cache(observed(subject))
    states = check_history(COLUMNS, log.entries, subject.state.version, at, kept=kept)
    for seen in log.reads:
        # What a reader saw while others wrote is what the statements so far had left.
        assert _by_id(seen.rows) == _by_id(states[seen.version])


def observed(subject: Subject) -> Callable[[int], Sequence[Row] | None]:
    def at(version: int) -> Sequence[Row] | None:
        try:
            return subject.read(ScanRequest(at=AtVersion(version))).to_pylist()
        except ExpiredError:
            return None

    return at


def _by_id(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["id"] or 0)
