"""`ListDroppedTables` and `UndropTable`, for who may change the name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.system import SystemCatalog
from tests.airport.airport_server import People
from tests.airport.ddl.door import (
    DENIED,
    EXISTS,
    INVALID,
    NOT_FOUND,
    UNIMPLEMENTED,
    Door,
    opened,
)
from tests.catalog.iceberg.dropping import World, keys_of, stocked

PEOPLE = {
    "boss": [Grant(Ability.ADMIN)],
    "builder": [Grant(Ability.DDL, "shop.*")],
    "reader": [Grant(Ability.READ)],
}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    uri, state = f"sqlite:///{tmp_path}/catalog.db", f"sqlite:///{tmp_path}/state.db"
    world = World(Profile("lake", "embedded", uri, f"file://{tmp_path}/warehouse"), state)
    people = People({name: Identity(name, frozenset(held)) for name, held in PEOPLE.items()})
    with world.process() as catalog:
        stocked(catalog, 1, 2)
        with opened(catalog, people=people) as made:
            yield made


def by(door: Door, name: str) -> Door:
    return door.having(("authorization", f"Bearer {name}"))


def ask(door: Door, action: str, **body: object) -> Any:
    return json.loads(door.client.action(action, json.dumps(body).encode()))


def refused(door: Door, action: str, **body: object) -> Any:
    return door.refused_bytes(action, json.dumps(body).encode())


def test_a_table_dropped_over_the_wire_comes_back_over_the_wire(door: Door) -> None:
    builder = by(door, "builder")
    builder.nothing("drop_table", type="table", schema_name="shop", name="wares")
    (listed,) = ask(builder, "ListDroppedTables")
    assert set(listed) == {"name", "dropped_at", "uuid"}
    assert listed["name"] == "shop.wares"
    assert ask(builder, "UndropTable", table="Shop.WARES") == {"table": "shop.wares"}
    table: Any = door.catalog.namespace("shop").table("wares")
    assert keys_of(table) == [1, 2]
    assert ask(builder, "ListDroppedTables") == []


def test_who_may_not_change_it_does_not_see_it(door: Door) -> None:
    by(door, "boss").nothing("drop_table", schema_name="shop", name="wares")
    reader = by(door, "reader")
    assert ask(reader, "ListDroppedTables") == []
    assert refused(reader, "UndropTable", table="shop.wares")[0] is DENIED
    assert refused(reader, "UndropTable", table="shop.nosuch")[0] is DENIED
    code, text = refused(by(door, "builder"), "UndropTable", table="shop.ware")
    assert code is NOT_FOUND
    assert "shop.wares" in text


def test_what_cannot_come_back_says_why(door: Door) -> None:
    boss = by(door, "boss")
    assert refused(boss, "UndropTable", table="shop.wares")[0] is NOT_FOUND
    assert refused(boss, "UndropTable", table="wares")[0] is INVALID
    assert refused(boss, "UndropTable")[0] is INVALID
    assert refused(boss, "UndropTable", table="shop.wares", catalog_name="no")[0] is NOT_FOUND
    boss.nothing("drop_table", schema_name="shop", name="wares")
    stocked(door.catalog, 5)  # type: ignore[arg-type]  # the fixture's own catalog
    assert refused(boss, "UndropTable", table="shop.wares")[0] is EXISTS


def test_a_catalog_that_remembers_nothing_says_so() -> None:
    def overlay(inner: Any, identity: Identity) -> Any:
        del identity
        return SystemCatalog(inner, None)  # type: ignore[arg-type]  # no row is asked for

    for more in ({}, {"overlay": overlay}):
        with opened(MemoryCatalog("lake"), **more) as door:
            assert refused(door, "ListDroppedTables")[0] is UNIMPLEMENTED
            assert refused(door, "UndropTable", table="a.b")[0] is UNIMPLEMENTED
