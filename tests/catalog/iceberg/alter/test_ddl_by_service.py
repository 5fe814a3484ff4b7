"""DDL on a catalog behind REST, where a service gives field ids, folders and answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn, AddConstraint, ChangeType, WidenColumn
from lakeport.catalog.definition import Check, Definition, PrimaryKey, with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from lakeport.core.timepoint import AtVersion, TimePoint
from tests.catalog.iceberg.alter.ground import schema_of
from tests.catalog.iceberg.rest_server import rest_server

SCHEMA = schema_of(k=pa.int8(), name=pa.string(), s=pa.struct([pa.field("x", pa.uint8())]))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    with rest_server(tmp_path / "rest") as server, IcebergCatalog(server.profile()) as opened:
        opened.create_namespace(NamespaceInfo("shop"))
        yield opened


def rows(catalog: IcebergCatalog, at: TimePoint | None = None) -> list[dict[str, object]]:
    with read(catalog.namespace("shop").table("wares"), ScanRequest(at=at)) as stream:
        found: list[dict[str, object]] = stream.read_all().to_pylist()
    return found


def test_a_table_lives_its_whole_life_behind_a_service(catalog: IcebergCatalog) -> None:
    namespace = catalog.namespace("shop")
    definition = Definition(SCHEMA, (PrimaryKey(("k",)), Check("s.x > 0", "wide")), "all wares")
    table = namespace.create_table("Wares", definition)
    assert table.state().definition.constraints[0] == PrimaryKey(("k",))
    with pytest.raises(AlreadyExistsError):
        namespace.create_table("WARES", definition)
    insert_rows(table, [{"k": 1, "name": "1", "s": {"x": 1}}])
    table.alter(
        [
            WidenColumn(("k",), pa.int16()),
            AddColumn(with_default(pa.field("stock", pa.int64()), "7")),
            ChangeType("name", pa.int64()),
        ]
    )
    table.alter([AddConstraint(Check("stock > 0", "some"))])
    assert rows(catalog) == [{"k": 1, "name": 1, "s": {"x": 1}, "stock": 7}]
    assert rows(catalog, AtVersion(1)) == [{"k": 1, "name": "1", "s": {"x": 1}}]
    assert table.state_at(AtVersion(1)).definition.schema.field("k").type == pa.int8()
    again = namespace.create_table("wares", Definition(SCHEMA), on_conflict="replace")
    assert (again.state().uuid, again.state().version) == (table.state().uuid, 4)
    assert rows(catalog) == []


def test_names_are_looked_for_in_any_spelling(catalog: IcebergCatalog) -> None:
    namespace = catalog.namespace("shop")
    namespace.create_table("wares", Definition(SCHEMA))
    namespace.create_table("goods", Definition(SCHEMA))
    with pytest.raises(AlreadyExistsError):
        namespace.rename_table("wares", "GOODS")
    renamed = namespace.rename_table("WARES", "stock")
    assert list(namespace.tables()) == ["goods", "stock"]
    assert str(renamed.state().name) == "shop.stock"
    namespace.drop_table("STOCK")
    assert list(namespace.tables()) == ["goods"]
    with pytest.raises(NotFoundError):
        renamed.state()


def test_a_property_that_says_how_files_are_reached_is_refused(catalog: IcebergCatalog) -> None:
    with pytest.raises(InvalidRequestError, match=r"s3\.endpoint"):
        catalog.namespace("shop").create_table(
            "wares", Definition(SCHEMA, properties={"s3.endpoint": "http://elsewhere"})
        )
