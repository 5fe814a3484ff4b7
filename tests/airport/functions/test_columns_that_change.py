"""Columns that are others when they are read than when the query was bound: said, never sent."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_bytes
from tests.airport.functions.guest import (
    Guest,
    endpoints_body,
    opening_of,
    row,
    visiting,
)
from tests.airport.functions.made import INT, TEXT, Call, InOut, Rows, Table, hosting

SESSION = ("airport-client-session-id", "5f0c2c51-7c2c-4f1b-8d93-5b1f2a5f9a10")
TRACE = ("airport-trace-id", "0a4e2d50-8a90-4a37-9f37-3b8c4e3f4f11")
OTHER_TRACE = ("airport-trace-id", "0a4e2d50-8a90-4a37-9f37-3b8c4e3f4f12")
INPUT = pa.schema([("n", INT)])


class Fickle:
    """A source whose column is of one type today and of another tomorrow."""

    def __init__(self) -> None:
        self.schema = pa.schema([("n", INT)])

    def scanned(self, _: dict[str, Any]) -> Rows:
        return Rows(self.schema, lambda: iter(()))

    def passed(self, given: dict[str, Any], rows: pa.Schema) -> Call:
        del given, rows
        return Call(self.schema, lambda _: iter(()))

    def turn(self) -> None:
        self.schema = pa.schema([("n", TEXT)])


def path(name: str) -> FlightDescriptor:
    return FlightDescriptor(path=("fn", name))


def test_a_column_of_another_type_than_was_bound_is_no_plan() -> None:
    source = Fickle()
    with visiting(hosting(Table("scanned", source.scanned))) as guest:
        query = guest.having(SESSION, TRACE)
        query.bind(path("scanned"), row())
        assert len(query.endpoints(path("scanned"), row(), [0])) == 1
        source.turn()
        failure = query.refused_action("endpoints", endpoints_body(path("scanned"), row(), [0]))
        assert failure.code.name == "ABORTED"
        assert "gives other columns than it did when the query began" in failure.text
        again = guest.having(SESSION, OTHER_TRACE)
        again.bind(path("scanned"), row())
        assert len(again.endpoints(path("scanned"), row(), [0])) == 1


def test_rows_of_another_type_than_was_bound_do_not_come_back() -> None:
    source = Fickle()
    with visiting(hosting(InOut("passed", source.passed))) as guest:
        query = guest.having(SESSION)
        query.bind(path("passed"), row(), INPUT)
        source.turn()
        assert _refused(query).code.name == "ABORTED"
        query.bind(path("passed"), row(), INPUT)
        assert _opened(query)
        # Of other rows nothing was told yet.
        source.schema = INPUT
        assert _opened(query, pa.schema([("other", INT)]))


def _refused(guest: Guest) -> Any:
    batch = pa.record_batch({"n": pa.array([1], INT)})
    return guest.refused("table_function_in_out", path("passed"), batch, opening=opening_of(row()))


def _opened(guest: Guest, rows: pa.Schema = INPUT) -> bool:
    talk = guest.open("table_function_in_out")
    talk.name(path("passed"))
    talk.say(put_bytes(3, opening_of(row())))
    talk.declare(rows)
    heard = talk.hear()
    talk.half_close()
    talk.hear_end()
    return bool(heard)
