"""A catalog in AWS Glue (moto plays it): opened by configuration alone, read like any other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.errors import (
    CorruptDataError,
    NotFoundError,
    PreconditionError,
    UnavailableError,
)
from tests.s3 import s3_server


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def profile(endpoint: str, tmp_path: Path) -> Profile:
    properties = {
        "glue.endpoint": endpoint,
        "glue.region": "us-east-1",
        "glue.access-key-id": "AKIAEXAMPLE",
        "glue.secret-access-key": "open sesame",
    }
    return Profile("lake", "glue", None, f"file://{tmp_path}/warehouse", properties)


@pytest.fixture
def catalog(profile: Profile) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(profile, max_staleness=0) as opened:
        yield opened
        for info in opened.namespaces():
            for table in opened.namespace(info.name).tables():
                opened.pyiceberg.drop_table((info.name, table))
            opened.drop_namespace(info.name)


def test_glue_is_a_catalog_like_any_other(catalog: IcebergCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("shop", "things", {"owner": "ann"}))
    assert [info.name for info in catalog.namespaces()] == ["shop"]
    schema = Schema(NestedField(1, "k", LongType()))
    before = catalog.version()
    catalog.pyiceberg.create_table("shop.items", schema).append(pa.table({"k": [1, 2]}))
    table = catalog.namespace("SHOP").table("Items")
    assert (str(table.name), table.state().version) == ("shop.items", 1)
    with read(table, ScanRequest()) as stream:
        assert stream.read_all().to_pydict() == {"k": [1, 2]}
    with pytest.raises(PreconditionError, match="items"):
        catalog.drop_namespace("shop")
    catalog.pyiceberg.drop_table("shop.items")
    with pytest.raises(NotFoundError):
        table.state()
    assert catalog.version() == before, "within its five seconds"


def test_tables_of_other_formats_are_left_out(catalog: IcebergCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("shop"))
    assert isinstance(catalog.pyiceberg, GlueCatalog)
    glue = catalog.pyiceberg.glue
    glue.create_table(DatabaseName="shop", TableInput={"Name": "csv", "Parameters": {"x": "y"}})
    assert list(catalog.namespace("shop").tables()) == []
    with pytest.raises(NotFoundError):
        catalog.namespace("shop").table("csv")
    glue.delete_table(DatabaseName="shop", Name="csv")


def test_a_table_cannot_say_how_its_files_are_reached(catalog: IcebergCatalog) -> None:
    evil = {"s3.endpoint": "http://evil.example.com", "py-io-impl": "nowhere.FileIO"}
    catalog.create_namespace(NamespaceInfo("shop"))
    schema = Schema(NestedField(1, "k", LongType()))
    catalog.pyiceberg.create_table("shop.items", schema, properties=evil)
    source = catalog.namespace("shop").table("items").source()
    assert evil.keys() <= source.metadata.properties.keys()
    assert not evil.keys() & source.io.properties.keys()


def test_a_table_whose_metadata_is_gone_is_told(catalog: IcebergCatalog, tmp_path: Path) -> None:
    catalog.create_namespace(NamespaceInfo("shop"))
    catalog.pyiceberg.create_table("shop.items", Schema(NestedField(1, "k", LongType())))
    table = catalog.namespace("shop").table("items")
    shutil.rmtree(tmp_path / "warehouse")
    with pytest.raises(CorruptDataError, match=r"the metadata of table `shop\.items` is missing"):
        table.state()


def test_a_glue_that_is_not_there_is_told(profile: Profile) -> None:
    properties = {
        **profile.properties,
        "glue.endpoint": "http://127.0.0.1:9",
        "glue.max-retries": "1",
    }
    gone = Profile("lake", "glue", None, profile.warehouse, properties)
    with pytest.raises(UnavailableError) as caught, IcebergCatalog(gone) as catalog:
        catalog.namespaces()
    assert "the glue catalog `lake`" in caught.value.message
    assert "sesame" not in str(caught.value)
