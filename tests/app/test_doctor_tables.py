"""What `doctor` says of tables that other programs wrote to, which know nothing of our constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.table import Table

from lakeport.app.doctor import State
from lakeport.app.doctor.report import Check as Told
from lakeport.app.doctor.tables import checks
from lakeport.app.initialize import initialize
from lakeport.app.settings import Settings, load
from lakeport.app.wiring import open_catalog
from lakeport.catalog.definition import Check, Constraint, Definition, PrimaryKey, Unique
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.statements import insert_rows

SCHEMA = pa.schema([pa.field("k", pa.int64(), nullable=False), pa.field("price", pa.int64())])
KEY = PrimaryKey(("k",), "orders_pk")
POSITIVE = Check("price > 0", "positive")


@dataclass(frozen=True, slots=True)
class Shop:
    settings: Settings
    catalog: IcebergCatalog

    def create(self, *constraints: Constraint, name: str = "orders") -> None:
        definition = Definition(SCHEMA, constraints)
        table = self.catalog.namespace("shop").create_table(name, definition)
        insert_rows(table, rows((1, 10), (2, 20)))

    def foreign(self, name: str = "orders") -> Table:
        """The table as PyIceberg has it, for writes that we have no part in."""
        return self.catalog.pyiceberg.load_table(("shop", name))

    def checks(self, *, deep: bool = False) -> tuple[Told, ...]:
        return checks(self.settings, deep=deep)


def rows(*values: tuple[int, int | None]) -> pa.Table:
    return pa.Table.from_pylist([{"k": k, "price": price} for k, price in values], SCHEMA)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    initialize(tmp_path)
    settings = load(folder=tmp_path, variables={})
    catalog = open_catalog(settings)
    catalog.create_namespace(NamespaceInfo("shop"))
    yield Shop(settings, catalog)
    catalog.close()


def problems(found: Sequence[Told]) -> list[tuple[str, State, str]]:
    return [(check.name, check.state, check.found) for check in found]


def test_a_lake_without_a_catalog_has_no_tables_to_check(tmp_path: Path) -> None:
    initialize(tmp_path)
    assert checks(load(folder=tmp_path, variables={}), deep=True) == ()
    assert not list(tmp_path.rglob("*.db"))


def test_tables_of_our_own_writing_are_sound(shop: Shop) -> None:
    shop.create(KEY, POSITIVE)
    assert problems(shop.checks()) == [
        ("tables", State.OK, "1 table, 1 with constraints that can be kept")
    ]
    assert problems(shop.checks(deep=True)) == [
        ("tables", State.OK, "1 table, all rows keep the constraints of 1")
    ]


def test_a_table_that_others_wrote_to_is_worth_a_deeper_look(shop: Shop) -> None:
    shop.create(KEY)
    shop.foreign().append(rows((3, 1)))
    (told,) = shop.checks()
    assert (told.name, told.state) == ("table shop.orders", State.WARN)
    assert told.found == "has constraints, and was written to by another program"
    assert "--deep" in (told.remedy or "")
    assert shop.checks(deep=True)[0].state is State.OK


def test_rows_that_break_a_check_or_a_key_are_found_by_reading(shop: Shop) -> None:
    shop.create(KEY, POSITIVE, Unique(("price",), "one_price"))
    shop.foreign().append(rows((2, -5), (7, 10), (8, None), (9, None)))
    found = problems(shop.checks(deep=True))
    assert {state for _, state, _ in found} == {State.FAIL}
    told = [text for _, _, text in found]
    assert len(told) == 3
    assert "positive" in told[0]
    assert "-5" in told[0]
    assert told[1].startswith("PRIMARY KEY `orders_pk` (k)")
    assert told[2].startswith("UNIQUE `one_price` (price)")
    assert "10" in told[2]


def test_a_constraint_whose_column_is_gone_is_found_without_reading(shop: Shop) -> None:
    shop.create(POSITIVE)
    with shop.foreign().update_schema() as change:
        change.delete_column("price")
    (told,) = (check for check in shop.checks() if check.state is State.FAIL)
    assert "positive" in told.found
    assert "cannot be checked" in told.found
    assert "drop the constraint" in (told.remedy or "")
    # It is said once, and does not stop the rest from being looked at.
    assert [check.state for check in shop.checks(deep=True)] == [State.FAIL]


def test_a_table_that_cannot_be_opened_is_named_and_hides_no_other(shop: Shop) -> None:
    shop.create(name="lost")
    shop.create(name="sound")
    location = shop.foreign("lost").metadata_location
    Path(location.removeprefix("file://")).unlink()
    lost, sound = shop.checks()
    assert (lost.name, lost.state) == ("table shop.lost", State.FAIL)
    assert "missing" in lost.found
    assert sound.state is State.OK
