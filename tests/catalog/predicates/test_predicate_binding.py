from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field, Scalar
from lakeport.catalog.predicates import (
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Predicate,
    StartsWith,
    bind,
    describe,
)
from lakeport.catalog.predicates.constants import scalar_of
from lakeport.catalog.predicates.kinds import HUGEINT
from lakeport.core.errors import (
    InvalidRequestError,
    LimitError,
    NotFoundError,
    UnsupportedError,
)
from tests.arrow_values import BIGNUM, BIT, TIME_TZ
from tests.strategies import GEOMETRY

_FIELDS: list[Field] = [
    pa.field("Price", pa.decimal128(9, 2)),
    pa.field("count", pa.int32()),
    pa.field("day", pa.date32()),
    pa.field("name", pa.string()),
]
SCHEMA = pa.schema(_FIELDS)


def bound(predicate: Predicate) -> str:
    return describe(bind(predicate, SCHEMA))


def test_columns_are_found_in_any_spelling() -> None:
    assert bound(IsNull("PRICE")) == '"Price" IS NULL'


def test_a_missing_column_is_named_with_its_nearest() -> None:
    with pytest.raises(NotFoundError, match="did you mean `Price`"):
        bind(Not(IsNull("prize")), SCHEMA)


def test_constants_take_the_type_of_their_column() -> None:
    assert bound(Compare("price", Op.LT, pa.scalar(5))) == "\"Price\" < '5.00'::DECIMAL(9,2)"
    half = pa.scalar(Decimal("0.5"))
    assert bound(Compare("price", Op.EQ, half)) == "\"Price\" = '0.50'::DECIMAL(9,2)"


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("<", "\"count\" <= '5'::INTEGER"),
        ("<=", "\"count\" <= '5'::INTEGER"),
        (">", "\"count\" > '5'::INTEGER"),
        (">=", "\"count\" > '5'::INTEGER"),
        ("=", '(NULL::BOOLEAN AND "count" IS NULL)'),
        ("<>", '(NULL::BOOLEAN OR "count" IS NOT NULL)'),
        ("IS DISTINCT FROM", "TRUE"),
        ("IS NOT DISTINCT FROM", "FALSE"),
    ],
)
def test_a_constant_between_two_values_moves_to_the_lower(op: str, expected: str) -> None:
    assert bound(Compare("count", Op(op), pa.scalar(5.5))) == expected


def test_a_constant_beyond_the_type_decides_alone() -> None:
    huge, tiny = pa.scalar(2**40), pa.scalar(-(2**40))
    always, never = '(NULL::BOOLEAN OR "count" IS NOT NULL)', '(NULL::BOOLEAN AND "count" IS NULL)'
    assert bound(Compare("count", Op.GT, tiny)) == always
    assert bound(Compare("count", Op.LE, tiny)) == never
    assert bound(Compare("count", Op.LT, huge)) == "\"count\" <= '2147483647'::INTEGER"


def test_null_constants_are_folded() -> None:
    null = pa.scalar(None, pa.int64())
    assert bind(Compare("count", Op.LT, null), SCHEMA) == Always(None)
    assert bind(Compare("count", Op.NOT_DISTINCT, null), SCHEMA) == IsNull("count")
    assert bind(Compare("count", Op.DISTINCT, null), SCHEMA) == Not(IsNull("count"))
    half_known = bind(Between("count", null, pa.scalar(3)), SCHEMA)
    assert isinstance(half_known, And)
    assert half_known.parts[0] == Always(None)


def test_list_members_that_cannot_occur_are_dropped() -> None:
    values = pa.array([1.0, 1.5, 1e300, None])
    with pytest.raises(UnsupportedError):
        bind(IsIn("count", values), SCHEMA)
    found = bind(IsIn("count", pa.array([1.0, 1.5, None])), SCHEMA)
    assert found == IsIn("count", pa.array([1, None], pa.int32()))
    assert bound(IsIn("count", pa.array([2**40]))) == '(NULL::BOOLEAN AND "count" IS NULL)'
    assert bind(IsIn("count", pa.array([], pa.int8())), SCHEMA) == Always(value=False)
    assert bind(IsIn("count", pa.nulls(2, pa.int8())), SCHEMA) == Always(None)


