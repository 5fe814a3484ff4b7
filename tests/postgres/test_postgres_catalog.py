"""The catalog on Postgres: the same promises as on SQLite, kept by another database."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from subprocess import PIPE, Popen

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from sqlalchemy import event

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.connect import Presence, probe
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, Ref, ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    UnavailableError,
)
from tests.postgres.conftest import Cluster

SCHEMA = Schema(NestedField(1, "k", LongType()))


def create(catalog: IcebergCatalog, name: str, *rows: int) -> None:
    namespace = name.rpartition(".")[0]
    if namespace not in {info.name for info in catalog.namespaces()}:
        catalog.create_namespace(NamespaceInfo(namespace))
    made = catalog.pyiceberg.create_table(name, SCHEMA)
    if rows:
        made.append(pa.table({"k": list(rows)}))


def append(catalog: IcebergCatalog, name: str, *rows: int) -> None:
    catalog.pyiceberg.load_table(name).append(pa.table({"k": list(rows)}))


def test_a_lake_on_postgres_is_found_and_read(profile: Profile) -> None:
    assert probe(profile, seconds=30) == Presence(None)
    with IcebergCatalog(profile) as catalog:
        catalog.create_namespace(NamespaceInfo("art.modern", "pictures", {"owner": "ann"}))
        create(catalog, "shop.Items", 1, 2, 3)
        assert list(catalog.namespaces()) == [
            NamespaceInfo("art.modern", "pictures", {"owner": "ann"}),
            NamespaceInfo("shop"),
        ]
        table = catalog.namespace("SHOP").table("items")
        with read(table, ScanRequest()) as stream:
            assert stream.read_all().to_pydict() == {"k": [1, 2, 3]}
        head = table.state().snapshot_id
        assert head is not None
        table.create_ref(Ref("nightly", "tag", head))
        assert Ref("nightly", "tag", head) in table.refs()
        with pytest.raises(NotFoundError) as caught:
            catalog.namespace("shop").table("itms")
        assert "did you mean `Items`" in str(caught.value.hint)
    assert probe(profile, seconds=30) == Presence(2)


def test_what_another_process_commits_is_seen_at_once(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        create(catalog, "shop.items", 1)
        table = catalog.namespace("shop").table("items")
        append(other, "shop.items", 2)
        assert table.state().version == 2
        other.pyiceberg.drop_table("shop.items")
        with pytest.raises(NotFoundError, match="was dropped"):
            table.state()


def test_the_version_changes_with_definitions_and_not_with_rows(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        before = catalog.version()
        create(other, "shop.items", 1)
        created = catalog.version()
        assert created.number > before.number
        assert catalog.version() == created
        catalog.namespace("shop").table("items").state()
        append(other, "shop.items", 2)
        assert catalog.version() == created
        with other.pyiceberg.load_table("shop.items").update_schema() as change:
            change.add_column("more", LongType())
        assert catalog.version().number > created.number


def test_work_elsewhere_in_the_database_changes_no_version(
    profile: Profile, cluster: Cluster
) -> None:
    with IcebergCatalog(profile) as catalog:
        create(catalog, "shop.items", 1)
        before = catalog.version()
        native = catalog.pyiceberg
        assert isinstance(native, PatientSqlCatalog)
        queries: list[str] = []
        event.listen(
            native.engine, "before_cursor_execute", lambda *about: queries.append(about[2])
        )
        cluster.execute("postgres", "CREATE TABLE IF NOT EXISTS noise (n int)")
        cluster.execute("postgres", "INSERT INTO noise VALUES (1)")
        assert catalog.version() == before
        assert len(queries) == 3, "three questions, and no listing"
        assert catalog.version() == before
        assert len(queries) == 4, "one more, which tells that nothing happened"


def test_the_version_sees_every_kind_of_change(profile: Profile, cluster: Cluster) -> None:
    with IcebergCatalog(profile) as catalog:
        create(catalog, "shop.items", 1)
        assert profile.uri is not None
        for change in (
            "UPDATE iceberg_tables SET table_name = 'things'",
            "UPDATE iceberg_tables SET table_namespace = 'store'",
            "UPDATE iceberg_tables SET metadata_location = metadata_location || 'x'",
            "INSERT INTO iceberg_namespace_properties VALUES ('lake', 'store', 'comment', 'all')",
            "UPDATE iceberg_namespace_properties SET property_value = 'some'",
            "DELETE FROM iceberg_tables",
        ):
            before = catalog.version()
            with cluster.connection(profile.uri, isolation_level="AUTOCOMMIT") as other:
                other.exec_driver_sql(change)
            assert catalog.version() != before, change
            assert catalog.version() == catalog.version()


def test_many_may_open_a_new_catalog_at_once(profile: Profile) -> None:
    program = (
        "import sys; from lakeport.catalog.iceberg.catalog import IcebergCatalog;"
        "from lakeport.catalog.iceberg.profile import Profile;"
        "IcebergCatalog(Profile('lake', 'sql', sys.argv[1], sys.argv[2])).namespaces()"
    )
    command = [sys.executable, "-c", program, profile.uri or "", profile.warehouse or ""]
    runs = [Popen(command, stderr=PIPE) for _ in range(3)]
    for run in runs:
        _, trouble = run.communicate()
        assert run.returncode == 0, trouble.decode()


def test_one_of_many_who_create_a_namespace_at_once_is_told_it_worked(profile: Profile) -> None:
    with IcebergCatalog(profile):
        pass

    def attempt(_: int) -> bool:
        with IcebergCatalog(profile) as mine:
            try:
                mine.create_namespace(NamespaceInfo("shop"))
            except AlreadyExistsError:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(attempt, range(8))) == 1


def test_a_lock_that_stays_is_an_error_that_says_what_to_do(
    profile: Profile, cluster: Cluster
) -> None:
    hasty = replace(profile, properties={"lakeport.busy-seconds": "0.05"})
    with IcebergCatalog(hasty) as catalog:
        create(catalog, "shop.items", 1)
        table = catalog.namespace("shop").table("items")
        head = table.state().snapshot_id
        assert head is not None
        assert profile.uri is not None
        with cluster.connection(profile.uri) as other, other.begin():
            other.exec_driver_sql("SELECT * FROM iceberg_tables FOR UPDATE")
            assert table.state().snapshot_id == head, "readers do not wait"
            with pytest.raises(UnavailableError, match="is busy") as caught:
                table.create_ref(Ref("nightly", "tag", head))
            assert str(caught.value.hint).startswith("run it again")
        table.create_ref(Ref("nightly", "tag", head))


def test_a_server_that_was_restarted_is_found_again(profile: Profile, cluster: Cluster) -> None:
    with IcebergCatalog(profile) as catalog:
        create(catalog, "shop.items", 1)
        table = catalog.namespace("shop").table("items")
        version = catalog.version()
        cluster.stop()
        try:
            with pytest.raises(UnavailableError) as caught:
                table.state()
            assert "the sql catalog `lake` at postgresql+psycopg2://" in caught.value.message
            with pytest.raises(UnavailableError):
                catalog.version()
        finally:
            cluster.start()
        assert table.state().version == 1
        assert catalog.version() == version


def test_a_database_that_is_not_there_is_told(profile: Profile) -> None:
    assert profile.uri is not None
    missing = replace(profile, uri=profile.uri.replace("/lake_", "/no_lake_"))
    with pytest.raises(UnavailableError, match="does not exist"):
        IcebergCatalog(missing)


def test_a_password_is_not_shown(profile: Profile) -> None:
    assert profile.uri is not None
    secret = profile.uri.replace("lake@/", "nobody-here:open-sesame@/")
    with pytest.raises(UnavailableError) as caught:
        IcebergCatalog(replace(profile, uri=secret))
    assert "open-sesame" not in str(caught.value)
    assert "nobody-here" in str(caught.value)


@pytest.mark.parametrize("name", ["", "a\x00b", "\ud800", "'; --", "x" * 10_000, "%"])
def test_names_that_nothing_can_have_are_not_found(profile: Profile, name: str) -> None:
    with IcebergCatalog(profile) as catalog:
        create(catalog, "shop.items")
        with pytest.raises(NotFoundError):
            catalog.namespace(name)
        with pytest.raises(NotFoundError):
            catalog.namespace("shop").table(name)


def test_what_a_column_cannot_hold_is_the_caller_s_fault(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        with pytest.raises(InvalidRequestError, match="too long"):
            catalog.create_namespace(NamespaceInfo("shop", "x" * 2000))
        assert list(catalog.namespaces()) == []
