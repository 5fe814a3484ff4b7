"""Whole statements over the ports: what the demo, the shell and `lakeport.open` call."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Check
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.core.errors import (
    ConstraintViolationError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
)
from tests.behaviours.lake import Lake, Subject, schema_of


@pytest.fixture
def goods(lake: Lake) -> Subject:
    subject = lake.create(
        schema_of(k=pa.int64(), name=pa.string(), price=pa.decimal128(9, 2)),
        Check("price >= 0", "positive"),
        name="goods",
    )
    subject.insert(
        [{"k": k, "name": f"n{k}", "price": Decimal(k)} for k in range(1, 101)],
    )
    return subject


def prices(subject: Subject, where: str) -> list[object]:
    return [price for (price,) in subject.rows("price", where=where)]


def test_an_update_computes_new_values_from_the_old_row(goods: Subject) -> None:
    written = update_where(goods.table, {"PRICE": "price * 2", "name": "name || '!'"}, "k <= 2")
    assert written.rows == 2
    assert goods.rows("name", "price", where="k <= 2") == [
        ("n1!", Decimal("2.00")),
        ("n2!", Decimal("4.00")),
    ]


def test_assignments_see_the_row_before_the_statement(lake: Lake) -> None:
    subject = lake.create(schema_of(a=pa.int64(), b=pa.int64()))
    subject.insert([{"a": 1, "b": 2}])
    update_where(subject.table, {"a": "b", "b": "a"})
    assert subject.rows() == [(2, 1)]


def test_a_constant_is_assigned_to_every_row(goods: Subject) -> None:
    assert update_where(goods.table, {"name": "NULL"}).rows == 100
    assert goods.rows("k", where="name IS NOT NULL") == []


def test_values_are_cast_as_sql_does(lake: Lake) -> None:
    subject = lake.create(schema_of(day=pa.date32(), n=pa.int32(), u=pa.uuid()))
    subject.insert([{"n": 1}])
    update_where(
        subject.table,
        {"day": "'2024-02-29'", "n": "2.5 + 1", "u": "'12345678-1234-5678-1234-567812345678'"},
    )
    expected = uuid.UUID("12345678-1234-5678-1234-567812345678")
    ((day, n, u),) = subject.rows()
    assert (day, u) == (dt.date(2024, 2, 29), expected)
    assert n in {3, 4}


def test_a_condition_that_matches_nothing_commits_nothing(goods: Subject) -> None:
    assert update_where(goods.table, {"name": "'x'"}, "k > 1000").rows == 0
    assert delete_where(goods.table, "k > 1000").rows == 0
    assert goods.state.version == 1


def test_a_refused_row_refuses_the_statement(goods: Subject) -> None:
    with pytest.raises(ConstraintViolationError, match="positive"):
        update_where(goods.table, {"price": "50 - k"})
    assert prices(goods, "k = 100") == [Decimal("100.00")]


@pytest.mark.parametrize(
    ("assignments", "where"),
    [
        ({}, None),
        ({"missing": "1"}, None),
        ({"name": "1", "NAME": "2"}, None),
        ({"name": "missing"}, None),
        ({"name": "k +"}, None),
        ({"name": "name"}, "missing = 1"),
        ({"name": "name"}, "k + 1"),
        ({"price": "name"}, None),
        ({"rowid": "1"}, None),
    ],
)
def test_an_update_that_makes_no_sense_is_refused(
    goods: Subject, assignments: dict[str, str], where: str | None
) -> None:
    with pytest.raises((InvalidRequestError, NotFoundError)):
        update_where(goods.table, assignments, where)
    assert goods.state.version == 1


def test_a_delete_without_a_condition_removes_all_rows(goods: Subject) -> None:
    assert delete_where(goods.table).rows == 100
    assert goods.rows() == []


def test_a_delete_keeps_rows_where_the_condition_is_null(goods: Subject) -> None:
    goods.insert([{"k": None}])
    assert delete_where(goods.table, "k > 0").rows == 100
    assert goods.rows("k") == [(None,)]


def test_rows_are_given_in_any_form(lake: Lake) -> None:
    schema = schema_of(k=pa.int64(), name=pa.string())
    subject = lake.create(schema)
    table = pa.table({"k": [1], "name": ["table"]}, schema)
    insert_rows(subject.table, table)
    insert_rows(subject.table, table.to_batches()[0])
    insert_rows(subject.table, table.to_reader())
    insert_rows(subject.table, (row for row in ({"k": 2, "name": "row"}, {"k": 3})))
    insert_rows(subject.table, [*table.to_batches(), {"name": "mixed", "k": 4}])
    assert subject.rows("k") == [(1,), (1,), (1,), (1,), (2,), (3,), (4,)]


def test_dictionaries_hold_python_values_of_every_kind(lake: Lake) -> None:
    subject = lake.create(
        schema_of(
            u=pa.uuid(),
            day=pa.date32(),
            money=pa.decimal128(9, 2),
            tags=pa.list_(pa.string()),
            doc=pa.json_(),
        )
    )
    row = {
        "u": uuid.UUID(int=7),
        "day": dt.date(2024, 1, 15),
        "money": Decimal("1.50"),
        "tags": ["a", "b"],
        "doc": '{"a": 1}',
    }
    subject.insert([row])
    subject.insert([{**row, "u": str(uuid.UUID(int=8)), "day": "2024-01-16"}])
    assert subject.rows("day", "u") == [
        (dt.date(2024, 1, 15), uuid.UUID(int=7)),
        (dt.date(2024, 1, 16), uuid.UUID(int=8)),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [{"k": "abc"}],
        [{"k": 1, "colour": "red"}],
        [{"k": 1}, {"k": []}],
        [7],
    ],
)
def test_rows_that_make_no_sense_are_refused(goods: Subject, rows: list[dict[str, object]]) -> None:
    with pytest.raises(LakeportError):
        insert_rows(goods.table, rows)
    assert goods.state.version == 1


def test_the_context_is_kept(goods: Subject) -> None:
    delete_where(goods.table, "k = 1", WriteContext(actor="ann", statement="DELETE …"))
    summary = goods.travelable.history()[-1].summary
    assert (summary["lakeport.actor"], summary["lakeport.statement"]) == ("ann", "DELETE …")
