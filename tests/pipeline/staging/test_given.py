"""What a write is given is told apart by what it is, not by who made it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.staging import Query, given_of


@pytest.mark.parametrize("sql", ["SELECT 1", " SELECT 1 ;\n", "SELECT 1;;", "SELECT 1 -- one"])
def test_a_query_stands_where_no_command_can(sql: str) -> None:
    given = given_of(sql, {"a": 1})
    assert isinstance(given, Query)
    first, *body, last = given.text.splitlines()
    assert (first, last) == ("SELECT * FROM (", ")")
    assert body[0].startswith("SELECT 1")
    assert not body[-1].endswith(";")
    assert given.parameters == {"a": 1}


@pytest.mark.parametrize("sql", ["", "  ", ";", "\n;\n"])
def test_an_empty_query_is_refused(sql: str) -> None:
    given = given_of(sql)
    assert isinstance(given, Query)
    with pytest.raises(InvalidRequestError, match="empty"):
        _ = given.text


def test_arrow_is_taken_from_whoever_speaks_it() -> None:
    table = pa.table({"k": [1]})
    assert given_of(table) is table
    (batch,) = table.to_batches()
    given = given_of(batch)
    assert isinstance(given, pa.Table)
    assert given == table


@pytest.mark.parametrize("what", [5, None, [1], {"k": [1]}, b"SELECT 1"])
def test_anything_else_is_told_so(what: object) -> None:
    with pytest.raises(InvalidRequestError, match=f"{type(what).__name__} cannot be written"):
        given_of(what)


def test_parameters_belong_to_queries() -> None:
    with pytest.raises(InvalidRequestError, match="parameters"):
        given_of(pa.table({"k": [1]}), {"a": 1})
