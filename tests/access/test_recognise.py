"""Who a function takes a token for, and how long that is believed."""

from __future__ import annotations

import pytest

from lakeport.access.identity import Identity
from lakeport.access.recognise import Asking, recognising
from lakeport.core.errors import ConfigurationError, FunctionError, UnauthenticatedError


def test_an_answer_is_believed_for_a_second_and_then_asked_for_again() -> None:
    now, welcome, asked = [0.0], {"t"}, list[str]()

    def find(token: str) -> str | None:
        asked.append(token)
        return "tom" if token in welcome else None

    door = Asking(find, clock=lambda: now[0])
    for _ in range(3):
        assert door.authenticate("Bearer t").name == "tom"
    welcome.clear()
    now[0] = 0.99
    door.authenticate("Bearer t")
    assert asked == ["t"]
    now[0] = 1.0
    for _ in range(2):
        with pytest.raises(UnauthenticatedError):
            door.authenticate("Bearer t")
    assert asked == ["t", "t"]


def test_an_authenticator_that_gives_something_else_is_told_so() -> None:
    door = recognising(lambda _: True)  # type: ignore[arg-type,return-value]
    with pytest.raises(FunctionError, match="the authenticator gave bool for a token"):
        door.authenticate("Bearer t")


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Token t", "Bearer " + "t" * 70_000]
)
def test_nobody_is_asked_about_what_is_no_token(header: str | None) -> None:
    door = recognising(pytest.fail)
    with pytest.raises(UnauthenticatedError):
        door.authenticate(header)


def test_a_password_is_a_token_too() -> None:
    door = recognising({"secret": Identity.of("tom", "read,write", on=["sales"])})
    assert door.bearer("Basic dG9tOnNlY3JldA==") == "Bearer secret"
    found = door.authenticate("Bearer secret")
    assert sorted(map(str, found.grants)) == ["read on sales.*", "write on sales.*"]
    assert found.home is None


def test_what_says_nothing_of_tokens_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="`auth` is a mapping"):
        recognising(7)  # type: ignore[arg-type]
