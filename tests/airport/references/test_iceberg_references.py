"""Iceberg tables by reference: what DuckDB reads by the calls is what the server would have streamed."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest

import lakeport
from lakeport.airport.requested import Layout, path_of
from lakeport.airport.service import AirportService
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.table import LakeTable
from lakeport.app.serve.lending import lending
from lakeport.catalog.changes import (
    AddColumn,
    ChangeType,
    DropColumn,
    RenameColumn,
    RenameField,
)
from lakeport.catalog.definition import Definition
from lakeport.core.errors import ConfigurationError
from lakeport.core.names import TableName
from lakeport.flight.messages import REUSE_CONNECTION, FlightDescriptor, FlightEndpoint
from lakeport.flight.server import FlightServer
from tests.airport.references.running import Database, decoded
from tests.airport.scans.duck import ROW_ID, Door, Duck, compare, path

UTC = dt.UTC
TABLE = TableName("shop", "t")
_TYPES: dict[str, pa.DataType] = {
    "id": pa.int64(),
    "n": pa.int32(),
    "name": pa.string(),
    "price": pa.decimal128(9, 2),
    "at": pa.timestamp("us", tz="UTC"),
    "day": pa.date32(),
    "f": pa.float32(),
    "ok": pa.bool_(),
    "raw": pa.binary(),
    "tags": pa.list_(pa.string()),
    "place": pa.struct([("x", pa.int32()), ("the y", pa.string())]),
    "more": pa.map_(pa.string(), pa.int64()),
}
COLUMNS = pa.schema(_TYPES)


def rows(*ids: int) -> pa.Table:
    moment = dt.datetime(2024, 1, 1, 12, tzinfo=UTC)
    return pa.Table.from_pylist(
        [
            {
                "id": number,
                "n": number % 3,
                "name": None if number % 5 == 4 else f"it's {number}",
                "price": decimal.Decimal(number) / 4,
                "at": moment + dt.timedelta(hours=number),
                "day": dt.date(2024, 1, 1 + number % 9),
                "f": number / 2,
                "ok": number % 2 == 0,
                "raw": bytes([number % 256, 255]),
                "tags": ["a", None] if number % 2 else None,
                "place": {"x": number, "the y": "é"} if number % 3 else None,
                "more": [("k", number)],
            }
            for number in ids
        ],
        schema=COLUMNS,
    )


class Served:
    """A lake whose namespace `shop` is lent, and a DuckDB that reads what is lent of it."""

    def __init__(self, lake: Lake, flight: fl.FlightClient, database: Database) -> None:
        self.lake = lake
        self.flight = flight
        self.database = database

    @property
    def duck(self) -> Duck:
        return Duck(self.flight).begin()

    def functions(self, **parameters: object) -> list[str]:
        return [decoded(each).function for each in self.endpoints(**parameters)]

    def endpoints(self, **parameters: object) -> list[FlightEndpoint]:
        held, columns = self.told(parameters)
        every = list(range(len(columns)))
        return self.duck.endpoints(held, **{"column_ids": every} | parameters)

    def told(self, parameters: dict[str, object]) -> tuple[FlightDescriptor, pa.Schema]:
        """How DuckDB knows the table after it attached, or asked for a point in time."""
        head = FlightDescriptor(
            path=path_of(TABLE, Layout.of(self.lake.table("shop.t").port.state()))
        )
        unit, value = (str(parameters.get(key, "")) for key in ("at_unit", "at_value"))
        info = self.duck.flight_info(head, unit, value)
        columns = pa.schema([each for each in info.schema if each.name != "rowid"])
        return FlightDescriptor.decode(info.descriptor.serialize()), columns

    def check(self, **parameters: object) -> list[Any]:
        """Both ways give the same; the rows, in the order of their ids."""
        held, columns = self.told(parameters)
        lent = self.database.rows(self.endpoints(**parameters), columns)
        ids = [*range(len(columns)), ROW_ID]
        own = self.duck.scan(held, **{"column_ids": ids} | parameters)
        own = own.select(columns.names) if own.num_columns else columns.empty_table()
        streamed = self.database.of_arrow(own)
        assert sorted(map(repr, lent)) == sorted(map(repr, streamed))
        return sorted(lent, key=lambda row: row["id"])


@contextmanager
def serving(lake: Lake, database: Database, patterns: tuple[str, ...]) -> Iterator[Served]:
    service = AirportService([lake.catalog], Door(), lends=lending(patterns))
    with FlightServer(service) as server, fl.connect(server.address) as flight:
        yield Served(lake, flight, database)


@pytest.fixture(scope="module")
def database() -> Database:
    return Database()


@pytest.fixture
def served(tmp_path: Path, database: Database) -> Iterator[Served]:
    (tmp_path / "lakeport.toml").write_text("")
    with lakeport.open(tmp_path) as lake, serving(lake, database, ("shop",)) as made:
        yield made


@pytest.fixture
def table(served: Served) -> LakeTable:
    made = served.lake.create_table("shop.t", COLUMNS)
    made.append(rows(*range(6)))
    made.append(rows(*range(6, 9)))
    return made


@pytest.mark.usefixtures("table")
def test_files_without_deletes_are_read_as_parquet(served: Served) -> None:
    assert set(served.functions()) == {"read_parquet"}
    assert [row["id"] for row in served.check()] == list(range(9))


def test_columns_are_found_by_their_ids_whatever_became_of_their_names(
    served: Served, table: LakeTable
) -> None:
    table.alter(RenameColumn("name", "title"))
    table.alter(AddColumn(pa.field("extra", pa.float64())))
    table.alter(ChangeType("n", pa.int64()))
    table.alter(DropColumn("price"))
    table.alter(AddColumn(pa.field("price", pa.string())))  # another column of the old name
    table.append(pa.table({"id": [20], "title": ["new"], "n": pa.array([2**40]), "price": ["p"]}))
    assert set(served.functions()) == {"read_parquet"}
    found = served.check()
    assert found[0]["title"] == "it's 0"
    assert (found[0]["extra"], found[0]["price"]) == (None, None)
    assert (found[-1]["n"], found[-1]["price"]) == (2**40, "p")


def test_deletes_are_left_to_duckdbs_own_reader(served: Served, table: LakeTable) -> None:
    table.delete(where="id = 1 OR id = 7")
    table.update({"name": "'changed'"}, where="id = 2")
    assert served.functions() == ["iceberg_scan"]
    found = served.check()
    assert [row["id"] for row in found] == [0, 2, 3, 4, 5, 6, 8]
    assert found[1]["name"] == "changed"
    table.alter(RenameColumn("name", "title"))
    assert served.functions() == ["iceberg_scan"]
    assert served.check()[1]["title"] == "changed"


def test_points_in_time_are_read_in_the_columns_they_had(served: Served, table: LakeTable) -> None:
    table.delete(where="id < 3")
    table.alter(RenameColumn("name", "title"))
    table.append(pa.table({"id": [30]}))
    for version, count in ((1, 6), (2, 9), (3, 6), (4, 6), (5, 7)):
        at = {"at_unit": "VERSION", "at_value": str(version)}
        assert len(served.check(**at)) == count
    assert served.functions(at_unit="VERSION", at_value="2") == ["read_parquet"]
    assert served.functions(at_unit="VERSION", at_value="3") == ["iceberg_scan"]
    assert served.check(at_unit="VERSION", at_value="0") == []


@pytest.mark.parametrize("terms", [("name",), ("n", "month(day)")])
def test_partitions_say_nothing_that_files_do_not(served: Served, terms: tuple[str, ...]) -> None:
    made = served.lake.create_table("shop.t", Definition(COLUMNS, partitioned_by=terms))
    made.append(rows(*range(12)))
    assert set(served.functions()) == {"read_parquet"}
    assert len(served.check()) == 12
    made.delete(where="id = 4")
    if "name" in terms:  # some have no name: DuckDB's Iceberg reader fails on such partitions
        assert [each.locations for each in served.endpoints()] == [(REUSE_CONNECTION,)]
    else:
        assert served.functions() == ["iceberg_scan"]
        assert len(served.check()) == 11


def test_files_that_a_filter_rules_out_are_not_named(served: Served, table: LakeTable) -> None:
    del table
    names = COLUMNS.names
    wanted = compare("id", "COMPARE_EQUAL", 7, names)
    (endpoint,) = served.endpoints(json_filters=wanted)
    assert [len(files) for files in decoded(endpoint).arguments["arg_0"].to_pylist() if files] == [
        1
    ]
    assert [row["id"] for row in served.database.rows([endpoint], COLUMNS)] == [6, 7, 8]


Reason = Callable[[Served, LakeTable], list[FlightEndpoint]]


def _row_ids(served: Served, table: LakeTable) -> list[FlightEndpoint]:
    del table
    return served.endpoints(column_ids=[0, ROW_ID])


def _own_types(served: Served, table: LakeTable) -> list[FlightEndpoint]:
    table.alter(AddColumn(pa.field("small", pa.uint8())))
    return served.endpoints()


def _inside(served: Served, table: LakeTable) -> list[FlightEndpoint]:
    table.alter(RenameField(("place", "x"), "longitude"))
    return served.endpoints()


def _older_columns(served: Served, table: LakeTable) -> list[FlightEndpoint]:
    held = served.duck.flight_info(path("shop", "t"), "VERSION", "1").descriptor
    table.alter(AddColumn(pa.field("extra", pa.int64())))
    return served.duck.endpoints(FlightDescriptor.decode(held.serialize()), column_ids=[0])


def _standard_client(served: Served, table: LakeTable) -> list[FlightEndpoint]:
    del table
    return Duck(served.flight).endpoints(path("shop", "t"), column_ids=[0])


def _another_namespace(served: Served, table: LakeTable) -> list[FlightEndpoint]:
    del table
    served.lake.create_table("secret.t", COLUMNS).append(rows(1))
    return served.duck.endpoints(path("secret", "t"), column_ids=[0])


@pytest.mark.parametrize(
    "reason",
    [_row_ids, _own_types, _inside, _older_columns, _standard_client, _another_namespace],
    ids=lambda reason: reason.__name__.strip("_"),
)
def test_the_server_reads_what_others_must_not_or_would_read_differently(
    served: Served, table: LakeTable, reason: Reason
) -> None:
    endpoints = reason(served, table)
    assert [each.locations for each in endpoints] == [(REUSE_CONNECTION,)]
    assert served.duck.get(endpoints[0].ticket).num_rows > 0


def test_columns_that_are_not_wanted_stand_in_nobodys_way(served: Served, table: LakeTable) -> None:
    table.alter(AddColumn(pa.field("small", pa.uint8())))
    (endpoint,) = served.endpoints(column_ids=[0, 2])
    found = served.database.rows(
        [endpoint], pa.schema([COLUMNS.field("id"), COLUMNS.field("name")])
    )
    assert len(found) == 9
    assert set(found[0]) == {"id", "name"}


def test_a_transaction_goes_on_reading_the_files_it_began_with(
    served: Served, table: LakeTable
) -> None:
    duck = served.duck
    before = duck.endpoints(path("shop", "t"), column_ids=[0])
    table.append(rows(50))
    assert duck.endpoints(path("shop", "t"), column_ids=[0]) == before


def test_a_lent_table_can_be_changed_all_the_same(served: Served, table: LakeTable) -> None:
    del table
    assert "rowid" in served.duck.info(path("shop", "t")).schema.names


@pytest.mark.usefixtures("table")
def test_nothing_in_a_reference_is_a_ticket(served: Served) -> None:
    assert {each.ticket for each in served.endpoints()} == {b""}


def test_only_functions_that_were_agreed_on_are_named(
    served: Served, table: LakeTable, database: Database
) -> None:
    service = AirportService(
        [served.lake.catalog], Door(), lends=lending(["shop"], ["read_parquet"])
    )
    with FlightServer(service) as server, fl.connect(server.address) as flight:
        fewer = Served(served.lake, flight, database)
        assert fewer.functions() == ["read_parquet"]
        table.delete(where="id = 1")
        assert [each.locations for each in fewer.endpoints()] == [(REUSE_CONNECTION,)]
    assert served.functions() == ["iceberg_scan"]


def test_a_pattern_that_means_nothing_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigurationError, match="data_uris"):
        lending([""])
