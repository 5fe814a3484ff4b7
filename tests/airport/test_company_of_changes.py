"""Two servers over one lake, DuckDB attached to both, and another process that changes the table.

DuckDB never lists a catalog again, and crashes on columns it was not told of: it gets the columns that
it holds, or a refusal that says what to do, from whichever server it asks.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import ORDERS, fill
from tests.airport.scans.duck import Duck, ordered, serve
from tests.airport.traces.client_view import catalog_entries

_CHANGE = """
import sys
import pyarrow as pa
from lakeport.catalog.changes import AddColumn, ChangeType, DropColumn, RenameColumn
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
with IcebergCatalog(Profile("lake", "embedded", sys.argv[1], sys.argv[2])) as catalog:
    shop = catalog.namespace("shop")
    table = shop.table("orders")
    schema = table.state().definition.schema
    exec(sys.argv[3])
"""
ADD = 'table.alter([AddColumn(pa.field("more", pa.int32()))])'
RENAME = 'table.alter([RenameColumn("v", "value")])'
DROP = 'table.alter([DropColumn("v")])'
ANEW = 'shop.drop_table("orders"); shop.create_table("orders", Definition(schema))'
INSERT = """
with table.insert() as write:
    write.add(pa.record_batch({"id": [9], "name": ["z"], "v": [None]}, schema=schema))
    write.commit()
"""
NAMES = ["id", "name", "v", "rowid"]


@dataclass
class Company:
    """DuckDB as it is attached to each of two servers; `orders` is what it was told of the table."""

    ducks: list[Duck]
    orders: FlightDescriptor
    lake: tuple[str, str]

    def change(self, code: str) -> None:
        command = [sys.executable, "-c", _CHANGE, *self.lake, code]
        subprocess.run(command, check=True, timeout=120)

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
            for _ in range(2)
        ]
        namespace = lakes[0].create_namespace(NamespaceInfo("shop"))
        fill(namespace.create_table("orders", Definition(ORDERS)))
        servers = [stack.enter_context(serve(lake)) for lake in lakes]
        clients = [stack.enter_context(fl.connect(server.address)) for server in servers]
        ducks = [Duck(client).begin() for client in clients]
        listed = [duck.action("list_schemas", {"catalog_name": "lake"}) for duck in ducks]
        told = {catalog_entries(each, "lake")["shop", "orders"].descriptor for each in listed}
        (descriptor,) = told
        yield Company(ducks, FlightDescriptor.decode(descriptor), where)


def test_a_new_column_is_left_out(company: Company) -> None:
    before = company.versions()
    company.change(ADD)
    for duck in company.again():
        rows = duck.scan(company.orders)
        assert rows.column_names == NAMES
        assert ordered(rows, "id") == [1, 2, 3]
    assert all(now > then for now, then in zip(company.versions(), before, strict=True))


@pytest.mark.parametrize("change", [RENAME, DROP], ids=["renamed", "dropped"])
def test_a_column_that_is_gone_is_refused_and_the_others_are_read(
    company: Company, change: str
) -> None:
    company.change(change)
    for duck in company.again():
        with pytest.raises(pa.ArrowInvalid, match=r"`v`.*DETACH the catalog and ATTACH it again"):
            duck.scan(company.orders)
        rows = duck.scan(company.orders, column_ids=[0])
        assert rows.column_names == NAMES
        assert ordered(rows, "id") == [1, 2, 3]


def test_a_table_made_anew_is_refused(company: Company) -> None:
    company.change(ANEW)
    for duck in company.again():
        with pytest.raises(pa.ArrowInvalid, match=r"replaced.*DETACH the catalog and ATTACH it"):
            duck.scan(company.orders)


def test_rows_of_another_process_are_seen_by_the_next_statement(company: Company) -> None:
    before = company.versions()
    for duck in company.ducks:
        assert ordered(duck.scan(company.orders), "id") == [1, 2, 3]
    company.change(INSERT)
    for duck in company.ducks:  # still inside its transaction
        assert ordered(duck.scan(company.orders), "id") == [1, 2, 3]
    for duck in company.again():
        assert ordered(duck.scan(company.orders), "id") == [1, 2, 3, 9]
    assert all(now > then for now, then in zip(company.versions(), before, strict=True))
