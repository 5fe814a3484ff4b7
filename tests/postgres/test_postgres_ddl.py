"""DDL on Postgres: names that fold to one, tables altered, and creators that meet."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn, ChangeType
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import AlreadyExistsError, NotFoundError

PLAIN = Definition(pa.schema([pa.field("k", pa.int8())]))


def test_one_of_many_spellings_of_a_name_is_made(profile: Profile) -> None:
    names = ["straße", "STRASSE", "Strasse", "strasse"]
    outcomes: list[str] = []
    barrier = threading.Barrier(len(names))

    def create(name: str) -> None:
        with IcebergCatalog(profile) as catalog:
            barrier.wait()
            try:
                catalog.namespace("shop").create_table(name, PLAIN)
                outcomes.append("made")
            except AlreadyExistsError:
                outcomes.append("taken")

    with IcebergCatalog(profile) as catalog:
        catalog.create_namespace(NamespaceInfo("shop"))
        threads = [threading.Thread(target=create, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["made", "taken", "taken", "taken"]
        assert len(catalog.namespace("shop").tables()) == 1


def test_tables_are_altered_renamed_replaced_and_dropped(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        namespace = catalog.create_namespace(NamespaceInfo("shop"))
        table = namespace.create_table("wares", PLAIN)
        insert_rows(table, [{"k": 1}])
        table.alter(
            [AddColumn(with_default(pa.field("d", pa.int64()), "7")), ChangeType("k", pa.string())]
        )
        with read(table) as stream:
            assert stream.read_all().to_pylist() == [{"k": "1", "d": 7}]
        namespace.create_table("goods", PLAIN)
        with pytest.raises(AlreadyExistsError):
            namespace.rename_table("wares", "Goods")
        renamed = namespace.rename_table("wares", "Wares")
        assert renamed.state().uuid == namespace.table("wares").state().uuid
        namespace.create_table("WARES", PLAIN, on_conflict="replace")
        assert renamed.state().version == 3
        namespace.drop_table("wares")
        with pytest.raises(NotFoundError):
            renamed.state()
        assert list(namespace.tables()) == ["goods"]
