"""All tables of a namespace by one question to the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from sqlalchemy import event

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, Surveyable
from lakeport.core.errors import CorruptDataError

TABLES = [f"t{number}" for number in range(5)]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    uri = f"sqlite:///{tmp_path / 'catalog.db'}"
    profile = Profile("lake", "embedded", uri, f"{tmp_path}/warehouse", {})
    with IcebergCatalog(profile) as writing:
        space = writing.create_namespace(NamespaceInfo("shop"))
        for name in TABLES:
            space.create_table(name, Definition(pa.schema([("id", pa.int64())]), comment=name))
    with IcebergCatalog(profile) as fresh:
        yield fresh


def test_a_survey_says_what_each_table_says(catalog: IcebergCatalog) -> None:
    space = catalog.namespace("shop")
    assert isinstance(space, Surveyable)
    found = space.survey()
    assert sorted(found) == TABLES
    for name, (table, state, _) in found.items():
        assert table.name == space.table(name).name
        assert state() == space.table(name).state()


def test_a_survey_is_one_question(catalog: IcebergCatalog) -> None:
    space = catalog.namespace("shop")
    native = catalog.pyiceberg
    assert isinstance(native, PatientSqlCatalog)
    asked: list[str] = []
    event.listen(native.engine, "before_cursor_execute", lambda *about: asked.append(str(about[2])))
    assert [state().definition.comment for _, state, _ in space.survey().values()] == TABLES
    assert len(asked) == 1


def test_a_damaged_table_fails_alone(catalog: IcebergCatalog, tmp_path: Path) -> None:
    (folder,) = (tmp_path / "warehouse").rglob("t3*")
    for metadata in folder.rglob("*.metadata.json"):
        metadata.write_text("{")
    found = catalog.namespace("shop").survey()
    with pytest.raises(CorruptDataError):
        found["t3"][1]()
    assert found["t4"][1]().definition.comment == "t4"


def test_a_namespace_that_is_gone_has_no_tables(catalog: IcebergCatalog) -> None:
    space = catalog.namespace("shop")
    for name in TABLES:
        space.drop_table(name)
    catalog.drop_namespace("shop")
    assert space.survey() == {}
