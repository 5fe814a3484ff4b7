"""UPDATE and DELETE by a condition, sent to a server: what they change is what they change at home."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lakeport
from lakeport.access import Ability, Grant, Identity
from lakeport.airport.service import AirportService
from lakeport.app.lake.lake import Lake
from lakeport.app.remote.source import open_remote
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Catalog
from lakeport.flight.exchange import Exchange
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import schema_of

ROWS: list[dict[str, Any]] = [{"k": k, "name": f"n{k}", "price": k / 4} for k in range(10)]
COLUMNS = schema_of(k=pa.int64(), name=pa.string(), price=pa.float64())


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    implementation = IMPLEMENTATIONS[str(request.param)]
    made = implementation.make(Clock(), tmp_path)
    yield made
    implementation.close(made)


@pytest.fixture
def people() -> People:
    return People()


@pytest.fixture
def server(catalog: Catalog, people: People) -> Iterator[str]:
    with FlightServer(AirportService([catalog], people)) as server:
        yield server.address


@pytest.fixture
def lake(server: str) -> Iterator[lakeport.RemoteLake]:
    with lakeport.connect(server) as lake:
        yield lake


@pytest.fixture
def far(lake: lakeport.RemoteLake) -> lakeport.RemoteTable:
    table = lake.create_table("shop.far", COLUMNS)
    table.append(ROWS)
    return table


@pytest.fixture
def near(catalog: Catalog, far: lakeport.RemoteTable) -> lakeport.LakeTable:
    del far  # the namespace is there
    table = Lake(catalog).create_table("shop.near", COLUMNS)
    table.append(ROWS)
    return table


def content(table: lakeport.RemoteTable | lakeport.LakeTable) -> list[dict[str, Any]]:
    with table.scan() as rows:
        return sorted(rows.read_all().to_pylist(), key=lambda row: str(row["k"]))


UPDATES: list[tuple[dict[str, str], str | None]] = [
    ({"price": "price * 2"}, "k = 1"),
    ({"NAME": "upper(name) || k", "price": "NULL"}, "name IN ('n2', 'n3') OR price > 2"),
    ({"k": "k + 100"}, None),
    ({"name": "'all'"}, "k < 0"),
    ({"k": "CAST(price AS BIGINT)", "price": "k"}, "k % 2 = 0"),  # each sees the row as it was
]


@pytest.mark.parametrize(("values", "where"), UPDATES)
def test_an_update_is_what_it_is_at_home(
    far: lakeport.RemoteTable,
    near: lakeport.LakeTable,
    values: dict[str, str],
    where: str | None,
) -> None:
    done, expected = far.update(values, where), near.update(values, where)
    assert (done.rows, done.version) == (expected.rows, expected.version)
    assert content(far) == content(near)
    if done.rows:
        assert done.snapshot_id == far.history()[-1].snapshot_id


@pytest.mark.parametrize("where", ["k = 1", "name LIKE 'n%' AND price > 1", "k < 0", None])
def test_a_delete_is_what_it_is_at_home(
    far: lakeport.RemoteTable, near: lakeport.LakeTable, where: str | None
) -> None:
    done, expected = far.delete(where), near.delete(where)
    assert (done.rows, done.version) == (expected.rows, expected.version)
    assert content(far) == content(near)


REFUSED: list[tuple[dict[str, str], str | None, type[Exception]]] = [
    ({}, None, lakeport.InvalidRequestError),
    ({"k": "1", "K": "2"}, None, lakeport.InvalidRequestError),
    ({"none": "1"}, None, lakeport.NotFoundError),
    ({"k": "none + 1"}, None, lakeport.LakeportError),
    ({"k": "random()"}, None, lakeport.InvalidRequestError),
    ({"k": "1"}, "none = 1", lakeport.LakeportError),
    ({"k": "1"}, "", lakeport.InvalidRequestError),
    ({"k": "'x'"}, None, lakeport.InvalidRequestError),
]


@pytest.mark.parametrize(("values", "where", "error"), REFUSED)
def test_it_is_refused_in_the_words_of_home(
    far: lakeport.RemoteTable,
    near: lakeport.LakeTable,
    values: dict[str, str],
    where: str | None,
    error: type[Exception],
) -> None:
    with pytest.raises(error) as here:
        near.update(values, where)
    with pytest.raises(error) as there:
        far.update(values, where)
    assert type(here.value) is type(there.value)
    assert str(there.value).replace("shop.far", "shop.near") == str(here.value)
    assert content(far) == ROWS


def test_rules_hold(lake: lakeport.RemoteLake) -> None:
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), pa.field("n", pa.int64())])
    rules = (lakeport.PrimaryKey(("k",)), lakeport.Check("n >= 0", "positive"))
    table = lake.create_table("shop.ruled", lakeport.Definition(schema, constraints=rules))
    table.append([{"k": 1, "n": 1}, {"k": 2, "n": 2}])
    with pytest.raises(lakeport.KeyViolationError):
        table.update({"k": "1"})
    with pytest.raises(lakeport.ConstraintViolationError, match="positive"):
        table.update({"n": "n - 2"})
    assert table.update({"k": "3 - k"}).rows == 2  # all at once: no key is there twice


def test_many_batches_come_and_go() -> None:
    count = 200_000
    rows = pa.table({"k": range(count), "text": [f"a rather long text {k}" for k in range(count)]})
    with (
        FlightServer(AirportService([MemoryCatalog("lake")], People())) as server,
        lakeport.connect(server.address) as lake,
    ):
        table = lake.create_table("shop.many", rows.schema)
        table.append(rows)
        assert table.update({"text": "text || '!'", "k": "k * 2"}, "k % 3 > 0").rows == 133_333
        assert table.delete("text LIKE '%!'").rows == 133_333
        with table.scan(["k"]) as left:
            assert left.read_all().num_rows == count - 133_333


def test_who_was_slower_reads_anew(server: str, far: lakeport.RemoteTable) -> None:
    """A statement loses only to one that wins, and each of the two has fewer to win than it may lose."""
    failures: list[BaseException] = []

    def climb() -> None:
        try:
            with lakeport.connect(server) as lake:
                for _ in range(7):
                    lake.table("shop.far").update({"price": "price + 1"}, "k = 4")
        except BaseException as error:  # noqa: BLE001  it is asserted on
            failures.append(error)

    threads = [threading.Thread(target=climb) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert content(far)[4]["price"] == 15.0


def test_a_table_made_anew_in_the_middle_is_read_anew(
    catalog: Catalog, lake: lakeport.RemoteLake, far: lakeport.RemoteTable
) -> None:
    """Rows were read from the old one, whose ids mean rows of the new one, too."""
    taken: list[int] = []
    finish = Exchange.finish

    def late(self: Exchange) -> bytes:
        if not taken:
            home = Lake(catalog)
            home.drop_table("shop.far")
            home.create_table("shop.far", COLUMNS).append(
                [{"k": 1, "name": "new", "price": 0.0}, {"k": 5, "name": "other", "price": 0.0}]
            )
        taken.append(1)
        return finish(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exchange, "finish", late)
        assert far.delete("k > 3").rows == 1
    assert len(taken) == 2
    assert [row["name"] for row in content(lake.table("shop.far"))] == ["new"]


def test_both_reading_and_writing_must_be_granted(
    people: People, server: str, far: lakeport.RemoteTable
) -> None:
    held = {
        "reader": {Ability.READ},
        "writer": {Ability.WRITE},
        "both": {Ability.READ, Ability.WRITE},
    }
    people.by_token = {
        name: Identity(name, frozenset(Grant(each) for each in abilities))
        for name, abilities in held.items()
    }
    tables = {
        name: lakeport.RemoteTable(open_remote(server, name), far.name) for name in people.by_token
    }
    for name in ("reader", "writer"):
        with pytest.raises(lakeport.PermissionDeniedError):
            tables[name].delete("k = 1")
        with pytest.raises(lakeport.PermissionDeniedError):
            tables[name].update({"k": "k"}, "k = 1")
    assert tables["both"].delete("k = 1").rows == 1
