"""Answers that may be given again: for how long, how many, and not after they were forgotten."""

from __future__ import annotations

from lakeport.catalog.iceberg.pointers.answers import Answers


class Oracle:
    """Counts its questions; its clock stands still until a test moves it."""

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self.asked = 0
        self.answers: Answers[str, int] = Answers(seconds, lambda: self.now)

    def ask(self) -> int:
        self.asked += 1
        return self.asked

    def get(self, key: str = "k", within: float | None = None) -> int | None:
        return self.answers.get(key, self.ask, within)


def test_an_answer_is_given_again_while_it_is_fresh() -> None:
    oracle = Oracle(5)
    assert oracle.get() == 1
    oracle.now = 4.9
    assert oracle.get() == 1
    assert oracle.get(within=1) == 2
    oracle.now = 9.9
    assert oracle.get() == 3


def test_with_no_time_at_all_every_question_is_asked() -> None:
    oracle = Oracle(0)
    assert [oracle.get(), oracle.get()] == [1, 2]


def test_an_answer_is_as_old_as_its_question() -> None:
    oracle = Oracle(5)

    def slow() -> int:
        oracle.now += 4
        return oracle.ask()

    assert oracle.answers.get("k", slow) == 1
    oracle.now = 5
    assert oracle.get() == 2


def test_what_was_asked_before_something_was_forgotten_is_not_kept() -> None:
    oracle = Oracle(5)

    def overtaken() -> int:
        oracle.answers.forget("k")
        return oracle.ask()

    assert oracle.answers.get("k", overtaken) == 1
    assert oracle.get() == 2
    oracle.answers.forget()
    assert oracle.get() == 3


def test_no_answer_is_asked_for_again_and_drops_the_old_one() -> None:
    oracle = Oracle(5)
    oracle.get()
    oracle.now = 6
    assert oracle.answers.get("k", lambda: None) is None
    assert oracle.answers.peek("k") is None


def test_only_a_few_hundred_fresh_ones_are_held() -> None:
    oracle = Oracle(5)
    for number in range(1_000):
        oracle.get(str(number))
    held = [number for number in range(1_000) if oracle.answers.peek(str(number)) is not None]
    assert held == list(range(1_000 - len(held), 1_000))
    assert 0 < len(held) < 500
    oracle.now = 6
    oracle.get("another")
    assert oracle.answers.peek("999") is None
