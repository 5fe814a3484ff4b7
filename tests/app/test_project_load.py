"""A project from its settings, over a real catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.app.initialize import initialize
from lakeport.app.project.load import checked_project, load_graph, load_project
from lakeport.app.project.tables import CatalogTables
from lakeport.app.settings import Settings, load
from lakeport.app.wiring import open_catalog
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName
from lakeport.pipeline.graph import KnownTable
from lakeport.pipeline.project import ProjectError

VIEW = {
    "name": "paid",
    "schema": {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}],
    },
    "view-version": {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1_700_000_000_000,
        "summary": {},
        "default-namespace": ["raw"],
        "representations": [
            {"type": "sql", "sql": "SELECT id FROM raw.orders", "dialect": "spark"}
        ],
    },
    "properties": {},
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "lakeport.toml").write_text(
        """[pipeline.parameters]
least = 3
start = 1
[pipeline.defaults]
tagz = ["x"]
[pipeline.environments.dev]
prefix = "dev_"
[pipeline.environments.ci]
prefix = "dev_"
""",
        encoding="utf-8",
    )
    path = tmp_path / "models/marts/totals.sql"
    path.parent.mkdir(parents=True)
    path.write_text("SELECT * FROM raw.orders WHERE id > :least", encoding="utf-8")
    return load(folder=tmp_path, variables={})


@pytest.fixture
def lake(settings: Settings) -> Iterator[IcebergCatalog]:
    with open_catalog(settings) as catalog:
        catalog.create_namespace(NamespaceInfo("Raw"))
        fields: list[pa.Field[Any]] = [
            pa.field("id", pa.int64()),
            pa.field("Price", pa.decimal128(9, 2)),
            pa.field("seen", pa.timestamp("us", "UTC")),
            pa.field("at", pa.timestamp("us")),
            pa.field("size", pa.uint16()),
            pa.field("items", pa.list_(pa.struct([pa.field("n", pa.int32())]))),
        ]
        schema = pa.schema(fields)
        catalog.namespace("raw").create_table("Orders", Definition(schema))
        catalog.namespace("raw").views().create("paid", VIEW)
        yield catalog


def test_mistakes_in_lakeport_toml_have_its_lines(settings: Settings) -> None:
    with pytest.raises(ProjectError) as caught:
        checked_project(settings)
    assert [f"{one.place}: {one.message}" for one in caught.value.problems] == [
        "lakeport.toml:3: every run gives `:start` itself",
        "lakeport.toml:5: there is no setting `tagz`",
        (
            "lakeport.toml:8: environment `ci` maps `marts` to `dev_marts`, and environment `dev` maps "
            "`marts` there"
        ),
    ]


def test_an_environment_is_found_by_name(settings: Settings) -> None:
    assert load_project(settings, "dev").environment.prefix == "dev_"
    with pytest.raises(NotFoundError, match="did you mean `dev`"):
        load_project(settings, "def")


def test_the_catalog_says_what_may_have_been_meant(lake: IcebergCatalog) -> None:
    tables = CatalogTables(lake)
    assert tables.nearest(TableName("RAW", "oders")) == TableName("Raw", "Orders")
    assert tables.nearest(TableName("row", "orders")) == TableName("Raw", "Orders")
    assert tables.nearest(TableName("raw", "ships")) is None
    assert tables.nearest(TableName("elsewhere", "orders")) is None


def test_a_misspelt_table_of_the_catalog_is_told_by_its_name(
    lake: IcebergCatalog, tmp_path: Path
) -> None:
    folder = tmp_path / "misspelt"
    (folder / "models" / "a").mkdir(parents=True)
    (folder / "lakeport.toml").touch()
    (folder / "models" / "a" / "x.sql").write_text("SELECT id FROM raw.oders")
    project = load_project(load(folder=folder, variables={}))
    with pytest.raises(ProjectError) as caught:
        load_graph(project, lake)
    assert (caught.value.problems[0].hint or "").startswith(
        "did you mean `Raw.Orders`? if not, load it"
    )


def test_the_catalog_answers_for_the_tables_that_were_named(lake: IcebergCatalog) -> None:
    asked = [
        TableName("RAW", "orders"),
        TableName("raw", "Paid"),
        TableName("raw", "none"),
        TableName("nowhere", "orders"),
    ]
    assert CatalogTables(lake)(asked) == [
        KnownTable(
            TableName("Raw", "Orders"),
            (
                ("id", "bigint"),
                ("Price", "decimal(9,2)"),
                ("seen", "timestamp"),
                ("at", "timestamp_ntz"),
                ("size", "int"),
                ("items", "array<struct<n:int>>"),
            ),
            is_empty=True,
        ),
        KnownTable(TableName("Raw", "paid"), (("id", "bigint"),), is_view=True),
    ]


def test_a_graph_over_the_lake(lake: IcebergCatalog, tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text("[pipeline.parameters]\nleast = 3\n", encoding="utf-8")
    project = load_project(load(folder=tmp_path, variables={}))
    graph = load_graph(project, lake)
    columns = graph.nodes[0].columns
    assert columns is not None
    assert [column.name for column in columns] == ["id", "Price", "seen", "at", "size", "items"]
    assert all(column.certain for column in columns)
    with pytest.raises(ProjectError, match=r"there is no table `raw\.orders`"):
        load_graph(project, None)


def test_the_example_has_no_mistakes(tmp_path: Path) -> None:
    initialize(tmp_path, example="shop")
    project = load_project(load(folder=tmp_path, variables={}))
    graph = load_graph(project, None)
    assert {name.namespace for name in graph.names} >= {"staging", "marts"}
    assert {issue.code for issue in graph.issues} <= {"SOURCE_NOT_LOADED"}


def test_without_a_project_there_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no lakeport\.toml"):
        load_project(load(folder=tmp_path, variables={}))
