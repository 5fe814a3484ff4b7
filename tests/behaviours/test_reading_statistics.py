"""Column statistics: exact over the rows of the head, or unknown; DuckDB is the judge."""

from __future__ import annotations

import math
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.ports import ColumnStatistics
from lakeport.catalog.predicates import Compare, Op, bind, describe
from lakeport.core.errors import NotFoundError
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.oracle import answers, compact
from tests.strategies import LEAVES, random_table, seeded


def distinct_values(table: pa.Table) -> int:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("given", compact(table))
        found = connection.execute("SELECT count(DISTINCT x) FROM given").fetchall()
    return int(found[0][0])


def test_statistics_tell_the_ends_and_what_is_there(items: Subject) -> None:
    found = items.measurable.statistics("PRICE")
    assert replace(found, distinct=None) == ColumnStatistics(
        minimum=pa.scalar(1.0), maximum=pa.scalar(3.5), has_null=False, has_values=True
    )
    assert found.distinct in {None, 3}
    found = items.measurable.statistics("name")
    assert (found.has_null, found.has_values) == (True, True)
    assert (found.distinct in {None, 2}, found.longest in {None, 5}) == (True, True)
    assert found.minimum in {None, pa.scalar("apple")}
    assert found.maximum in {None, pa.scalar("pear")}


def test_an_empty_table_holds_neither_values_nor_nulls(lake: Lake, items_schema: pa.Schema) -> None:
    found = lake.seed(items_schema, name="fresh").measurable.statistics("k")
    assert (found.minimum, found.maximum) == (None, None)
    assert (found.has_null, found.has_values) == (False, False)


def test_statistics_of_an_unknown_column_are_an_error(items: Subject) -> None:
    with pytest.raises(NotFoundError, match="prise"):
        items.measurable.statistics("prise")


def test_only_nulls_leave_the_ends_unknown(lake: Lake) -> None:
    schema = schema_of(x=pa.int64())
    found = lake.seed(schema, pa.table({"x": [None, None]}, schema)).measurable.statistics("x")
    assert (found.minimum, found.maximum, found.has_null, found.has_values) == (
        None,
        None,
        True,
        False,
    )


def test_false_is_an_end_like_any_other(lake: Lake) -> None:
    schema = pa.schema([pa.field("f", pa.bool_())])
    subject = lake.seed(schema, pa.table({"f": [False, True, None]}, schema))
    found = subject.measurable.statistics("f")
    assert (found.minimum, found.maximum) == (pa.scalar(value=False), pa.scalar(value=True))


def test_nan_is_the_largest_value_and_zero_is_one_value(lake: Lake) -> None:
    schema = schema_of(x=pa.float64())
    rows = pa.table({"x": [1.0, math.nan, -0.0, 0.0, math.nan]}, schema)
    found = lake.seed(schema, rows).measurable.statistics("x")
    assert found.maximum is None or math.isnan(found.maximum.as_py())
    assert found.minimum == pa.scalar(0.0)
    assert found.distinct in {None, 3}


@pytest.mark.parametrize("data_type", LEAVES, ids=str)
def test_what_is_claimed_of_each_type_is_what_duckdb_finds(
    lake: Lake, data_type: pa.DataType
) -> None:
    schema = pa.schema([pa.field("x", data_type)])
    table = random_table(seeded(5), schema, 90)
    found = lake.seed(schema, table.slice(0, 40), table.slice(40)).measurable.statistics("x")
    (nulls,) = answers(table, ["x IS NULL"])
    assert found.has_null == (nulls.true_count > 0)
    assert found.has_values == (nulls.true_count < 90)
    if found.distinct is not None:
        assert found.distinct == distinct_values(table)
    for end, beyond in ((found.minimum, Op.LT), (found.maximum, Op.GT)):
        if end is not None:
            texts = [
                describe(bind(Compare("x", op, end), schema)) for op in (beyond, Op.NOT_DISTINCT)
            ]
            outside, there = answers(table, texts)
            assert outside.true_count == 0
            assert there.true_count > 0