def test_binding_twice_changes_nothing() -> None:
    predicate = And((Compare("count", Op.LT, pa.scalar(5.5)), StartsWith("NAME", "a")))
    once = bind(predicate, SCHEMA)
    assert bind(once, SCHEMA) == once


def test_a_constant_of_another_kind_makes_no_sense() -> None:
    with pytest.raises(InvalidRequestError, match=r"`day` of type date32.* with a text") as caught:
        bind(Compare("day", Op.EQ, pa.scalar("2020-01-01")), SCHEMA)
    assert caught.value.hint == "give a date or a timestamp without time zone"
    with pytest.raises(InvalidRequestError, match="cannot start with a text"):
        bind(StartsWith("day", "2020"), SCHEMA)


def test_a_comparison_that_duckdb_would_round_belongs_to_an_expression() -> None:
    with pytest.raises(UnsupportedError, match="needs a conversion") as caught:
        bind(Compare("price", Op.EQ, pa.scalar(0.1)), SCHEMA)
    assert "expression" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("data_type", "constant"),
    [
        (pa.int64(), pa.scalar(2.0**53)),
        (pa.int32(), pa.scalar(2.0**24, pa.float32())),
        (pa.float64(), pa.scalar(2**60 + 1)),
        (pa.float32(), pa.scalar(Decimal("0.1"))),
        (HUGEINT, pa.scalar(1.0)),
        (pa.time64("us"), scalar_of(1, pa.time64("ns"))),
        (pa.timestamp("us"), scalar_of(1, pa.timestamp("us", "UTC"))),
        (pa.date32(), scalar_of(1, pa.timestamp("us", "UTC"))),
    ],
    ids=lambda value: str(value if isinstance(value, pa.DataType) else value.type),
)
def test_constants_that_duckdb_converts_with_loss_are_refused(
    data_type: pa.DataType, constant: Scalar
) -> None:
    with pytest.raises(UnsupportedError, match="needs a conversion"):
        bind(Compare("x", Op.EQ, constant), pa.schema([pa.field("x", data_type)]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, "\"x\" <= '0.09999999403953552'::FLOAT"),
        (1e300, "\"x\" <= '3.4028234663852886e+38'::FLOAT"),
        (-1e300, "\"x\" <= '-inf'::FLOAT"),
        (0.5, "\"x\" < '0.5'::FLOAT"),
    ],
)
def test_doubles_find_their_place_among_floats(value: float, expected: str) -> None:
    schema = pa.schema([pa.field("x", pa.float32())])
    assert describe(bind(Compare("x", Op.LT, pa.scalar(value)), schema)) == expected


@pytest.mark.parametrize(
    "data_type",
    [
        pa.month_day_nano_interval(),
        pa.duration("s"),
        pa.decimal128(5, -2),
        pa.list_(pa.int8()),
        pa.struct([pa.field("a", pa.int8())]),
        pa.map_(pa.string(), pa.int8()),
        BIT,
        BIGNUM,
        TIME_TZ,
    ],
    ids=str,
)
def test_types_without_an_order_know_only_null(data_type: pa.DataType) -> None:
    schema = pa.schema([pa.field("x", data_type)])
    assert bind(IsNull("x"), schema) == IsNull("x")
    with pytest.raises(UnsupportedError, match="no order") as caught:
        bind(Compare("x", Op.EQ, pa.scalar(1)), schema)
    assert "expression" in str(caught.value.hint)


def test_binary_that_is_geometry_has_no_order() -> None:
    schema = pa.schema([pa.field("shape", pa.binary(), metadata=GEOMETRY)])
    with pytest.raises(UnsupportedError, match="no order"):
        bind(Compare("shape", Op.EQ, pa.scalar(b"")), schema)


def test_a_column_of_type_null_is_null() -> None:
    schema = pa.schema([pa.field("x", pa.null())])
    assert bind(Compare("x", Op.EQ, pa.scalar(1)), schema) == Always(None)
    assert bind(Compare("x", Op.NOT_DISTINCT, pa.scalar(1)), schema) == Always(value=False)
    assert bind(IsIn("x", pa.array([1])), schema) == Always(None)
    assert bind(StartsWith("x", "a"), schema) == Always(None)


def test_nesting_has_a_limit() -> None:
    predicate: Predicate = IsNull("count")
    for _ in range(200):
        predicate = Not(predicate)
    with pytest.raises(LimitError, match="100 levels"):
        bind(predicate, SCHEMA)
