"""`lakeport token` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lakeport.access import Authenticator
from lakeport.state import Store
from tests.cli.conftest import Outcome, Run


@pytest.fixture
def project(lakeport: Run) -> Run:
    assert lakeport("init").code == 0
    return lakeport


def answer(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def identity_of(token: str) -> tuple[str, set[str]]:
    with Store.open(f"sqlite:///{Path.cwd()}/.lakeport/state.db") as store:
        found = Authenticator(store.tokens, open_at_first=False).authenticate(f"Bearer {token}")
    return found.name, {str(grant) for grant in found.grants}


def test_a_new_token_alone_is_on_stdout(project: Run) -> None:
    made = project("token", "create", "ann")
    assert made.code == 0
    token = made.out.removesuffix("\n")
    assert token.split() == [token]
    assert "first token" in made.err
    assert identity_of(token) == ("ann", {"read on *"})
    assert project("token", "create", "bob").err == ""


def test_grants_patterns_and_catalogs_are_as_given(project: Run) -> None:
    made = project(
        "token", "create", "ann", "--grant", "write,read", "--on", "sales", "--on", "hr.p*"
    )
    assert identity_of(made.out.strip())[1] == {
        "read on hr.p*",
        "read on sales.*",
        "write on hr.p*",
        "write on sales.*",
    }
    made = project("token", "create", "bob", "--grant", "ddl", "--catalog", "eu_*")
    assert identity_of(made.out.strip())[1] == {"ddl on * in eu_*"}


def test_json_tells_everything_of_a_new_token(project: Run) -> None:
    made = answer(project("token", "create", "ann", "--on", "s.t", "--expires", "12h", "--json"))
    assert set(made) == {
        "name",
        "token",
        "grants",
        "created",
        "expires",
        "max_rows",
        "max_bytes",
        "max_calls",
        "growth",
        "is_first",
    }
    assert made["grants"] == [{"ability": "read", "on": "s.t", "catalog": "*"}]
    assert made["is_first"] is True
    assert made["created"] < made["expires"]


def test_tokens_are_listed_without_themselves(project: Run) -> None:
    assert "no tokens yet" in project("token", "list").out
    token = project("token", "create", "ann", "--grant", "read,write", "--on", "sales").out.strip()
    project("token", "create", "bob", "--expires", "30d")
    shown = project("token", "list")
    assert [line.split()[:5] for line in shown.out.splitlines()[:3]] == [
        ["name", "state", "grants", "created", "by"],
        ["ann", "active", "read,write", "on", "sales.*"],
        ["bob", "active", "read", "on", "*"],
    ]
    assert shown.out.endswith("2 tokens, 2 active\n")
    assert token not in shown.out
    listed = answer(project("token", "list", "--json"))
    assert [(one["name"], one["state"], one["expires"] is None) for one in listed] == [
        ("ann", "active", True),
        ("bob", "active", False),
    ]
    assert token not in json.dumps(listed)


def test_a_token_may_have_limits_of_its_own(project: Run) -> None:
    made = answer(project("token", "create", "ann", "--max-rows", "1000", "--json"))
    assert (made["max_rows"], made["max_bytes"]) == (1000, None)
    project("token", "create", "bob", "--max-bytes", "5000000", "--max-calls", "600")
    listed = answer(project("token", "list", "--json"))
    limits = ("max_rows", "max_bytes", "max_calls")
    assert [[one[limit] for limit in limits] for one in listed] == [
        [1000, None, None],
        [None, 5000000, 600],
    ]
    shown = project("token", "list").out.splitlines()
    assert "at most 1,000 rows" in shown[1]
    assert "at most 5,000,000 bytes; at most 600 calls a minute" in shown[2]
    assert project("token", "create", "eve", "--max-rows", "0").code == 2


def test_a_token_for_a_run_is_told_apart(project: Run) -> None:
    made = answer(project("token", "create", "run", "--grant", "ddl", "--growth", "--json"))
    assert made["growth"] is True
    project("token", "create", "bob")
    assert [one["growth"] for one in answer(project("token", "list", "--json"))] == [True, False]
    shown = project("token", "list").out.splitlines()
    assert "ddl on *; growth only" in shown[1]
    assert "growth" not in shown[2]


def test_a_revoked_token_stays_listed_and_its_name_is_free(project: Run) -> None:
    project("token", "create", "ann")
    ended = project("token", "revoke", "ANN")
    assert (ended.code, ended.out) == (0, "revoked ann\n")
    again = project("token", "revoke", "ann", "--json")
    assert again.code == 1
    assert json.loads(again.out)["error"]["code"] == "not_found"
    assert project("token", "create", "ann").code == 0
    states = [one["state"] for one in answer(project("token", "list", "--json"))]
    assert states == ["revoked", "active"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create", "ann", "--grant", "reed"), 2, "did you mean `read`?"),
        (("create", "ann", "--expires", "soon"), 2, "not a length of time"),
        (("create", "ann", "--expires", "0"), 2, "longer than nothing"),
        (("create", "ann", "--on", ".x"), 2, "names no table"),
        (("create", "ann", "--catalog", "a.b"), 2, "is no catalog"),
        (("create", "everyone"), 2, "callers without a token"),
        (("create",), 2, "missing argument"),
        (("revoke", "nobody"), 1, "no active token `nobody`"),
        ((), 2, "missing command"),
    ],
)
def test_mistakes_say_what_to_do(
    project: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    failed = project("token", *arguments)
    assert (failed.code, failed.out) == (code, "")
    assert said in failed.err


def test_a_name_that_is_taken_is_refused(project: Run) -> None:
    project("token", "create", "ann")
    taken = project("token", "create", "Ann")
    assert (taken.code, taken.out) == (1, "")
    assert "lakeport token revoke" in taken.err


def test_without_a_project_nothing_is_made(lakeport: Run) -> None:
    failed = lakeport("token", "create", "ann")
    assert failed.code == 1
    assert "lakeport init" in failed.err
    assert list(Path.cwd().iterdir()) == []


def test_the_store_may_be_elsewhere(lakeport: Run) -> None:
    place = ("--set", "state.uri=sqlite:///elsewhere/tokens.db")
    assert lakeport("token", "create", "ann", *place).code == 0
    assert Path("elsewhere/tokens.db").exists()
    shown = answer(lakeport("config", "state", "--json"))
    assert {entry["name"] for entry in shown["settings"]} == {
        "state.uri",
        "state.audit_days",
        "state.run_days",
    }
