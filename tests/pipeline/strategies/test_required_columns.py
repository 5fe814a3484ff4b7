"""NULLs for NOT NULL columns are found on the staged rows, and named."""

from __future__ import annotations

import pytest

from lakeport.core.errors import ConstraintViolationError
from lakeport.pipeline.strategies import count_nulls, require_values
from tests.pipeline.growth.words import columns
from tests.pipeline.strategies.writes import write

TABLE = columns(id="bigint!", name="string", placed="date!")
QUERY = columns(placed="date", ID="int", name="string")


def test_each_not_null_column_is_counted_in_the_tables_order() -> None:
    assert count_nulls(write(TABLE, QUERY), TABLE) == (
        "SELECT count_if(CAST(`ID` AS BIGINT) IS NULL), count_if(`placed` IS NULL)\nFROM `staged`"
    )


def test_a_table_without_such_columns_asks_nothing() -> None:
    assert count_nulls(write(), columns(customer_id="bigint")) is None


def test_rows_with_values_are_let_through() -> None:
    require_values(TABLE, (0, 0))


def test_nulls_are_refused_by_the_columns_name() -> None:
    with pytest.raises(ConstraintViolationError, match="NOT NULL: `placed` in 3 rows") as caught:
        require_values(TABLE, (0, 3))
    assert caught.value.details == {"columns": "placed"}
