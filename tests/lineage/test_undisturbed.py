"""While a workload is read sqlglot says nothing, and reads its words for types once; then it is as it was."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError

from lakeport.lineage import analyze
from lakeport.lineage.analyze import Undisturbed

_WORDS = ("char", "varchar", "ARRAY<STRING>", "decimal(7, 2)", "unknown", "no_such_type")


def _built(word: str) -> str:
    try:
        return repr(exp.DataType.build(word))
    except ParseError:
        return "refused"


def test_types_are_built_as_ever() -> None:
    before = [_built(word) for word in _WORDS]

    with Undisturbed():
        first = [_built(word) for word in _WORDS]
        again = [_built(word) for word in _WORDS]

    assert first == again == before


def test_a_type_that_was_built_belongs_to_its_builder() -> None:
    with Undisturbed():
        exp.DataType.build("char").set("nullable", True)  # noqa: FBT003 - sqlglot's own

        assert exp.DataType.build("char").args.get("nullable") is None


def test_texts_are_parsed_as_ever() -> None:
    with Undisturbed():
        tree = sqlglot.parse_one("SELECT CAST(a AS VARCHAR(3)) FROM t", read="spark")

    assert tree == sqlglot.parse_one("SELECT CAST(a AS VARCHAR(3)) FROM t", read="spark")


def test_sqlglot_is_left_as_it_was_found() -> None:
    own = sqlglot.parse_one

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(analyze, [{"sql": "SELECT CAST(a AS DATE) FROM t", "dialect": "spark"}] * 40))

    assert sqlglot.parse_one is own


def test_the_parser_says_nothing_until_the_last_is_done(caplog: pytest.LogCaptureFixture) -> None:
    log, one, other = logging.getLogger("sqlglot"), Undisturbed(), Undisturbed()
    with one:
        other.__enter__()
    log.warning("of the other's text")
    other.__exit__()

    log.warning("of a stranger's")

    assert caplog.messages == ["of a stranger's"]


def test_another_who_stands_in_for_sqlglot_is_left_there(monkeypatch: pytest.MonkeyPatch) -> None:
    own = sqlglot.parse_one

    def watched(*given: Any, **named: Any) -> Any:
        return own(*given, **named)

    monkeypatch.setattr(sqlglot, "parse_one", watched)

    analyze({"sql": "SELECT CAST(a AS DATE) FROM t", "dialect": "spark"})

    assert sqlglot.parse_one is watched
