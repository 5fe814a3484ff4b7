"""Filters on every type of DuckDB's: bound and written by DuckDB, sent with the scan, its answer judged by SQL.

A filter may let more rows through than it should, DuckDB looks again; never fewer.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tests.airport.attached import ROW_ID, Attached
from tests.airport.pushdown.bound import pushed_text
from tests.airport.types.duckdb_values import COLUMNS, KEY, ROWS, VALUES, Session

# The package's own writer of plans has no JSON for these; what the client sends is among the recordings.
NO_NUMBERS = frozenset({"'nan'", "'infinity'", "'-infinity'"})
UNWRITTEN = ("BIT", "BIGNUM")


def conditions(types: dict[str, str]) -> Iterator[tuple[str, str]]:
    """By column. `types` are what the columns are to the client: a lossy setting knows others."""
    for column, kind in COLUMNS.items():
        yield column, f"{column} IS NULL"
        if any(word in types[column] for word in UNWRITTEN):
            continue
        values = set(VALUES[kind]) - (NO_NUMBERS if kind in {"FLOAT", "DOUBLE"} else set())
        constants = [f"(({value})::{kind})::{types[column]}" for value in sorted(values)]
        yield from ((column, f"{column} = {constant}") for constant in constants[:3])
        yield column, f"{column} > {constants[0]}"
        yield column, f"{column} IN ({', '.join(constants)})"


def test_filters_on_every_type_lose_no_row(lake: Attached, session: Session) -> None:
    rows = session.make("own")
    table = lake.create("every", rows.schema)
    lake.insert(table, rows.slice(0, 3))
    lake.insert(table, rows.slice(3))  # files of few rows, so that bounds say something
    announced = lake.duck.info(table).schema
    session.take("expected", rows)
    fewer: set[str] = set()
    for column, condition in conditions(session.types("expected")):
        schema = pa.schema([announced.field(KEY), announced.field(column)])
        filters = pushed_text(condition, schema)
        found = lake.duck.scan(table, json_filters=filters, column_ids=[0])
        kept = set(found.column(KEY).to_pylist()) if found.num_columns else set()
        assert session.keys(f"SELECT {KEY} FROM expected WHERE {condition}") <= kept, condition
        if len(kept) < ROWS:
            fewer.add(column)
    # Whatever can be compared is compared by the server.
    assert {COLUMNS[name] for name in COLUMNS.keys() - fewer} == set()


def test_rows_found_by_a_filter_are_whole(lake: Attached, session: Session) -> None:
    rows = session.make("own")
    table = lake.create("every", rows.schema)
    lake.insert(table, rows)
    filters = pushed_text(f"{KEY} % 2 = 1", pa.schema([rows.schema.field(KEY)]))
    session.take("expected", session.arrow(f"SELECT * FROM own WHERE {KEY} % 2 = 1"))
    session.take("found", lake.read(table, filters).drop_columns([ROW_ID]))
    session.assert_same("found", "expected")
