"""A transaction's statements agree about the rows, without anybody telling where it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from lakeport.airport.requested import Layout, path_of
from lakeport.airport.scans.pins import LIFETIME_SECONDS, MemoryPins, Pins
from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import TableState
from lakeport.core.errors import ConflictError
from lakeport.core.names import TableName
from lakeport.flight.messages import FlightDescriptor
from tests.airport.scans.duck import Duck, ordered, path
from tests.behaviours.lake import Lake, Subject, schema_of

ITEMS = path("shop", "items")
STATE = TableState("u", TableName("s", "t"), Definition(pa.schema([])), 0, 1, 1)


def keys(table: pa.Table) -> list[Any]:
    return ordered(table, "k") if table.num_columns else []


def add(items: Subject, key: int) -> None:
    items.insert(pa.table({"k": [key], "name": ["new"], "price": [0.0]}, items.schema))


def test_a_transaction_goes_on_reading_what_it_read_first(items: Subject, duck: Duck) -> None:
    assert keys(duck.scan(ITEMS)) == [1, 2, 3]
    add(items, 4)
    assert keys(duck.scan(ITEMS)) == [1, 2, 3]
    assert keys(duck.begin().scan(ITEMS)) == [1, 2, 3, 4]


def test_an_empty_table_stays_empty_inside_a_transaction(lake: Lake, duck: Duck) -> None:
    schema = schema_of(k=pa.int64())
    subject = lake.create(schema, name="fresh")
    assert duck.endpoints(path("shop", "fresh")) == []
    subject.insert(pa.table({"k": [1]}, schema))
    assert duck.endpoints(path("shop", "fresh")) == []


def test_columns_that_changed_end_the_pin(items: Subject, duck: Duck) -> None:
    assert keys(duck.scan(ITEMS)) == [1, 2, 3]
    add(items, 4)
    state = items.alter(AddColumn(pa.field("weight", pa.float64())))
    held = FlightDescriptor(path=path_of(TableName("shop", "items"), Layout.of(state)))
    found = duck.scan(held)
    assert keys(found) == [1, 2, 3, 4]
    assert "weight" in found.schema.names


def test_a_pin_whose_snapshot_expired_is_no_obstacle(
    lake: Lake, items: Subject, duck: Duck
) -> None:
    duck.scan(ITEMS)
    add(items, 4)
    lake.clock.pass_seconds(3600)
    items.expirable.expire(keep=1)
    assert keys(duck.scan(ITEMS)) == [1, 2, 3, 4]


def test_a_point_in_time_is_not_pinned(items: Subject, duck: Duck) -> None:
    del items
    assert keys(duck.scan(ITEMS, at_unit="VERSION", at_value="1")) == [1, 2]
    assert keys(duck.scan(ITEMS)) == [1, 2, 3]


def test_a_malformed_transaction_id_is_refused(items: Subject, duck: Duck) -> None:
    del items
    duck.transaction = "now"
    with pytest.raises(pa.ArrowInvalid, match="transaction id"):
        duck.endpoints(ITEMS)


def test_an_hour_ends_a_pin() -> None:
    now = [0.0]
    kept = MemoryPins(clock=lambda: now[0])
    pins = Pins(kept)
    newer = replace(STATE, snapshot_id=2)
    assert pins.hold("t", "lake", STATE) == 1
    now[0] = LIFETIME_SECONDS - 1
    assert pins.hold("t", "lake", newer) == 1
    now[0] = LIFETIME_SECONDS
    assert pins.hold("t", "lake", newer) == 2
    assert len(kept) == 1


def test_an_hour_ends_what_a_name_means() -> None:
    now = [0.0]
    pins = Pins(MemoryPins(clock=lambda: now[0]))
    pins.require_same("t", "lake", STATE)
    now[0] = LIFETIME_SECONDS - 1
    other = replace(STATE, uuid="v")
    with pytest.raises(ConflictError):
        pins.require_same("t", "lake", other)
    pins.require_same("t2", "lake", other)
    now[0] = LIFETIME_SECONDS
    pins.require_same("t", "lake", other)


def test_an_own_write_moves_the_pin_and_a_definition_drops_it() -> None:
    pins = Pins()
    pins.hold("t", "lake", STATE)
    pins.move("t", "lake", replace(STATE, snapshot_id=5))
    newer = replace(STATE, snapshot_id=7)
    assert pins.hold("t", "lake", newer) == 5
    pins.drop("lake", "u")
    assert pins.hold("t", "lake", newer) == 7
