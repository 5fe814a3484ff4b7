from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    Unique,
    with_default,
)
from lakeport.catalog.evolution.define import define
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from tests.catalog.tables import columns, table

ORDERS = columns(Id=pa.int64(), price=pa.decimal128(9, 2), ts=pa.timestamp("us"))


def test_names_are_spelled_as_the_columns_are() -> None:
    defined = define(
        Definition(
            ORDERS,
            (PrimaryKey(("ID",)), Unique(("TS", "Price"), "slot"), Check("PRICE > 0", "positive")),
            partitioned_by=("day(TS)",),
            sorted_by=("ID desc",),
        )
    )
    assert defined.keys == (PrimaryKey(("Id",)), Unique(("ts", "price"), "slot"))
    assert defined.partitioned_by == ("day(ts)",)
    assert defined.sorted_by == ("Id desc",)


def test_a_primary_key_is_not_null() -> None:
    defined = table(PrimaryKey(("a", "b")), a=pa.int64(), b=pa.string(), c=pa.string())
    assert [column.nullable for column in defined.schema] == [False, False, True]


def test_unnamed_constraints_get_names_that_differ() -> None:
    defined = table(
        "a > 0", "a < 9", "b > a", Unique(("a", "b"), ""), "true", a=pa.int64(), b=pa.int64()
    )
    assert [c.name for c in defined.constraints] == [
        "a_check",
        "a_check_2",
        "a_b_check",
        "a_b_unique",
        "check",
    ]


def test_defining_twice_changes_nothing() -> None:
    once = table(PrimaryKey(("a",)), "a > 0", a=pa.int64(), s=pa.struct([("f", pa.int8())]))
    assert define(once) == once


@pytest.mark.parametrize(
    "constraint",
    [
        Check("price", "c"),
        Check("price > random()", "c"),
        Check("price > (SELECT 1)", "c"),
        Check("price >", "c"),
        Check("name > 0", "c"),
        Check("true); DROP TABLE t; --", "c"),
        Unique((), "u"),
        Unique(("a", "A"), "u"),
        Check("price > 0", " c "),
    ],
    ids=str,
)
def test_a_constraint_that_makes_no_sense_is_refused(constraint: Check | Unique) -> None:
    schema = columns(a=pa.int64(), price=pa.float64())
    with pytest.raises(InvalidRequestError):
        define(Definition(schema, (constraint,)))


@pytest.mark.parametrize(
    "data_type",
    [pa.list_(pa.int8()), pa.struct([("a", pa.int8())]), pa.month_day_nano_interval()],
    ids=str,
)
def test_a_key_needs_plain_values(data_type: pa.DataType) -> None:
    with pytest.raises(InvalidRequestError, match="cannot be part of a key"):
        table(Unique(("k",), ""), k=data_type)


def test_a_key_over_an_unknown_column_names_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="did you mean `price`"):
        table(Unique(("prize",), ""), price=pa.int64())


def test_a_partition_term_needs_a_column_of_the_table() -> None:
    with pytest.raises(NotFoundError):
        define(Definition(ORDERS, partitioned_by=("day(when)",)))


def test_one_name_is_one_constraint() -> None:
    with pytest.raises(AlreadyExistsError):
        table(Unique(("a",), "u"), Unique(("b",), "U"), a=pa.int8(), b=pa.int8())


def test_there_is_one_primary_key() -> None:
    with pytest.raises(AlreadyExistsError, match="primary key"):
        table(PrimaryKey(("a",)), PrimaryKey(("b",), "other"), a=pa.int8(), b=pa.int8())


@pytest.mark.parametrize("default", ["'x'", "now()", "a + 1", "random()", "300", "1; 2"])
def test_a_default_is_a_constant_of_the_columns_type(default: str) -> None:
    column = with_default(pa.field("a", pa.int8()), default)
    with pytest.raises(InvalidRequestError, match="DEFAULT of column `a`"):
        define(Definition(pa.schema([column])))


def test_two_spellings_of_one_name_are_refused() -> None:
    schema = pa.schema([pa.field("a", pa.int8()), pa.field("A", pa.int8())])
    with pytest.raises(InvalidRequestError):
        define(Definition(schema))
