"""Users of one table have settings of their own: what one sends fits into what another made.

The client sends a column as its own settings say, whatever the table was created with; a value that
Arrow cannot carry is refused by its column's name.
"""

from __future__ import annotations

import grpc
import pyarrow as pa
import pytest

from tests.airport.attached import ROW_ID, Attached
from tests.airport.exchange.talk import typed
from tests.airport.scans.duck import path
from tests.airport.types.duckdb_values import KEY, Session

# Of these a lossy client sends less than the table can hold.
LOST = {"c26": "TIMETZ", "c44": "STRUCT(bits BIT, clock TIMETZ, big BIGNUM, ns TIMESTAMP_NS)"}


def test_a_table_made_without_loss_takes_rows_of_lossy_clients(lake: Attached) -> None:
    careful, careless = Session(lossless=True), Session(lossless=False)
    rows = careful.make("own").drop_columns(list(LOST))
    table = lake.create("every", rows.schema)
    lake.insert(table, careless.make("own").drop_columns(list(LOST)))
    careful.take("expected", rows)
    careful.take("found", lake.read(table).drop_columns([ROW_ID]))
    careful.assert_same("found", "expected")


def test_a_table_made_with_loss_takes_rows_of_careful_clients(lake: Attached) -> None:
    """To them its columns are what they were declared, and that they send."""
    careless, careful = Session(lossless=False), Session(lossless=True)
    rows = careless.make("own")
    table = lake.create("every", rows.schema)
    careful.take("own", rows)
    lake.insert(table, careful.arrow("FROM own"))
    careless.take("expected", rows)
    careless.take("found", lake.read(table).drop_columns([ROW_ID]))
    careless.assert_same("found", "expected")


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kathmandu"])
def test_sessions_in_other_time_zones_mean_the_same_moments(lake: Attached, zone: str) -> None:
    here, there = Session(lossless=False), Session(lossless=False, zone=zone)
    sql = (
        "SELECT 1::BIGINT AS k, TIMESTAMPTZ '2024-02-29 12:00:00+00' AS moment, [moment] AS moments"
    )
    table = lake.create("moments", here.arrow(sql).schema)
    lake.insert(table, there.arrow(sql))
    there.take("found", lake.read(table).drop_columns([ROW_ID]))
    there.run(f"CREATE TABLE expected AS {sql}")
    there.assert_same("found", "expected")


BEYOND = {
    "TIME '24:00:00'": "24:00:00",
    "TIME_NS '24:00:00'": "24:00:00",
    "170141183460469231731687303715884105727::HUGEINT": "arrow_lossless_conversion",
}


@pytest.mark.parametrize("value", BEYOND)
def test_what_arrow_cannot_carry_is_refused_by_name(lake: Attached, value: str) -> None:
    session = Session(lossless=False)
    rows = session.arrow(f"SELECT 1::BIGINT AS {KEY}, {value} AS late")
    table = lake.create("t", rows.schema)
    refusal = lake.writer.refused("insert", table, rows.to_batches(), schema=rows.schema)
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    kind, message = typed(refusal) or ("", "")
    assert (kind, "`late`" in message) == ("InvalidInputException", True)
    assert BEYOND[value] in message
    assert lake.read(path("shop", "t")).num_rows == 0


def test_a_number_of_39_digits_goes_without_loss(lake: Attached) -> None:
    session = Session(lossless=True)
    sql = f"SELECT 1::BIGINT AS {KEY}, 170141183460469231731687303715884105727::HUGEINT AS most"
    rows: pa.Table = session.arrow(sql)
    table = lake.create("t", rows.schema)
    lake.insert(table, rows)
    session.take("found", lake.read(table).drop_columns([ROW_ID]))
    session.run(f"CREATE TABLE expected AS {sql}")
    session.assert_same("found", "expected")
