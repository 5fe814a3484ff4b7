"""`lakeport.connect` changes a lake: what it makes is what `lakeport.open` makes, over a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

import lakeport
from lakeport.airport.service import AirportService
from lakeport.app.lake.lake import Lake
from lakeport.catalog.changes import Change
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Table
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People

STOCK = lakeport.Definition(
    pa.schema(
        [
            pa.field("k", pa.int64(), nullable=False),
            lakeport.with_default(pa.field("name", pa.string()), "'none'"),
            lakeport.with_comment(pa.field('odd "name"', pa.uint64()), "ключ"),
            pa.field("deep", pa.struct([("x", pa.int32()), ("y", pa.string())])),
        ]
    ),
    constraints=(
        lakeport.PrimaryKey(("name", "k")),
        lakeport.Unique(('odd "name"',), 'one "odd"'),
        lakeport.Check("k > 0 -- not zero", "positive"),
    ),
    comment="with rules",
    partitioned_by=("bucket(4, k)",),
    sorted_by=("k desc",),
)


@pytest.fixture
def catalog() -> MemoryCatalog:
    return MemoryCatalog("lake")


@pytest.fixture
def lake(catalog: MemoryCatalog) -> Iterator[lakeport.RemoteLake]:
    service = AirportService([catalog], People())
    with FlightServer(service) as server, lakeport.connect(server.address) as lake:
        yield lake


def port(catalog: MemoryCatalog, table: str) -> Table:
    return catalog.namespace("shop").table(table)


def test_a_definition_arrives_whole(catalog: MemoryCatalog, lake: lakeport.RemoteLake) -> None:
    made = lake.create_table("shop.stock", STOCK)
    Lake(catalog).create_table("shop.same", STOCK)
    assert port(catalog, "stock").state().definition == port(catalog, "same").state().definition
    assert made.name == "shop.stock"
    assert made.schema == port(catalog, "same").state().definition.schema
    with pytest.raises(lakeport.AlreadyExistsError):
        lake.create_table("SHOP.Stock", STOCK)
    assert lake.create_table("SHOP.Stock", STOCK, on_conflict="ignore").name == "shop.stock"
    with pytest.raises(lakeport.UnsupportedError, match="properties"):
        lake.create_table("a.b", lakeport.Definition(STOCK.schema, properties={"a": "b"}))
    assert [info.name for info in lake.namespaces()] == ["shop"]


def test_a_namespace_made_for_a_table_goes_with_its_failure(lake: lakeport.RemoteLake) -> None:
    with pytest.raises(lakeport.LakeportError):
        lake.create_table("fresh.table", {"a": pa.int8(), "A": pa.int8()})
    with pytest.raises(lakeport.InvalidRequestError, match="no namespace"):
        lake.create_table("table", {"a": pa.int8()})
    assert lake.namespaces() == []
    lake.create_namespace("own", "mine")
    assert [(info.name, info.comment) for info in lake.namespaces()] == [("own", "mine")]
    lake.drop_namespace("own")
    assert lake.namespaces() == []


def test_rows_are_appended_and_replaced(lake: lakeport.RemoteLake) -> None:
    items = lake.create_table("shop.items", {"k": pa.int64(), "at": pa.date32()})
    done = items.append([{"k": 1}, {"at": None, "K": 2}])
    assert (done.rows, done.version) == (2, 1)
    assert done.snapshot_id == items.history()[-1].snapshot_id
    assert items.append(pa.table({"k": pa.array([3], pa.int8())})).version == 2
    assert items.append(iter([])).rows == 0
    with pytest.raises(lakeport.InvalidRequestError, match="no column `kk`"):
        items.append([{"kk": 1}])
    with pytest.raises(lakeport.InvalidRequestError, match="a row cannot be int"):
        items.append([{"k": 9}, 5])  # type: ignore[list-item]
    assert read(items) == [1, 2, 3]
    assert items.overwrite([{"k": 7}]).version == 3
    assert read(items) == [7]


def test_rows_that_break_a_rule_leave_nothing(lake: lakeport.RemoteLake) -> None:
    stock = lake.create_table("shop.stock", STOCK)
    stock.append([{"k": 1}])
    with pytest.raises(lakeport.KeyViolationError):
        stock.append([{"k": 2}, {"k": 1}])
    with pytest.raises(lakeport.ConstraintViolationError, match="positive"):
        stock.append({"k": number} for number in range(50_000, -1, -1))
    assert read(stock) == [1]


def read(table: lakeport.RemoteTable) -> list[int]:
    with table.scan(["k"]) as rows:
        return sorted(row["k"] for row in rows.read_all().to_pylist())


CHANGES: list[Change] = [
    lakeport.AddColumn(lakeport.with_default(pa.field("extra", pa.int32()), "7")),
    lakeport.AddColumn(pa.field("extra", pa.int32()), if_absent=True),
    lakeport.AddField(("deep",), pa.field("z", pa.bool_())),
    lakeport.RenameColumn("extra", "more"),
    lakeport.ChangeType("more", pa.string(), "more || '!'"),
    lakeport.SetDefault("more", "'m'"),
    lakeport.SetDefault("name", None),
    lakeport.RequireColumn("more"),
    lakeport.RelaxColumn(("more",)),
    lakeport.RenameField(("deep", "z"), "zz"),
    lakeport.DropField(("deep", "zz")),
    lakeport.AddConstraint(lakeport.Check("length(more) < 9", "short")),
    lakeport.DropColumn("more", cascade=True),
]


def test_changes_are_what_they_are_at_home(
    catalog: MemoryCatalog, lake: lakeport.RemoteLake
) -> None:
    far = lake.create_table("shop.far", STOCK)
    near = Lake(catalog).create_table("shop.near", STOCK)
    for change in CHANGES:
        far.alter(change)
        near.alter(change)
        assert port(catalog, "far").state().definition == near.port.state().definition


@pytest.mark.parametrize(
    "change",
    [
        lakeport.SetComment("k", "x"),
        lakeport.DropConstraint("positive"),
        lakeport.RelaxColumn(("deep", "x")),
        lakeport.WidenColumn(("deep", "x"), pa.int64()),
    ],
    ids=lambda change: type(change).__name__,
)
def test_what_no_action_says_is_refused(lake: lakeport.RemoteLake, change: Change) -> None:
    stock = lake.create_table("shop.stock", STOCK)
    with pytest.raises(lakeport.UnsupportedError, match="can be sent to a server"):
        stock.alter(change)
    assert len(stock.history()) == 0


def test_tables_are_renamed_and_dropped(lake: lakeport.RemoteLake) -> None:
    lake.create_table("shop.a", {"k": pa.int64()})
    assert lake.rename_table("SHOP.a", "b").name == "shop.b"
    assert lake.rename_table("shop.b", "shop.c").name == "shop.c"
    with pytest.raises(lakeport.InvalidRequestError, match="cannot move"):
        lake.rename_table("shop.c", "other.c")
    lake.drop_table("Shop.C")
    gone: list[Callable[[str], object]] = [lake.drop_table, lake.table]
    for ask in gone:
        with pytest.raises(lakeport.NotFoundError):
            ask("shop.c")
