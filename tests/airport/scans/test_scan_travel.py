"""Time travel over the wire: DuckDB's units and texts, contract 001's `ts` and `ts_ns`, both ends of time."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.catalog.changes import AddColumn
from lakeport.catalog.ports import Ref
from lakeport.core.timepoint import NANOSECONDS, format_time
from lakeport.flight.messages import FlightDescriptor
from tests.airport.scans.duck import Duck, command, ordered, path
from tests.behaviours.implementations import START
from tests.behaviours.lake import Lake, Subject

ITEMS = path("shop", "items")
FIRST = START + 60 * NANOSECONDS


def keys(table: pa.Table) -> list[Any]:
    return ordered(table, "k") if "k" in table.schema.names else []


def duckdb_text(nanoseconds: int) -> str:
    return format_time(nanoseconds).replace("T", " ").rstrip("Z")


@pytest.mark.parametrize("unit", ["VERSION", "version"])
def test_a_version_is_what_it_was(items: Subject, duck: Duck, unit: str) -> None:
    del items
    assert keys(duck.scan(ITEMS, at_unit=unit, at_value="1")) == [1, 2]
    assert keys(duck.scan(ITEMS, at_unit=unit, at_value="2")) == [1, 2, 3]
    assert duck.endpoints(ITEMS, at_unit=unit, at_value="0") == []


@pytest.mark.parametrize("unit", ["TIMESTAMP", "timestamp"])
@pytest.mark.parametrize("zone", ["", "+00", "Z"])
def test_a_moment_is_what_it_was(items: Subject, duck: Duck, unit: str, zone: str) -> None:
    del items
    when = duckdb_text(FIRST) + zone
    assert keys(duck.scan(ITEMS, at_unit=unit, at_value=when)) == [1, 2]


def test_a_snapshot_is_what_it_was(items: Subject, duck: Duck) -> None:
    first = items.travelable.history()[0].snapshot_id
    assert keys(duck.scan(ITEMS, at_unit="snapshot", at_value=str(first))) == [1, 2]


def test_a_snapshot_goes_by_tag_and_branch_too(items: Subject, duck: Duck) -> None:
    first = items.travelable.history()[0].snapshot_id
    items.referable.create_ref(Ref("audited", "tag", first))
    items.referable.create_ref(Ref("old", "branch", first))
    for name, found in (("audited", [1, 2]), ("old", [1, 2]), ("main", [1, 2, 3])):
        assert keys(duck.scan(ITEMS, at_unit="Snapshot", at_value=name)) == found


@pytest.mark.parametrize("value", ["abc123def", "no such", "2024-01-01", ""])
def test_a_snapshot_that_is_no_id_and_no_ref_is_refused(
    items: Subject, duck: Duck, value: str
) -> None:
    del items
    for ask in (
        lambda: duck.endpoints(ITEMS, at_unit="snapshot", at_value=value),
        lambda: duck.flight_info(ITEMS, "snapshot", value),
    ):
        with pytest.raises(pa.ArrowInvalid):
            ask()


@pytest.mark.parametrize(
    ("unit", "value"), [("VERSION", "abc"), ("century", "1"), ("TIMESTAMP", "later"), ("", "1")]
)
def test_what_is_no_point_in_time_is_refused(
    items: Subject, duck: Duck, unit: str, value: str
) -> None:
    del items
    with pytest.raises(pa.ArrowInvalid):
        duck.endpoints(ITEMS, at_unit=unit, at_value=value)


def test_a_version_that_is_not_there_yet_is_not_found(items: Subject, plain: Duck) -> None:
    del items
    with pytest.raises(KeyError, match="the newest version is 2"):
        plain.endpoints(ITEMS, at_unit="VERSION", at_value="9")


def at(member: str, value: int) -> FlightDescriptor:
    return command(f'{{"schema_name": "shop", "table_name": "items", "{member}": {value}}}')


def test_seconds_and_nanoseconds_of_contract_001(items: Subject, plain: Duck) -> None:
    del items
    for descriptor in (at("ts", FIRST // NANOSECONDS), at("ts_ns", FIRST)):
        info = plain.info(descriptor)
        assert info.total_records == 2
        assert keys(plain.get(info.endpoints[0].ticket.ticket)) == [1, 2]
        assert keys(plain.scan(descriptor)) == [1, 2]
        assert descriptor.command is not None
        assert keys(plain.get(descriptor.command)) == [1, 2]


@pytest.mark.parametrize("seconds", [0, 4_000_000_000])
def test_before_the_table_and_in_the_future_there_are_columns_and_no_rows(
    items: Subject, plain: Duck, seconds: int
) -> None:
    del items
    info = plain.info(at("ts", seconds))
    found = plain.get(info.endpoints[0].ticket.ticket)
    assert (info.total_records, found.num_rows) == (0, 0)
    assert found.schema.names == ["k", "name", "price", "rowid"]
    assert plain.endpoints(at("ts", seconds)) == []


def test_a_point_shows_the_columns_of_then(items: Subject, duck: Duck) -> None:
    items.alter(AddColumn(pa.field("weight", pa.float64())))
    now = FlightDescriptor(path=("shop", "items"))
    first = duck.flight_info(now, "VERSION", "1")
    assert first.schema.names == ["k", "name", "price", "rowid"]
    told = FlightDescriptor.decode(first.descriptor.serialize())
    again = duck.flight_info(told, "VERSION", "1")
    assert again.descriptor == first.descriptor
    found = duck.scan(told, at_unit="VERSION", at_value="1", column_ids=[0, 1, 2])
    assert found.schema.names == ["k", "name", "price", "rowid"]
    assert keys(found) == [1, 2]


def test_statistics_are_not_announced_of_the_past(items: Subject, duck: Duck) -> None:
    del items
    then = duck.flight_info(ITEMS, "VERSION", "1").schema
    assert b"can_produce_statistics" not in (then.metadata or {})


def test_a_ticket_reads_its_snapshot_whatever_was_written_since(
    items: Subject, plain: Duck
) -> None:
    tickets = [each.ticket for each in plain.endpoints(ITEMS)]
    whole = plain.info(ITEMS).endpoints[0].ticket.ticket
    items.insert(pa.table({"k": [4], "name": ["fig"], "price": [4.0]}, items.schema))
    items.delete(items.row_ids(where="k = 1"))
    assert sorted(key for ticket in tickets for key in keys(plain.get(ticket))) == [1, 2, 3]
    assert keys(plain.get(whole)) == [1, 2, 3]


def test_a_snapshot_that_expired_is_an_error_and_no_other_rows(
    lake: Lake, items: Subject, plain: Duck
) -> None:
    ticket = plain.info(ITEMS).endpoints[0].ticket.ticket
    items.insert(pa.table({"k": [4], "name": ["fig"], "price": [4.0]}, items.schema))
    lake.clock.pass_seconds(3600)
    items.expirable.expire(keep=1)
    with pytest.raises((KeyError, pa.ArrowInvalid, fl.FlightError), match="expired"):
        plain.get(ticket)
