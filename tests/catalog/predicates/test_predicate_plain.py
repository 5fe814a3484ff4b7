from __future__ import annotations

import json

import msgspec
import pyarrow as pa
import pytest

from lakeport.catalog.predicates import (
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
    evaluate,
    from_plain,
    to_plain,
)
from lakeport.catalog.predicates.model import MAX_DEPTH
from lakeport.core.errors import InvalidRequestError
from tests.random_predicates import comparable, constants, random_leaf, random_predicate
from tests.strategies import ENCODED, LEAVES, random_schema, random_table, seeded

ORDERED = [leaf for leaf in (*LEAVES, *ENCODED) if comparable(pa.schema([pa.field("x", leaf)]))]


def check_round_trip(predicate: Predicate) -> None:
    plain = to_plain(predicate)
    for again in (
        json.loads(json.dumps(plain)),
        msgspec.msgpack.decode(msgspec.msgpack.encode(plain)),
    ):
        returned = from_plain(again)
        assert describe(returned) == describe(predicate)
        assert to_plain(returned) == plain


@pytest.mark.parametrize("data_type", ORDERED, ids=str)
def test_constants_of_every_type_come_back(data_type: pa.DataType) -> None:
    rng = seeded(2)
    field = pa.field("x", data_type)
    schema = pa.schema([field])
    table = random_table(rng, schema, 10)
    for _ in range(25):
        leaf = random_leaf(rng, field, constants(rng, table, field))
        check_round_trip(bind(leaf, schema))


@pytest.mark.parametrize("seed", range(20))
def test_nested_predicates_come_back_and_still_mean_the_same(seed: int) -> None:
    rng = seeded(seed)
    table = random_table(rng, random_schema(rng, 4, depth=1), 10)
    for _ in range(10):
        predicate = bind(random_predicate(rng, table, depth=3), table.schema)
        check_round_trip(predicate)
        again = bind(from_plain(to_plain(predicate)), table.schema)
        for batch in table.to_batches():
            assert evaluate(again, batch).equals(evaluate(predicate, batch))


def test_the_plain_form_is_short_and_readable() -> None:
    predicate = And(
        (
            Compare("price", Op.GE, pa.scalar(5, pa.int32())),
            Not(IsNull("name")),
            StartsWith("name", "a"),
            Between("f", pa.scalar(0.5), pa.scalar(float("inf")), high_inclusive=False),
            IsIn("b", pa.array([b"\xff", None])),
        )
    )
    assert to_plain(predicate) == {
        "and": [
            {"compare": "price", "op": ">=", "type": "int32", "value": 5},
            {"not": {"null": "name"}},
            {"prefix": "name", "value": "a"},
            {
                "between": "f",
                "type": "double",
                "low": 0.5,
                "high": "inf",
                "inclusive": [True, False],
            },
            {"in": "b", "type": "binary", "values": ["/w==", None]},
        ]
    }


def test_the_deepest_predicate_that_binds_comes_back() -> None:
    schema = pa.schema([pa.field("x", pa.int8())])
    predicate: Predicate = Compare("x", Op.EQ, pa.scalar(1000))
    for _ in range(MAX_DEPTH - 1):
        predicate = Not(predicate)
    bound = bind(predicate, schema)
    check_round_trip(bound)


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        {},
        "x",
        {"compare": "x"},
        {"compare": 1, "op": "=", "type": "int8", "value": 1},
        {"compare": "x", "op": "==", "type": "int8", "value": 1},
        {"compare": "x", "op": "=", "type": "int8", "value": 1000},
        {"compare": "x", "op": "=", "type": "int8", "value": None},
        {"compare": "x", "op": "=", "type": "int8", "value": True},
        {"compare": "x", "op": "=", "type": "int8", "value": [1]},
        {"compare": "x", "op": "=", "type": "int8", "value": "9" * 5000},
        {"compare": "x", "op": "=", "type": "null", "value": 1},
        {"compare": "x", "op": "=", "type": "list<int8>", "value": [1]},
        {"compare": "x", "op": "=", "type": "decimal128(99, 0)", "value": 1},
        {"compare": "x", "op": "=", "type": "decimal32(9, 0)", "value": 2**40},
        {"compare": "x", "op": "=", "type": "uuid", "value": "AAAA"},
        {"compare": "x", "op": "=", "type": "binary", "value": "not base64!"},
        {"compare": "x", "op": "=", "type": "double", "value": "1.5"},
        {"compare": "x", "op": "=", "type": "double", "value": {}},
        {"compare": "x", "op": "=", "type": "bool", "value": 1},
        {"compare": "x", "op": "=", "type": "uhugeint", "value": -1},
        {"in": "x", "type": "int8", "values": 1},
        {"in": "x", "values": [1]},
        {"between": "x", "type": "int8", "low": 1, "high": 2, "inclusive": [1, 0]},
        {"between": "x", "type": "int8", "low": 1, "inclusive": [True, True]},
        {"prefix": "x", "value": 1},
        {"and": {"null": "x"}},
        {"not": []},
        {"always": 1},
    ],
    ids=repr,
)
def test_anything_else_is_refused(damaged: object) -> None:
    with pytest.raises(InvalidRequestError, match="damaged"):
        from_plain(damaged)


def test_bottomless_nesting_is_refused() -> None:
    plain: dict[str, object] = {"null": "x"}
    for _ in range(100_000):
        plain = {"not": plain}
    with pytest.raises(InvalidRequestError, match="damaged"):
        from_plain(plain)
