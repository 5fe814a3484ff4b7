"""Keys that rows are told apart by, and the bounds that let Iceberg skip files."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lakeport.core.errors import (
    ConfigurationError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.pipeline.growth import type_from_text
from lakeport.pipeline.strategies import (
    Bound,
    Measured,
    countable,
    counted,
    measure,
    measured,
    repeated_keys,
    repetition,
    require_keys,
    statements,
)
from lakeport.pipeline.strategies.literals import literal_of
from lakeport.pipeline.strategies.write import Value
from tests.pipeline.growth.words import columns
from tests.pipeline.strategies.writes import write

KEYS = columns(
    id="int", price="decimal(9,2)", on="date", at="timestamp", local="timestamp_ntz", f="double"
)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("int", -2147483648, "-2147483648"),
        ("bigint", -9223372036854775808, "-9223372036854775808L"),
        ("decimal(9,2)", Decimal("-1.50"), "-1.50BD"),
        ("decimal(38,0)", Decimal("1E+30"), "1000000000000000000000000000000BD"),
        ("date", -719162, "DATE '0001-01-01'"),
        ("date", 19782, "DATE '2024-02-29'"),
        ("timestamp", 1711852200000001, "TIMESTAMP_LTZ '2024-03-31 02:30:00.000001+00:00'"),
        ("timestamp", -1, "TIMESTAMP_LTZ '1969-12-31 23:59:59.999999+00:00'"),
        ("timestamp_ntz", "2024-03-31 02:30:00.5", "TIMESTAMP_NTZ '2024-03-31 02:30:00.500000'"),
        ("timestamp_ntz", "2024-03-31 02:30:00", "TIMESTAMP_NTZ '2024-03-31 02:30:00.000000'"),
        ("string", "O'Neil \\ \n 😀", "'O\\'Neil \\\\ \\u000a 😀'"),
    ],
)
def test_a_bound_is_a_literal_of_the_keys_type(text: str, value: Value, expected: str) -> None:
    assert literal_of(type_from_text(text), value) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("date", 2932897),
        ("timestamp", 253402300800000000),
        ("timestamp_ntz", "+10000-01-01 00:00:00"),
        ("string", "x" * 257),
        ("double", 1),
        ("binary", "x"),
        ("boolean", True),
        ("decimal(9,2)", Decimal("NaN")),
        ("struct<a: int>", 1),
    ],
)
def test_a_value_without_a_literal_is_no_bound(text: str, value: Value) -> None:
    assert literal_of(type_from_text(text), value) is None


def test_a_key_without_a_bound_is_compared_all_the_same() -> None:
    bounds = (Bound("id", 1, 2), Bound("on", 0, 2932897))
    asked = write(KEYS, KEYS, unique_key=("id", "on", "f"), bounds=bounds)
    (statement,) = statements("delete_insert", asked)
    assert statement.sql.count(" BETWEEN ") == 1
    assert "__lakeport_target.`f` = __lakeport_source.__lakeport_key_3" in statement.sql


def test_one_aggregate_measures_the_staged_rows() -> None:
    asked = write(KEYS, KEYS, unique_key=("id", "on", "at", "local", "f"))
    nulls = "`id` IS NULL OR `on` IS NULL OR `at` IS NULL OR `local` IS NULL OR `f` IS NULL"
    keys = f"count(DISTINCT IF({nulls}, NULL, struct(`id`, `on`, `at`, `local`, `f`)))"
    ends = (
        " min(`id`), max(`id`), unix_date(min(`on`)), unix_date(max(`on`)),"
        " unix_micros(min(`at`)), unix_micros(max(`at`)),"
        " CAST(min(`local`) AS STRING), CAST(max(`local`) AS STRING)\n"
        "FROM `staged`"
    )
    assert measure(asked) == f"SELECT count(*), count_if({nulls}), NULL,{ends}"
    assert measure(asked, repeats=True) == f"SELECT count(*), count_if({nulls}), {keys},{ends}"


def test_all_but_repeated_keys_can_be_counted_while_rows_are_computed() -> None:
    asked = write(KEYS, KEYS, unique_key=("id", "price"))
    figures = countable(asked)
    assert figures == (
        "count(*)",
        "count_if(`id` IS NULL OR `price` IS NULL)",
        *("min(`id`)", "max(`id`)", "min(`price`)", "max(`price`)"),
    )
    values = (10, 2, 1, 9, Decimal("0.10"), Decimal("3.00"))
    assert measured(asked, counted(values)) == Measured(
        rows=10,
        null_keys=2,
        bounds=(Bound("id", 1, 9), Bound("price", Decimal("0.10"), Decimal("3.00"))),
    )
    assert countable(write()) == ("count(*)",)
    assert measured(write(), counted((3,))) == Measured(rows=3)


def test_a_key_that_is_cast_is_measured_under_settings_of_our_own() -> None:
    wider = write(columns(id="bigint"), columns(id="int"), unique_key=("id",))
    assert "CAST(`id` AS BIGINT)" in measure(wider)
    assert countable(wider) == ()


def test_what_was_measured_becomes_bounds() -> None:
    asked = write(KEYS, KEYS, unique_key=("id", "price"))
    row = (10, 2, 7, 1, 9, Decimal("0.10"), Decimal("3.00"))
    assert measured(asked, row) == Measured(
        rows=10,
        null_keys=2,
        repeated=1,
        bounds=(Bound("id", 1, 9), Bound("price", Decimal("0.10"), Decimal("3.00"))),
    )


def test_an_empty_batch_has_no_bounds() -> None:
    asked = write(KEYS, KEYS, unique_key=("id",))
    assert measured(asked, (0, 0, 0, None, None)) == Measured(0, repeated=0)
    assert measured(asked, (0, 0, None, None, None)) == Measured(0)


def test_what_nobody_asked_is_not_known() -> None:
    asked = write(KEYS, KEYS, unique_key=("id",))
    assert measured(asked, (4, 1, None, 1, 2)).repeated is None


def test_where_nulls_match_they_can_repeat() -> None:
    asked = write(KEYS, KEYS, unique_key=("id",), null_keys="match")
    assert "count(DISTINCT struct(`id`))" in measure(asked, repeats=True)
    assert measured(asked, (4, 2, 3, 1, 2)).repeated == 1


def test_without_a_key_rows_are_counted() -> None:
    assert measure(write()) == "SELECT count(*)\nFROM `staged`"
    assert measured(write(), (3,)) == Measured(3)


def test_null_keys_are_refused_where_the_model_wants_none() -> None:
    found = Measured(rows=10, null_keys=2)
    require_keys(write(unique_key=("customer_id",)), found)
    with pytest.raises(ConstraintViolationError, match="2 of 10 rows have a NULL in `customer_id`"):
        require_keys(write(unique_key=("customer_id",), null_keys="fail"), found)


def test_repeated_keys_are_named_in_the_refusal() -> None:
    asked = write(KEYS, KEYS, unique_key=("id", "on"))
    assert repeated_keys(asked) == (
        "SELECT `id`, `on`\nFROM `staged`\nWHERE NOT (`id` IS NULL OR `on` IS NULL)\n"
        "GROUP BY `id`, `on`\nHAVING count(*) > 1\nORDER BY `id`, `on`\nLIMIT 5"
    )
    error = repetition(asked, [(1, "2026-01-01"), (2, "2026-01-02")])
    assert isinstance(error, KeyViolationError)
    assert error.message == ("several rows have the same `id`, `on`: 1, 2026-01-01; 2, 2026-01-02")
    assert "1, 2026" not in str(error.without_rows())


@pytest.mark.parametrize("strategy", ["delete_insert", "merge"])
def test_a_key_is_needed(strategy: str) -> None:
    with pytest.raises(InvalidRequestError, match="needs a unique_key"):
        statements(strategy, write())


def test_a_key_named_twice_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="names `NAME` twice"):
        statements("merge", write(unique_key=("name", "NAME")))


def test_a_key_that_left_the_model_is_refused() -> None:
    with pytest.raises(NotFoundError, match="the model has no column `region`"):
        statements("delete_insert", write(unique_key=("region",)))


def test_a_map_is_no_key() -> None:
    table = columns(id="int", s="struct<m: map<string,int>>")
    with pytest.raises(UnsupportedError, match="maps have no equality"):
        statements("merge", write(table, table, unique_key=("s",)))


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError) as caught:
        statements("upsert", write())
    assert "append, delete_insert, merge" in str(caught.value.hint)
