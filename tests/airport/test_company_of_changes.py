"""Two servers over one lake, DuckDB attached to both, and somebody else who changes the table.

DuckDB never lists a catalog again, and crashes on columns it was not told of: it gets the columns that
it holds, or a refusal that says what to do, from whichever server it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.catalog.changes import AddColumn, DropColumn, RenameColumn
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import ORDERS, fill
from tests.airport.scans.duck import Duck, ordered, serve
from tests.airport.traces.client_view import catalog_entries

Change: TypeAlias = Callable[[IcebergCatalog], None]


def _orders(lake: IcebergCatalog) -> IcebergTable:
    return lake.namespace("shop").table("orders")


def add(lake: IcebergCatalog) -> None:
    _orders(lake).alter([AddColumn(pa.field("more", pa.int32()))])


def rename(lake: IcebergCatalog) -> None:
    _orders(lake).alter([RenameColumn("v", "value")])


def drop(lake: IcebergCatalog) -> None:
    _orders(lake).alter([DropColumn("v")])


def make_anew(lake: IcebergCatalog) -> None:
    shop = lake.namespace("shop")
    shop.drop_table("orders")
    fill(shop.create_table("orders", Definition(ORDERS)))


def insert(lake: IcebergCatalog) -> None:
    fill(_orders(lake))


NAMES = ["id", "name", "v", "rowid"]


@dataclass
class Company:
    """DuckDB as it is attached to each of two servers; `orders` is what it was told of the table."""

    ducks: list[Duck]
    orders: FlightDescriptor
    elsewhere: IcebergCatalog
    """The same lake, opened as another process opens it: the servers learn nothing of its changes."""

    def again(self) -> list[Duck]:
        """Each with its next statement."""
        return [duck.begin() for duck in self.ducks]

    def versions(self) -> list[int]:
        answers = [duck.action("catalog_version", {"catalog_name": "lake"}) for duck in self.ducks]
        return [msgpack.unpackb(answer)["catalog_version"] for answer in answers]


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    where = f"sqlite:///{tmp_path / 'catalog.db'}", f"file://{tmp_path / 'warehouse'}"
    with ExitStack() as stack:
        lakes = [
            stack.enter_context(IcebergCatalog(Profile("lake", "embedded", *where)))
            for _ in range(3)
        ]
        namespace = lakes[2].create_namespace(NamespaceInfo("shop"))
        fill(namespace.create_table("orders", Definition(ORDERS)))
        servers = [stack.enter_context(serve(lake)) for lake in lakes[:2]]
        clients = [stack.enter_context(fl.connect(server.address)) for server in servers]
        ducks = [Duck(client).begin() for client in clients]
        listed = [duck.action("list_schemas", {"catalog_name": "lake"}) for duck in ducks]
        told = {catalog_entries(each, "lake")["shop", "orders"].descriptor for each in listed}
        (descriptor,) = told
        yield Company(ducks, FlightDescriptor.decode(descriptor), lakes[2])


def test_a_new_column_is_left_out(company: Company) -> None:
    before = company.versions()
    add(company.elsewhere)
    for duck in company.again():
        rows = duck.scan(company.orders)
        assert rows.column_names == NAMES
        assert ordered(rows, "id") == [1, 2, 3]
    assert all(now > then for now, then in zip(company.versions(), before, strict=True))


@pytest.mark.parametrize("change", [rename, drop])
def test_a_column_that_is_gone_is_refused_and_the_others_are_read(
    company: Company, change: Change
) -> None:
    change(company.elsewhere)
    for duck in company.again():
        with pytest.raises(pa.ArrowInvalid, match=r"`v`.*DETACH the catalog and ATTACH it again"):
            duck.scan(company.orders)
        rows = duck.scan(company.orders, column_ids=[0])
        assert rows.column_names == NAMES
        assert ordered(rows, "id") == [1, 2, 3]


def test_a_table_made_anew_is_refused(company: Company) -> None:
    make_anew(company.elsewhere)
    for duck in company.again():
        with pytest.raises(pa.ArrowInvalid, match=r"replaced.*DETACH the catalog and ATTACH it"):
            duck.scan(company.orders)


def test_rows_written_elsewhere_are_seen_by_the_next_statement(company: Company) -> None:
    before = company.versions()
    for duck in company.ducks:
        assert ordered(duck.scan(company.orders), "id") == [1, 2, 3]
    insert(company.elsewhere)
    for duck in company.ducks:  # still inside its transaction
        assert ordered(duck.scan(company.orders), "id") == [1, 2, 3]
    for duck in company.again():
        assert ordered(duck.scan(company.orders), "id") == [1, 1, 2, 2, 3, 3]
    assert all(now > then for now, then in zip(company.versions(), before, strict=True))
