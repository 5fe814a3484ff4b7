"""Dropped tables: remembered, spared, brought back, and let go in the end. In SQLite and by a service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import AlreadyExistsError, NotFoundError, PreconditionError
from lakeport.core.names import TableName
from lakeport.state import Store, StoredDrop
from tests.catalog.iceberg.dropping import WARES, World, files_in, keys_of, stocked
from tests.catalog.iceberg.rest_server import rest_server

NAME = TableName("shop", "wares")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture(params=["embedded", "rest"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    state = f"sqlite:///{tmp_path}/state.db"
    if request.param == "embedded":
        uri = f"sqlite:///{tmp_path}/catalog.db"
        yield World(Profile("lake", "embedded", uri, f"file://{tmp_path}/warehouse"), state)
        return
    with rest_server(tmp_path) as server:
        yield World(server.profile(), state)


def test_a_dropped_table_comes_back_as_it_was(world: World) -> None:
    with world.process() as catalog:
        table = stocked(catalog, 1, 2)
        before, history = table.state(), table.history()
        catalog.namespace("shop").drop_table("WARES")
        with pytest.raises(NotFoundError):
            catalog.namespace("shop").table("wares")
        (listed,) = catalog.dropped_tables()
        assert (listed.name, listed.uuid, listed.dropped_ns) == (NAME, before.uuid, world.now)
        version = catalog.version().number
        back = catalog.undrop_table(TableName("Shop", "Wares"))
        assert back.state() == before
        assert back.history() == history
        assert keys_of(back) == [1, 2]
        assert catalog.version().number > version
        assert catalog.dropped_tables() == []


def test_another_process_brings_it_back(world: World) -> None:
    with world.process() as catalog:
        stocked(catalog, 1)
        catalog.namespace("shop").drop_table("wares")
    with world.process() as another, world.process() as third:
        assert [each.name for each in third.dropped_tables()] == [NAME]
        assert keys_of(another.undrop_table(NAME)) == [1]
        assert keys_of(third.namespace("shop").table("wares")) == [1]
        assert third.dropped_tables() == []
        with pytest.raises(NotFoundError):
            third.undrop_table(NAME)


def test_a_name_that_is_taken_is_left_alone(world: World) -> None:
    with world.process() as catalog:
        stocked(catalog, 1)
        namespace = catalog.namespace("shop")
        namespace.drop_table("wares")
        stocked(catalog, 2, name="Wares")
        with pytest.raises(AlreadyExistsError, match=r"shop\.wares"):
            catalog.undrop_table(NAME)
        assert keys_of(namespace.table("wares")) == [2]
        namespace.rename_table("wares", "others")
        assert keys_of(catalog.undrop_table(NAME)) == [1]
        assert keys_of(namespace.table("others")) == [2]


def test_the_last_one_of_a_name_comes_first(world: World) -> None:
    with world.process() as catalog:
        for key in (1, 2):
            stocked(catalog, key)
            catalog.namespace("shop").drop_table("wares")
            world.pass_days(1)
        assert len(catalog.dropped_tables()) == 2
        assert keys_of(catalog.undrop_table(NAME)) == [2]
        catalog.namespace("shop").rename_table("wares", "newer")
        assert keys_of(catalog.undrop_table(NAME)) == [1]


def test_a_namespace_that_is_gone_is_asked_for(world: World) -> None:
    with world.process() as catalog:
        stocked(catalog, 1)
        catalog.namespace("shop").drop_table("wares")
        catalog.drop_namespace("shop")
        with pytest.raises(NotFoundError):
            catalog.undrop_table(NAME)
        catalog.create_namespace(NamespaceInfo("shop"))
        assert keys_of(catalog.undrop_table(NAME)) == [1]


def test_what_was_never_dropped_is_not_found(world: World) -> None:
    with world.process() as catalog:
        stocked(catalog, 1)
        catalog.namespace("shop").drop_table("wares")
        with pytest.raises(NotFoundError, match=r"did you mean `shop\.wares`"):
            catalog.undrop_table(TableName("shop", "ware"))


def test_after_its_time_it_does_not_come_back_and_its_files_go(world: World, folder: Path) -> None:
    with world.process(days=7) as catalog:
        stocked(catalog, 1, 2)
        stocked(catalog, 3, name="kept")
        kept = files_in(folder) - {each for each in files_in(folder) if "/wares" in each}
        catalog.namespace("shop").drop_table("wares")
        world.pass_days(6.9)
        held = files_in(folder)
        assert catalog.remove_dropped() == []
        assert files_in(folder) == held
        world.pass_days(0.2)
        assert catalog.dropped_tables() == []
        with pytest.raises(NotFoundError, match="7 days"):
            catalog.undrop_table(NAME)
        (rehearsed,) = catalog.remove_dropped(dry_run=True)
        assert rehearsed.files > 0
        assert files_in(folder) == held
        (done,) = catalog.remove_dropped()
        assert (done.table.name, done.left, done.problem) == (NAME, 0, None)
        assert (done.files, done.bytes) == (rehearsed.files, rehearsed.bytes)
        assert files_in(folder) == kept
        assert keys_of(catalog.namespace("shop").table("kept")) == [3]
        assert catalog.remove_dropped() == []


def test_a_table_in_its_place_spares_its_files(world: World, folder: Path) -> None:
    """A service gives a new table the folder of the one that had its name."""
    with world.process() as catalog:
        stocked(catalog, 1, 2)
        catalog.namespace("shop").drop_table("wares")
        held = files_in(folder)
        new = stocked(catalog, 5)
        assert list(new.orphans(grace=0)) == []
        new.remove_orphans(grace=0)
        assert held <= files_in(folder)
        catalog.namespace("shop").rename_table("wares", "newer")
        assert keys_of(catalog.undrop_table(NAME)) == [1, 2]


def test_a_table_in_its_place_clears_up_after_its_time(world: World, folder: Path) -> None:
    with world.process() as catalog:
        stocked(catalog, 1, 2)
        catalog.namespace("shop").drop_table("wares")
        held = files_in(folder)
        new = stocked(catalog, 5)
        world.pass_days(8)
        (done,) = catalog.remove_dropped()
        assert done.left == 0
        new.remove_orphans(grace=0)
        assert not held & files_in(folder)
        assert keys_of(new) == [5]


def test_a_drop_that_did_not_happen_changes_nothing(world: World, folder: Path) -> None:
    """A process wrote the record, and died before it took the name away."""
    with world.process() as catalog:
        table = stocked(catalog, 1)
        metadata = table.source().metadata
        with Store.open(world.state) as store:
            pointer = catalog.pyiceberg.load_table(("shop", "wares")).metadata_location
            uuid = str(metadata.table_uuid)
            record = StoredDrop("shop", "wares", uuid, metadata.location, pointer, world.now)
            store.dropped.add("lake", record)
        assert catalog.dropped_tables() == []
        with pytest.raises(NotFoundError):
            catalog.undrop_table(NAME)
        world.pass_days(8)
        # What another process is just writing is named by nothing yet.
        data = Path(metadata.location.removeprefix("file://")) / "data"
        (data / "not-committed-yet.parquet").write_bytes(b"rows")
        held = files_in(folder)
        (done,) = catalog.remove_dropped()
        assert (done.files, done.problem) == (0, None)
        assert files_in(folder) == held
        assert keys_of(table) == [1]
        assert catalog.remove_dropped() == []


def test_a_table_whose_metadata_is_lost_can_be_dropped(world: World, folder: Path) -> None:
    with world.process() as catalog:
        stocked(catalog, 1)
    for path in folder.rglob("*.metadata.json"):
        path.unlink()
    with world.process() as catalog:
        if world.profile.type == "rest":
            pytest.skip("the service cannot drop what it cannot load")
        catalog.namespace("shop").drop_table("wares")
        assert list(catalog.namespace("shop").tables()) == []
        assert catalog.dropped_tables() == []


def test_what_has_lost_its_files_says_so(world: World, folder: Path) -> None:
    if world.profile.type == "rest":
        pytest.skip("the service answers in its own words")
    with world.process() as catalog:
        stocked(catalog, 1)
        catalog.namespace("shop").drop_table("wares")
    for path in folder.rglob("*.metadata.json"):
        path.unlink()
    with world.process() as catalog:
        with pytest.raises(PreconditionError, match="cannot be brought back"):
            catalog.undrop_table(NAME)
        assert list(catalog.namespace("shop").tables()) == []
        world.pass_days(8)
        (done,) = catalog.remove_dropped()
        assert done.problem is None
        assert files_in(folder) == set()


def test_files_that_it_shares_are_left(world: World, folder: Path) -> None:
    with world.process() as catalog:
        shared = replace(WARES, properties={"gc.enabled": "false"})
        catalog.create_namespace(NamespaceInfo("shop")).create_table("wares", shared)
        insert_rows(catalog.namespace("shop").table("wares"), [{"k": 1}])
        catalog.namespace("shop").drop_table("wares")
        held = files_in(folder)
        world.pass_days(8)
        (done,) = catalog.remove_dropped()
        assert (done.files, done.problem) == (0, None)
        assert files_in(folder) == held


def test_without_a_memory_a_table_is_dropped_for_good(world: World) -> None:
    with world.process() as catalog:
        stocked(catalog, 1)
    with IcebergCatalog(world.profile) as catalog:
        catalog.namespace("shop").drop_table("wares")
        assert catalog.dropped_tables() == []
        assert catalog.remove_dropped() == []
        catalog.namespace("shop").create_table("wares", WARES)
