"""`lakeport.connect`: the reading half of a lake, over a real server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import lakeport
from lakeport.airport.service import AirportService
from lakeport.app.remote.source import RemoteSource
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Travelable, require
from lakeport.core.errors import CorruptDataError
from lakeport.core.timepoint import AtTime, AtVersion
from lakeport.flight.call import Call
from lakeport.flight.client import FlightClient
from lakeport.flight.dial import Target
from lakeport.flight.messages import Action
from lakeport.flight.server import FlightServer
from lakeport.flight.service import FlightService
from tests.airport.airport_server import ORDERS, ROWS, People, grow, shop


@pytest.fixture
def catalog() -> MemoryCatalog:
    return shop()


@pytest.fixture
def server(catalog: MemoryCatalog) -> Iterator[FlightServer]:
    with FlightServer(AirportService([catalog, MemoryCatalog("other")], People())) as server:
        yield server


@pytest.fixture
def lake(server: FlightServer) -> Iterator[lakeport.RemoteLake]:
    with lakeport.connect(server.address) as lake:
        yield lake


def test_tables_are_found_by_name(lake: lakeport.RemoteLake) -> None:
    assert lake.tables() == lake.tables("SHOP") == ["shop.customers", "shop.orders"]
    assert [(info.name, info.comment) for info in lake.namespaces()] == [("shop", "what we sell")]
    assert lake.table("Shop.Orders").name == "shop.orders"
    with pytest.raises(lakeport.NotFoundError, match=r"did you mean `shop\.orders`"):
        lake.table("shop.order")


def test_another_catalog_is_chosen_when_connecting(server: FlightServer) -> None:
    with lakeport.connect(server.address, catalog="other") as lake:
        assert lake.tables() == []
    refused = pytest.raises(lakeport.NotFoundError, match="no catalog `none`")
    with lakeport.connect(server.address, catalog="none") as lake, refused:
        lake.tables()


def test_rows_are_scanned(lake: lakeport.RemoteLake) -> None:
    orders = lake.table("shop.orders")
    assert orders.schema.equals(ORDERS, check_metadata=True)
    with orders.scan() as rows:
        assert rows.read_all() == pa.Table.from_batches([ROWS])
    with orders.scan(["v", "id"], "id > 1", limit=1) as rows:
        assert rows.read_all().to_pylist() == [{"v": 2.5, "id": 2}]
    with orders.stream(where="name = 'c'") as stream:
        assert [batch.num_rows for batch in stream] == [1]


def test_the_past_is_read_by_every_kind_of_point(
    lake: lakeport.RemoteLake, catalog: MemoryCatalog
) -> None:
    grow(catalog.namespace("shop").table("orders"), "extra")
    orders = lake.table("shop.orders")
    (first, second) = orders.history()
    own = require(catalog.namespace("shop").table("orders"), Travelable, "it").history()
    assert [first, second] == list(own)
    assert orders.schema.names == ["id", "name", "v", "extra"]
    for point in (1, "version:1", AtVersion(1), f"snapshot:{first.snapshot_id}"):
        assert orders.schema_at(point).names == ["id", "name", "v"]
        with orders.scan(at=point) as rows:
            assert rows.read_all().num_rows == 3
    with pytest.raises(lakeport.LakeportError):
        orders.schema_at(9)
    with orders.scan(at=AtTime(second.timestamp_ns)) as rows:
        assert rows.read_all().num_columns == 4
    with orders.scan(at=datetime(1999, 1, 1, tzinfo=UTC)) as rows:
        assert rows.read_all().num_rows == 0


def test_a_bad_question_is_refused_as_it_is_at_home(lake: lakeport.RemoteLake) -> None:
    orders = lake.table("shop.orders")
    with pytest.raises(lakeport.InvalidRequestError):
        orders.stream(where="id >")
    with pytest.raises(lakeport.InvalidRequestError, match="list of names"):
        orders.stream(columns="id")
    with pytest.raises(lakeport.NotFoundError, match="no column `idd`"):
        orders.stream(columns=["idd"])


def test_nobody_there_is_an_error_that_names_the_address() -> None:
    with lakeport.connect("grpc://127.0.0.1:1") as lake:
        assert "127.0.0.1:1" in repr(lake)
        with pytest.raises(lakeport.UnavailableError, match=r"grpc://127\.0\.0\.1:1"):
            lake.tables()
    with pytest.raises(lakeport.InvalidRequestError, match="HTTP"):
        lakeport.connect("http://127.0.0.1:1")


class Other(FlightService):
    """A server of another version, or of none."""

    def do_action(self, call: Call, action: Action) -> list[bytes]:
        del call, action
        return [b'{"name": "only"}']


def test_an_answer_of_another_shape_is_no_half_result() -> None:
    with FlightServer(Other()) as server:
        source = RemoteSource(FlightClient(Target.parse(server.address)))
        for ask in (source.tables, lambda: source.describe("a.b"), lambda: source.history("a.b")):
            with pytest.raises(CorruptDataError, match="does not understand"):
                ask()
        source.close()
