"""Dropped tables on Postgres, remembered in the same database or in one of their own."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import ConflictError, LakeportError, NotFoundError
from lakeport.core.names import TableName
from tests.catalog.iceberg.dropping import World, files_in, keys_of, stocked

NAME = TableName("shop", "wares")


@pytest.fixture
def world(profile: Profile) -> World:
    assert profile.uri is not None
    return World(profile, profile.uri)


def test_a_dropped_table_comes_back_for_every_process(world: World, tmp_path: Path) -> None:
    with world.process() as catalog:
        stocked(catalog, 1, 2)
        catalog.namespace("shop").drop_table("wares")
    with world.process() as another, world.process() as third:
        assert [each.name for each in third.dropped_tables()] == [NAME]
        assert keys_of(another.undrop_table(NAME)) == [1, 2]
        assert keys_of(third.namespace("shop").table("wares")) == [1, 2]
        third.namespace("shop").drop_table("wares")
        world.pass_days(8)
        with pytest.raises(NotFoundError):
            another.undrop_table(NAME)
        (done,) = another.remove_dropped()
        assert (done.left, done.problem) == (0, None)
        assert files_in(tmp_path / "warehouse") == set()


def test_what_was_acknowledged_before_the_drop_is_there_after_it(world: World) -> None:
    """Others write while it is dropped: each row they were told is there comes back."""
    acknowledged: list[int] = []

    def write(begin: int) -> None:
        with world.process() as mine:
            try:
                table = mine.namespace("shop").table("wares")
                for key in range(begin, begin + 50):
                    insert_rows(table, [{"k": key}])
                    acknowledged.append(key)
            except (NotFoundError, ConflictError):
                return

    with world.process() as catalog:
        stocked(catalog, 1)
        threads = [threading.Thread(target=write, args=(begin,)) for begin in (100, 200)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 5:
            threads[0].join(0.01)
        catalog.namespace("shop").drop_table("wares")
        for thread in threads:
            thread.join()
        assert keys_of(catalog.undrop_table(NAME)) == sorted([1, *acknowledged])


def test_one_of_several_brings_it_back(world: World) -> None:
    outcomes: list[str] = []
    barrier = threading.Barrier(4)

    def undrop() -> None:
        with world.process() as mine:
            barrier.wait()
            try:
                mine.undrop_table(NAME)
                outcomes.append("back")
            except LakeportError as error:
                outcomes.append(error.code)

    with world.process() as catalog:
        stocked(catalog, 1)
        catalog.namespace("shop").drop_table("wares")
        threads = [threading.Thread(target=undrop) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes.count("back") == 1
        assert set(outcomes) <= {"back", "already_exists", "not_found"}
        assert keys_of(catalog.namespace("shop").table("wares")) == [1]
