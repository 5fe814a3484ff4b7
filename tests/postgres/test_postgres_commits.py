"""Commits on Postgres: races, turns, versions and names."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from pyiceberg.exceptions import TableAlreadyExistsError

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from tests.catalog.iceberg.commit.members import (
    NAME,
    Statement,
    commit,
    head,
    ids_in,
    insert,
    new_table,
    write_rows,
)


def test_an_append_that_was_overtaken_is_committed_on_top(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        source = new_table(catalog)
        effect = Effect(rows=1, added=(write_rows(source, [1]),))

        def prepare(given: Head) -> Effect:
            if given.snapshot is None:
                commit(other, source, insert(source, [2]))
            return effect

        late = Statement(prepare)
        commit(catalog, source, late)
        assert ids_in(catalog) == [1, 2]
        assert len(late.heads) == 2


def test_catalogs_that_race_all_come_through(profile: Profile) -> None:
    with IcebergCatalog(profile) as first, IcebergCatalog(profile) as second:
        source = new_table(first)

        def work(place: int) -> None:
            catalog = (first, second)[place % 2]
            for step in range(4):
                commit(catalog, source, insert(source, [place * 10 + step]))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        assert ids_in(first) == sorted(place * 10 + step for place in range(4) for step in range(4))


def test_a_turn_lets_nobody_else_move_the_table(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        source = new_table(catalog)
        native = catalog.pyiceberg
        assert isinstance(native, PatientSqlCatalog)
        with ThreadPoolExecutor(1) as pool:
            with native.alone((NAME.namespace, NAME.table)):
                theirs = pool.submit(commit, other, source, insert(source, [2]))
                commit(catalog, source, insert(source, [1]))
                assert len(head(catalog).metadata.snapshots) == 1
            theirs.result()
        assert ids_in(catalog) == [1, 2]


def test_all_processes_have_one_version(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        source = new_table(catalog)
        other.version()
        before = catalog.version()
        assert other.version() == before
        commit(catalog, source, insert(source, [1]))
        assert other.version() == before
        other.create_namespace(NamespaceInfo("attic"))
        assert catalog.version() == other.version() != before


def test_a_name_is_given_once(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        source = new_table(catalog)
        with catalog.changing() as native:
            native.rename_table((NAME.namespace, NAME.table), (NAME.namespace, "Renamed"))
            renamed = native.load_table((NAME.namespace, "Renamed"))
            assert renamed.metadata.table_uuid == source.metadata.table_uuid
            native.create_table((NAME.namespace, "other"), renamed.schema())
            with pytest.raises(TableAlreadyExistsError):
                native.rename_table((NAME.namespace, "other"), (NAME.namespace, "RENAMED"))
