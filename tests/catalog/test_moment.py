from __future__ import annotations

import itertools
import threading

from lakeport.catalog.moment import one_moment, within_moment


def test_within_a_moment_a_question_is_asked_once() -> None:
    count = itertools.count()
    one, two = object(), object()
    with one_moment():
        assert within_moment(one, lambda: next(count)) == 0
        assert within_moment(one, lambda: next(count)) == 0
        assert within_moment(two, lambda: next(count)) == 1
        with one_moment():
            assert within_moment(one, lambda: next(count)) == 0
        assert within_moment(one, lambda: next(count)) == 0


def test_outside_and_in_other_threads_it_is_asked_each_time() -> None:
    count = itertools.count()
    asker = object()
    seen: list[int] = []

    def ask() -> None:
        seen.append(within_moment(asker, lambda: next(count)))

    with one_moment():
        ask()
        other = threading.Thread(target=ask)
        other.start()
        other.join()
    ask()
    ask()
    assert seen == [0, 1, 2, 3]
