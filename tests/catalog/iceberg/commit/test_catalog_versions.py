"""One number for all processes of a SQL catalog, that grows with definitions and not with rows."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.table.update import (
    AddSchemaUpdate,
    SetCurrentSchemaUpdate,
    SetPropertiesUpdate,
)
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Effect
from lakeport.catalog.ports import NamespaceInfo
from tests.catalog.iceberg.commit.members import (
    NAME,
    SCHEMA,
    Statement,
    commit,
    embedded,
    head,
    insert,
    new_table,
)

IDENTIFIER = (NAME.namespace, NAME.table)


@pytest.fixture
def other(tmp_path: Path, catalog: IcebergCatalog) -> Iterator[IcebergCatalog]:
    """Another process, as far as it matters: nothing is shared but the database."""
    new_table(catalog)
    with IcebergCatalog(embedded(tmp_path)) as opened:
        number(catalog)
        number(opened)
        yield opened


def number(catalog: IcebergCatalog) -> int:
    return catalog.version().number


def create(catalog: IcebergCatalog) -> None:
    with catalog.changing() as native:
        native.create_table((NAME.namespace, "more"), SCHEMA)


def drop(catalog: IcebergCatalog) -> None:
    with catalog.changing() as native:
        native.drop_table(IDENTIFIER)


def rename(catalog: IcebergCatalog) -> None:
    with catalog.changing() as native:
        native.rename_table(IDENTIFIER, (NAME.namespace, "renamed"))


def alter(catalog: IcebergCatalog) -> None:
    more = NestedField(3, "more", LongType(), required=False)
    wider = Schema(*SCHEMA.fields, more, schema_id=1)
    updates = (
        AddSchemaUpdate.model_validate({"schema": wider}),
        SetCurrentSchemaUpdate.model_validate({"schema-id": 1}),
    )
    commit(catalog, head(catalog), Statement(Effect(updates=updates), shares=False))


def describe(catalog: IcebergCatalog) -> None:
    update = SetPropertiesUpdate(updates={"comment": "all orders"})
    uuid = str(head(catalog).metadata.table_uuid)
    catalog.commits.change(NAME, uuid, lambda _: ((update,), ()))


def new_namespace(catalog: IcebergCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("attic"))


def name_properties(catalog: IcebergCatalog) -> None:
    with catalog.changing() as native:
        native.update_namespace_properties(NAME.namespace, updates={"comment": "all of it"})


@pytest.mark.parametrize(
    "change", [create, drop, rename, alter, describe, new_namespace, name_properties]
)
def test_a_definition_that_changes_is_counted_once_for_all(
    catalog: IcebergCatalog, other: IcebergCatalog, change: Callable[[IcebergCatalog], None]
) -> None:
    before = number(catalog)
    assert number(other) == before
    change(catalog)
    after = number(other)
    assert after > before
    assert number(catalog) == after == number(other)


def test_rows_are_not_counted(catalog: IcebergCatalog, other: IcebergCatalog) -> None:
    before = number(catalog)
    for step in range(3):
        commit(catalog, head(catalog), insert(head(catalog), [step]))
        assert number(other) == before == number(catalog)


def test_what_other_programs_change_is_noticed_and_agreed_on(
    tmp_path: Path, catalog: IcebergCatalog, other: IcebergCatalog
) -> None:
    before = number(catalog)
    where = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}/warehouse"}
    with closing(SqlCatalog("lake", **where)) as plain:
        plain.create_table((NAME.namespace, "theirs"), SCHEMA)
        first = number(catalog)
        assert first > before
        assert number(other) >= first
        assert number(catalog) == number(other)
        with plain.load_table(IDENTIFIER).update_schema() as change:
            change.add_column("extra", LongType())
    second = number(other)
    assert second > first
    assert number(catalog) >= second
    assert number(catalog) == number(other)


def test_what_was_changed_while_nobody_looked_is_counted(tmp_path: Path) -> None:
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        new_table(catalog)
        before = number(catalog)
    where = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}/warehouse"}
    with closing(SqlCatalog("lake", **where)) as plain:
        plain.create_table((NAME.namespace, "theirs"), SCHEMA)
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        assert number(catalog) > before


def test_a_change_that_is_undone_is_not_counted(
    catalog: IcebergCatalog, other: IcebergCatalog
) -> None:
    before = number(catalog)
    with pytest.raises(Exception, match="already"):
        create_again(catalog)
    assert number(catalog) == before == number(other)


def create_again(catalog: IcebergCatalog) -> None:
    with catalog.changing() as native:
        native.create_table(IDENTIFIER, SCHEMA)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_that_may_only_be_read_has_versions_too(tmp_path: Path) -> None:
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        new_table(catalog)
    for path in tmp_path.glob("catalog.db*"):
        path.chmod(0o444)
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        assert number(catalog) == number(catalog)


def test_two_catalogs_in_one_database_count_for_themselves(tmp_path: Path) -> None:
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        new_table(catalog)
        before = number(catalog)
        with closing(sqlite3.connect(tmp_path / "catalog.db")) as database:
            database.execute("INSERT INTO lakeport_versions VALUES ('elsewhere', 1)")
            database.commit()
        assert number(catalog) == before
