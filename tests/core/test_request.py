"""The call that code works for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from lakeport.core.request import Ending, Request, current_request, serving

ANN = Request("ann", catalog="lake", session_id="s", trace_id="t")
BOB = Request("bob")


def test_outside_of_a_call_there_is_none() -> None:
    assert current_request() is None


def test_it_is_seen_while_the_call_is_served_and_calls_nest() -> None:
    with serving(ANN):
        assert current_request() == ANN
        with serving(BOB):
            assert current_request() == BOB
        assert current_request() == ANN
    assert current_request() is None


def test_a_call_that_fails_leaves_nothing() -> None:
    with pytest.raises(ZeroDivisionError), serving(ANN):
        raise ZeroDivisionError
    assert current_request() is None


def test_other_threads_do_not_see_it_unless_it_is_handed_over() -> None:
    def handed_over() -> Request | None:
        with serving(ANN):
            return current_request()

    with serving(BOB), ThreadPoolExecutor(1) as pool:
        assert pool.submit(current_request).result() is None
        assert pool.submit(handed_over).result() == ANN


def test_what_is_worked_on_is_stopped_when_the_call_ends() -> None:
    ending, stopped = Ending(), list[str]()
    with ending.stopping(lambda: stopped.append("before")):
        pass
    with ending.stopping(lambda: stopped.append("meanwhile")):
        ending.end()
    with ending.stopping(lambda: stopped.append("after")):
        pass
    assert stopped == ["meanwhile", "after"]
