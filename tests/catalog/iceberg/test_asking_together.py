from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lakeport.catalog.iceberg.pointers.together import Together


def test_an_answer_is_never_older_than_its_question() -> None:
    clock = itertools.count()
    together = Together(lambda: next(clock))
    start = threading.Barrier(8)

    def ask(_: int) -> bool:
        start.wait(60)
        return all(next(clock) < together() for _ in range(500))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))


def test_who_waits_shares_the_next_question() -> None:
    """One question is held up while others come; they are let go when all of them wait."""
    asked = itertools.count(1)
    is_first, go_on = threading.Event(), threading.Event()

    def question() -> int:
        number = next(asked)
        if number == 1:
            is_first.set()
            assert go_on.wait(60)
        return number

    together = Together(question)
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(together)
        assert is_first.wait(60)
        others = [pool.submit(together) for _ in range(8)]
        # Where they wait cannot be seen from outside; whoever comes later than that asks for themselves.
        go_on.set()
        assert first.result(60) == 1
        answers = [other.result(60) for other in others]
    assert min(answers) == 2
    assert next(asked) == max(answers) + 1


def test_a_question_that_failed_is_asked_again() -> None:
    asked = itertools.count(1)

    def question() -> int:
        number = next(asked)
        if number == 1:
            raise OSError("gone")
        return number

    together = Together(question)
    with pytest.raises(OSError, match="gone"):
        together()
    assert together() == 2
