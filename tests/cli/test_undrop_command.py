"""`lakeport undrop` as a person types it, here and at a server."""

from __future__ import annotations

import json
from pathlib import Path

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest

import lakeport as api
from tests.cli.conftest import Run
from tests.cli.served import fl, serve


@pytest.fixture
def shop(lakeport: Run) -> Run:
    """A project with `shop.orders`, two rows, dropped."""
    assert lakeport("init").code == 0
    Path("two.csv").write_text("k\n1\n2\n")
    assert lakeport("load", "shop.orders", "two.csv").code == 0
    with api.open() as lake:
        lake.drop_table("shop.orders")
    return lakeport


def test_a_dropped_table_is_listed_and_comes_back(shop: Run) -> None:
    assert shop("read", "shop.orders").code == 1
    listed = json.loads(shop("undrop", "--list", "--json").out)
    (table,) = listed["dropped"]
    assert table["name"] == "shop.orders"
    assert table["dropped_at"].endswith("Z")
    shown = shop("undrop", "--list")
    assert (shown.code, shown.err) == (0, "")
    assert "shop.orders" in shown.out
    assert table["uuid"] in shown.out
    done = shop("undrop", "Shop.Orders")
    assert (done.code, done.out, done.err) == (0, "back: shop.orders\n", "")
    assert json.loads(shop("read", "shop.orders", "--format", "json").out) == [{"k": 1}, {"k": 2}]
    assert shop("undrop", "--list").out == "no dropped table can be brought back\n"


def test_its_namespace_is_made_again(shop: Run) -> None:
    with api.open() as lake:
        lake.drop_namespace("shop")
        assert [each.name for each in lake.dropped_tables()] == ["shop.orders"]
    assert shop("undrop", "shop.orders").code == 0
    assert "shop.orders" in shop("tables").out


def test_from_python(shop: Run) -> None:
    with api.open() as lake:
        table = lake.undrop_table("shop.orders")
        with table.scan() as rows:
            assert rows.read_all().num_rows == 2
        with pytest.raises(api.NotFoundError):
            lake.undrop_table("shop.orders")
        with pytest.raises(api.InvalidRequestError):
            lake.undrop_table("orders")
    assert shop("history", "shop.orders").code == 0


def test_what_cannot_be_done_says_why(shop: Run) -> None:
    assert shop("undrop").code == 2
    assert shop("undrop", "shop.orders", "--list").code == 2
    missing = shop("undrop", "shop.order")
    assert missing.code == 1
    assert "did you mean `shop.orders`" in missing.err
    assert shop("load", "shop.orders", "two.csv").code == 0
    taken = shop("undrop", "shop.orders")
    assert taken.code == 1
    assert "rename or drop the one that is there" in taken.err
    # A name that cannot be had leaves no namespace behind.
    other = shop("undrop", "nosuch.table")
    assert other.code == 1
    with api.open() as lake:
        assert [info.name for info in lake.namespaces()] == ["shop"]


def test_maintain_lets_it_go_once_its_time_is_over(shop: Run) -> None:
    kept = shop("maintain", "--json")
    assert json.loads(kept.out)["dropped"] == []
    soon = ("--set", "maintenance.undrop_days=0")
    listed = shop("undrop", "--list", *soon)
    assert "no dropped table" in listed.out
    rehearsed = json.loads(shop("maintain", "--dry-run", "--json", *soon).out)["dropped"]
    assert rehearsed[0]["files"] > 0
    assert shop("maintain", "--only", "expire", "--json", *soon).code == 0
    assert list(Path(".lakeport").rglob("*.parquet"))
    shown = shop("maintain", *soon)
    assert (shown.code, shown.err) == (0, "")
    assert "dropped too long ago to come back" in shown.out
    assert not list(Path(".lakeport").rglob("*.parquet"))
    assert not list(Path(".lakeport").rglob("*.metadata.json"))
    assert shop("undrop", "shop.orders").code == 1


def test_a_server_drops_and_brings_back(shop: Run) -> None:
    assert shop("undrop", "shop.orders").code == 0
    with serve(Path.cwd()) as served:
        body = msgpack.packb({"type": "table", "schema_name": "shop", "name": "orders"})
        with served.client() as client:
            assert list(client.do_action(fl.Action("drop_table", body))) == []
        at = ("--server", served.grpc)
        listed = json.loads(shop("undrop", "--list", "--json", *at).out)["dropped"]
        assert [each["name"] for each in listed] == ["shop.orders"]
        # What the server dropped is known here, too: they share the project.
        assert "shop.orders" in shop("undrop", "--list").out
        missing = shop("undrop", "shop.order", *at)
        assert missing.code == 1
        done = shop("undrop", "shop.orders", *at)
        assert (done.code, done.out) == (0, "back: shop.orders\n")
        assert json.loads(shop("read", "shop.orders", "--format", "json", *at).out)
