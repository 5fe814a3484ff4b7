"""What code of others raises, as its caller hears of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeport.core.errors import (
    FunctionError,
    InvalidRequestError,
    LakeportError,
    LimitError,
    NotFoundError,
)
from lakeport.core.foreign import dismiss, each, foreign

AREA = "function `geo.area`"


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        (
            ValueError("no such shape"),
            InvalidRequestError,
            f"{AREA} raised ValueError: no such shape",
        ),
        (TypeError("a text"), InvalidRequestError, f"{AREA} raised TypeError: a text"),
        (KeyError("x"), FunctionError, f"{AREA} raised KeyError: 'x'"),
        (ZeroDivisionError(), FunctionError, f"{AREA} raised ZeroDivisionError"),
        (SystemExit(3), FunctionError, f"{AREA} raised SystemExit: 3"),
        (MemoryError("too much"), LimitError, f"{AREA} raised MemoryError: too much"),
        (
            FileNotFoundError(2, "No such file", "/srv/private/shapes"),
            FunctionError,
            f"{AREA} raised FileNotFoundError: No such file",
        ),
        (MuteError(), FunctionError, f"{AREA} raised MuteError"),
        (ValueError("two\n\nlines"), InvalidRequestError, f"{AREA} raised ValueError: two lines"),
    ],
)
def test_an_exception_is_told_by_its_type_and_the_words_of_its_author(
    raised: BaseException, kind: type[LakeportError], told: str
) -> None:
    with pytest.raises(LakeportError) as caught, foreign(AREA):
        raise raised
    assert type(caught.value) is kind
    assert caught.value.message == told


def test_a_stack_that_overflows_is_an_error_like_any_other() -> None:
    def deeper(depth: int) -> int:
        return deeper(depth + 1) + 1

    with pytest.raises(FunctionError, match="raised RecursionError"), foreign(AREA):
        deeper(0)


def test_errors_of_ours_and_a_wish_to_stop_pass_as_they_are() -> None:
    with pytest.raises(NotFoundError, match=r"^there is no shape$"), foreign(AREA):
        raise NotFoundError("there is no shape")
    with pytest.raises(KeyboardInterrupt), foreign(AREA):
        raise KeyboardInterrupt


def test_an_endless_message_is_cut() -> None:
    with pytest.raises(InvalidRequestError) as caught, foreign(AREA):
        raise ValueError("x" * 100_000)
    assert len(caught.value.message) < 1_000


def test_an_iterator_of_others_is_told_where_it_fails_and_closed_where_it_is_left() -> None:
    closed: list[str] = []

    def numbers() -> Iterator[int]:
        try:
            yield 1
            raise ValueError("no second")
        finally:
            closed.append("numbers")

    given = each(numbers(), AREA, lambda: closed.append("call"))
    assert next(given) == 1
    with pytest.raises(InvalidRequestError, match="no second"):
        next(given)
    assert closed == ["numbers", "call"]


def test_what_closing_raises_is_nobodys_answer() -> None:
    def fails() -> None:
        raise SystemExit(1)

    dismiss(fails, AREA)
    assert list(each(iter([1, 2]), AREA, fails)) == [1, 2]
