"""Every type of DuckDB's, in both settings of `arrow_lossless_conversion`, through every statement.

DuckDB makes the Arrow data and DuckDB reads what comes back. What it reads must be what it makes of
its own Arrow data: a lossy setting loses what it loses before anything is sent.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import ROW_ID, Attached
from tests.airport.scans.duck import path
from tests.airport.types.duckdb_values import COLUMNS, KEY, ROWS, Session


def row_ids(lake: Attached, table: FlightDescriptor) -> list[int]:
    """Of the rows in the order of their keys."""
    found = lake.read(table).select([KEY, ROW_ID]).sort_by(KEY)
    return [int(each.as_py()) for each in found.column(ROW_ID)]


def with_ids(rows: pa.Table, ids: list[int]) -> pa.Table:
    """An UPDATE that sets every column: what it assigns, the row ids last."""
    return rows.sort_by(KEY).append_column(ROW_ID, pa.array(ids, pa.int64()))


def assert_holds(session: Session, lake: Attached, table: FlightDescriptor, rows: pa.Table) -> None:
    session.take("expected", rows)
    session.take("found", lake.read(table).drop_columns([ROW_ID]))
    session.assert_same("found", "expected")


def test_a_table_of_every_type_holds_what_was_inserted(lake: Attached, session: Session) -> None:
    rows = session.make("own")
    table = lake.create("every", rows.schema)
    assert lake.insert(table, rows).changed == ROWS
    assert_holds(session, lake, table, rows)
    # Whoever attaches now is told of the same types.
    assert_holds(session, lake, path("shop", "every"), rows)


def test_nothing_is_lost_without_loss_on_the_way() -> None:
    """The other tests take what DuckDB makes of its own Arrow data for right; here is how much that is."""
    session = Session(lossless=True)
    session.take("carried", session.make("own"))
    differing = {
        name
        for name in COLUMNS
        if session.keys(
            f"SELECT k FROM own JOIN carried USING (k) WHERE own.{name} != carried.{name}"
        )
    }
    assert differing == set()
    types = session.types("carried")
    changed = {kind for name, kind in session.types("own").items() if kind != types[name]}
    assert changed == {"ENUM('sad', 'ok', 'happy')", "ENUM('x', 'y')[]"}


def test_insert_returning_shows_every_type(lake: Attached, session: Session) -> None:
    rows = session.make("own")
    table = lake.create("every", rows.schema)
    answer = lake.insert(table, rows, returning=True)
    session.take("expected", rows)
    session.take("found", pa.Table.from_batches(answer.batches, answer.schema))
    session.assert_same("found", "expected")


def test_update_sets_every_type(lake: Attached, session: Session) -> None:
    rows, others = session.make("own"), session.make("other", shift=1)
    table = lake.create("every", rows.schema)
    lake.insert(table, rows)
    answer = lake.update(table, with_ids(others, row_ids(lake, table)))
    assert answer.changed == ROWS
    assert_holds(session, lake, table, others)


def test_update_returning_shows_every_type_as_it_was_sent(lake: Attached, session: Session) -> None:
    rows, others = session.make("own"), session.make("other", shift=1)
    table = lake.create("every", rows.schema)
    lake.insert(table, rows)
    backwards = others.select([*reversed(others.column_names)])
    sent = with_ids(backwards, row_ids(lake, table))
    answer = lake.update(table, sent, returning=True)
    assert answer.schema.names == sent.column_names
    assert answer.schema.types == sent.schema.types
    session.take("expected", others)
    session.take("found", pa.Table.from_batches(answer.batches).select(others.column_names))
    session.assert_same("found", "expected")


def test_delete_returning_shows_every_type(lake: Attached, session: Session) -> None:
    rows = session.make("own")
    table = lake.create("every", rows.schema)
    lake.insert(table, rows)
    answer = lake.delete(table, row_ids(lake, table)[1::2], returning=True)
    session.take("expected", session.arrow(f"SELECT * FROM own WHERE {KEY} % 2 = 1"))
    session.take("found", pa.Table.from_batches(answer.batches).select(rows.column_names))
    session.assert_same("found", "expected")
    assert_holds(session, lake, table, session.arrow(f"SELECT * FROM own WHERE {KEY} % 2 = 0"))


def test_a_column_of_every_type_is_added_and_filled(lake: Attached, session: Session) -> None:
    rows = session.make("own")
    table = lake.create("every", rows.select([KEY]).schema)
    lake.insert(table, rows.select([KEY]))
    for name in COLUMNS:
        schema = pa.schema([rows.schema.field(name)])
        body = {"schema": "shop", "name": "every", "column_schema": schema.serialize().to_pybytes()}
        table = lake.alter("add_column", **body)
    session.take("found", lake.read(table))
    assert [*session.types("found")] == [*rows.column_names, ROW_ID]
    for name in COLUMNS:
        # A union in Arrow is never NULL itself: without a value it is one that holds NULL.
        assert not session.keys(
            f"SELECT {KEY} FROM found WHERE coalesce({name}::VARCHAR, 'NULL') != 'NULL'"
        )
    lake.update(table, with_ids(rows, row_ids(lake, table)))
    assert_holds(session, lake, table, rows)
