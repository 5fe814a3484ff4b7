from __future__ import annotations

import threading

import pytest

from lakeport.flight.workers import Workers


def test_work_is_done_and_its_outcome_told() -> None:
    workers = Workers(2, "test")
    assert workers.submit(pow, 2, 10).result(60) == 1024
    with pytest.raises(ZeroDivisionError):
        workers.submit(divmod, 1, 0).result(60)
    workers.shutdown()


def test_there_are_never_more_threads_than_allowed() -> None:
    workers = Workers(3, "test")
    futures = [workers.submit(lambda: threading.current_thread().name) for _ in range(50)]
    names = {future.result(60) for future in futures}
    assert names <= {"test-1", "test-2", "test-3"}
    workers.shutdown()


def test_as_much_runs_at_once_as_there_may_be_threads() -> None:
    workers = Workers(4, "test")
    meeting = threading.Barrier(4)
    futures = [workers.submit(meeting.wait, 10) for _ in range(4)]
    assert sorted(future.result(60) for future in futures) == [0, 1, 2, 3]
    workers.shutdown()


def test_its_threads_do_not_keep_a_process_alive() -> None:
    workers = Workers(1, "test")
    assert workers.submit(lambda: threading.current_thread().daemon).result(60)
    workers.shutdown()
    with pytest.raises(RuntimeError):
        workers.submit(print)
