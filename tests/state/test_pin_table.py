"""Pins in the store: the first server decides for all, an hour and a new definition end it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from lakeport.state import NameKey, Pin, PinKey, PinTable, Store
from lakeport.state.database import Database

KEY = PinKey("0b0ffe5e-0000-4000-8000-000000000001", "lake", "u")
NAME = NameKey(KEY.transaction, "lake", "shop", "items")
HOUR = 3_600_000_000_000


@pytest.fixture
def stores(url: str) -> Iterator[tuple[Store, Store]]:
    with Store.open(url) as one, Store.open(url) as other:
        yield one, other


def test_who_comes_first_decides_for_all(stores: tuple[Store, Store]) -> None:
    one, other = (store.pins for store in stores)
    assert one.first(KEY, Pin(1, 0)) == Pin(1, 0)
    assert other.first(KEY, Pin(2, 0)) == Pin(1, 0)
    assert other.first(KEY._replace(catalog="eu"), Pin(2, 0)) == Pin(2, 0)
    assert one.first(KEY._replace(uuid="v"), Pin(None, 0)) == Pin(None, 0)
    assert other.first(KEY._replace(uuid="v"), Pin(3, 0)) == Pin(None, 0)


def test_other_columns_begin_anew(stores: tuple[Store, Store]) -> None:
    one, other = (store.pins for store in stores)
    one.first(KEY, Pin(1, 0))
    assert other.first(KEY, Pin(2, 1)) == Pin(2, 1)
    assert one.first(KEY, Pin(3, 1)) == Pin(2, 1)


def test_a_write_moves_it_and_a_definition_drops_it(stores: tuple[Store, Store]) -> None:
    one, other = (store.pins for store in stores)
    one.put(KEY, Pin(4, 0))
    other.put(KEY, Pin(5, 0))
    assert one.first(KEY, Pin(7, 0)) == Pin(5, 0)
    other.drop("lake", "u")
    assert one.first(KEY, Pin(7, 0)) == Pin(7, 0)


def test_an_hour_ends_it_and_the_next_one_sweeps_it_out(url: str) -> None:
    now = [0]
    database = Database(url)
    pins = PinTable(database, clock=lambda: now[0])
    pins.first(KEY, Pin(1, 0))
    now[0] = HOUR - 1
    assert pins.first(KEY, Pin(2, 0)) == Pin(1, 0)
    now[0] = HOUR
    pins.first(KEY._replace(transaction="other"), Pin(3, 0))
    with database.reading() as connection:
        kept = (
            connection.exec_driver_sql("SELECT transaction_id FROM lakeport_pins").scalars().all()
        )
    assert kept == ["other"]
    assert pins.first(KEY, Pin(2, 0)) == Pin(2, 0)
    database.close()


def test_a_name_means_what_it_meant_first(stores: tuple[Store, Store]) -> None:
    one, other = (store.pins for store in stores)
    assert one.meant(NAME, "u") == "u"
    assert other.meant(NAME, "v") == "u"
    others = [NAME._replace(**{part: "other"}) for part in NAME._fields]
    assert [other.meant(key, "v") for key in others] == ["v"] * 4
    one.drop("lake", "u")  # a new definition is no new table
    assert one.meant(NAME, "w") == "u"


def test_an_hour_ends_a_meaning_too(url: str) -> None:
    now = [0]
    database = Database(url)
    pins = PinTable(database, clock=lambda: now[0])
    pins.meant(NAME, "u")
    now[0] = HOUR - 1
    assert pins.meant(NAME, "v") == "u"
    now[0] = HOUR
    assert pins.meant(NAME, "v") == "v"
    database.close()


def test_of_many_who_come_at_once_one_is_first(url: str) -> None:
    answers: set[Pin] = set()
    barrier = threading.Barrier(6)

    def ask(snapshot: int) -> None:
        with Store.open(url) as store:
            barrier.wait()
            answers.add(store.pins.first(KEY, Pin(snapshot, 0)))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 1
