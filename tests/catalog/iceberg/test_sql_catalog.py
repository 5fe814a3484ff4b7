"""A catalog in a SQL database (SQLite here): found, fresh, shared with others, and locked by them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from sqlalchemy import event

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.connect import connect
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, Ref
from lakeport.core.errors import (
    AlreadyExistsError,
    ConfigurationError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
    UnavailableError,
    UnsupportedError,
)

SCHEMA = Schema(NestedField(1, "k", LongType()))


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    home = tmp_path / ".lakeport"
    return Profile("lake", "embedded", f"sqlite:///{home}/catalog.db", f"file://{home}/warehouse")


@pytest.fixture
def catalog(profile: Profile) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(profile) as opened:
        yield opened


@pytest.fixture
def database(catalog: IcebergCatalog, profile: Profile) -> Iterator[sqlite3.Connection]:
    """Another program on the same file."""
    assert catalog.name == profile.name
    assert profile.database_file is not None
    with closing(sqlite3.connect(profile.database_file, isolation_level=None)) as connection:
        yield connection


def create(catalog: IcebergCatalog, name: str, *rows: int) -> None:
    namespace, _, table = name.rpartition(".")
    if namespace not in {info.name for info in catalog.namespaces()}:
        catalog.create_namespace(NamespaceInfo(namespace))
    made = catalog.pyiceberg.create_table((*namespace.split("."), table), SCHEMA)
    if rows:
        made.append(pa.table({"k": list(rows)}))


def append(catalog: IcebergCatalog, name: str, *rows: int) -> None:
    catalog.pyiceberg.load_table(name).append(pa.table({"k": list(rows)}))


# -- names ---------------------------------------------------------------------------------------


def test_a_nested_namespace_needs_no_parent_and_makes_none(catalog: IcebergCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("art.modern"))
    assert [info.name for info in catalog.namespaces()] == ["art.modern"]
    with pytest.raises(NotFoundError):
        catalog.namespace("art")
    catalog.create_namespace(NamespaceInfo("art", "pictures", {"owner": "ann"}))
    assert catalog.namespace("ART").info == NamespaceInfo("art", "pictures", {"owner": "ann"})
    catalog.drop_namespace("art")
    assert [info.name for info in catalog.namespaces()] == ["art.modern"]


@pytest.mark.parametrize("name", ["", " a", "a..b", "a/b", "x" * 300, "__lakeport_x", "a\nb"])
def test_a_namespace_that_could_not_be_used_is_not_created(
    catalog: IcebergCatalog, name: str
) -> None:
    with pytest.raises(InvalidRequestError, match="cannot be called"):
        catalog.create_namespace(NamespaceInfo(name))
    assert list(catalog.namespaces()) == []


def test_a_name_is_taken_in_every_spelling(catalog: IcebergCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("straße"))
    with pytest.raises(AlreadyExistsError):
        catalog.create_namespace(NamespaceInfo("STRASSE"))


@pytest.mark.parametrize("name", ["", "a\x00b", "\ud800", "'; --", "x" * 10_000, "%", "."])
def test_names_that_nothing_can_have_are_not_found(catalog: IcebergCatalog, name: str) -> None:
    create(catalog, "shop.items")
    with pytest.raises(NotFoundError):
        catalog.namespace(name)
    with pytest.raises(NotFoundError):
        catalog.namespace("shop").table(name)


def test_one_of_many_who_create_a_namespace_at_once_is_told_it_worked(profile: Profile) -> None:
    def attempt(_: int) -> bool:
        with IcebergCatalog(profile) as mine:
            try:
                mine.create_namespace(NamespaceInfo("shop"))
            except AlreadyExistsError:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(attempt, range(8))) == 1


def test_tables_that_differ_in_case_alone_are_told_apart_by_spelling(
    catalog: IcebergCatalog,
) -> None:
    create(catalog, "shop.items", 1)
    create(catalog, "shop.Items", 1, 2)
    create(catalog, "shop.ITEMS.more")
    shop = catalog.namespace("shop")
    assert list(shop.tables()) == ["Items", "items"]
    assert shop.table("Items").name.table == "Items"
    assert shop.table("items").name.table == "items"


def test_rows_that_are_no_tables_are_left_out(
    catalog: IcebergCatalog, database: sqlite3.Connection
) -> None:
    create(catalog, "shop.items")
    insert = (
        "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location,"
        " iceberg_type) VALUES (?, ?, ?, ?, ?)"
    )
    database.execute(insert, ("lake", "shop", "a_view", "file:///v.json", "VIEW"))
    database.execute(insert, ("lake", "shop", "nowhere", None, "TABLE"))
    database.execute(insert, ("another", "theirs", "items", "file:///t.json", "TABLE"))
    database.execute(insert, ("lake", "views", "a_view", "file:///v.json", "VIEW"))
    assert [info.name for info in catalog.namespaces()] == ["shop", "views"]
    assert list(catalog.namespace("shop").tables()) == ["items"]
    assert list(catalog.namespace("views").tables()) == []
    with pytest.raises(NotFoundError, match="nowhere"):
        catalog.namespace("shop").table("nowhere")
    with pytest.raises(UnsupportedError, match=r"`shop\.a_view` is a view"):
        catalog.namespace("shop").table("a_view")
    with pytest.raises(PreconditionError, match="still holds tables: items"):
        catalog.drop_namespace("shop")
    with pytest.raises(PreconditionError, match="`views` is not empty"):
        catalog.drop_namespace("views")


def test_a_database_of_an_older_pyiceberg_is_read(profile: Profile) -> None:
    """Before views there was no column for the kind of a row."""
    with IcebergCatalog(profile) as catalog:
        create(catalog, "shop.items", 1)
    assert profile.database_file is not None
    with closing(sqlite3.connect(profile.database_file)) as connection:
        connection.execute("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type")
    with IcebergCatalog(profile) as catalog:
        assert catalog.namespace("shop").table("ITEMS").state().version == 1
        assert catalog.version() == catalog.version()


def test_a_namespace_that_was_dropped_says_so(catalog: IcebergCatalog) -> None:
    handle = catalog.create_namespace(NamespaceInfo("shop"))
    assert list(handle.tables()) == []
    catalog.drop_namespace("shop")
    with pytest.raises(NotFoundError, match="`shop` was dropped"):
        handle.tables()
    with pytest.raises(NotFoundError, match="`shop` was dropped"):
        handle.table("items")


def test_while_nobody_commits_what_was_listed_answers(
    catalog: IcebergCatalog, profile: Profile
) -> None:
    create(catalog, "shop.items", 1)
    native = catalog.pyiceberg
    assert isinstance(native, PatientSqlCatalog)
    catalog.version()
    queries: list[str] = []
    event.listen(native.engine, "before_cursor_execute", lambda *about: queries.append(about[2]))
    before = catalog.namespace("shop").table("items").state()
    assert [info.name for info in catalog.namespaces()] == ["shop"]
    assert queries == []
    with IcebergCatalog(profile) as other:
        append(other, "shop.items", 2)
        other.create_namespace(NamespaceInfo("later"))
        assert catalog.namespace("shop").table("items").state().snapshot_id != before.snapshot_id
        assert catalog.namespace("later").info.name == "later"
        other.drop_namespace("later")
        catalog.version()
        other.pyiceberg.drop_table("shop.items")
    with pytest.raises(NotFoundError):
        catalog.namespace("shop").table("items")
    with pytest.raises(NotFoundError):
        catalog.namespace("later")


def test_listing_takes_as_many_queries_for_many_tables_as_for_few(
    catalog: IcebergCatalog, database: sqlite3.Connection
) -> None:
    catalog.create_namespace(NamespaceInfo("shop"))
    native = catalog.pyiceberg
    assert isinstance(native, PatientSqlCatalog)
    queries: list[str] = []
    event.listen(native.engine, "before_cursor_execute", lambda *about: queries.append(about[2]))

    def count() -> int:
        queries.clear()
        for info in catalog.namespaces():
            assert info.name
        catalog.namespace("shop").tables()
        catalog.version()
        return len(queries)

    def add(numbers: range) -> None:
        database.execute("BEGIN")
        database.executemany(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location,"
            " iceberg_type) VALUES ('lake', ?, ?, 'file:///t.json', 'TABLE')",
            [(f"s{number % 100}", f"t{number}") for number in numbers],
        )
        database.execute("COMMIT")

    catalog.version()  # the first one counts what nobody saw
    add(range(10))
    few = count()
    add(range(10, 10_000))
    assert count() == few
    assert len(catalog.namespaces()) == 101
    assert len(catalog.namespace("s7").tables()) == 100


# -- freshness -----------------------------------------------------------------------------------


def test_what_another_process_commits_is_seen_at_once(
    catalog: IcebergCatalog, profile: Profile
) -> None:
    create(catalog, "shop.items", 1)
    table = catalog.namespace("shop").table("items")
    assert table.state().version == 1
    with IcebergCatalog(profile) as other:
        append(other, "shop.items", 2)
    assert table.state().version == 2


def test_a_setting_may_allow_older_answers_but_never_about_our_own_changes(
    profile: Profile,
) -> None:
    with IcebergCatalog(profile, max_staleness=3600) as catalog, IcebergCatalog(profile) as other:
        create(catalog, "shop.items", 1)
        table = catalog.namespace("shop").table("items")
        append(other, "shop.items", 2)
        assert table.state().version == 1
        with catalog.changing(table.name) as native:
            native.load_table("shop.items").append(pa.table({"k": [3]}))
        assert table.state().version == 3


def test_a_handle_means_what_the_name_means_now(catalog: IcebergCatalog) -> None:
    create(catalog, "shop.items", 1)
    table = catalog.namespace("shop").table("items")
    before = table.state().uuid
    catalog.pyiceberg.drop_table("shop.items")
    with pytest.raises(NotFoundError, match="was dropped"):
        table.state()
    create(catalog, "shop.items")
    state = table.state()
    assert (state.version, state.uuid == before) == (0, False)


def test_metadata_is_parsed_once_per_file(catalog: IcebergCatalog) -> None:
    create(catalog, "shop.items", 1)
    table = catalog.namespace("shop").table("items")
    first = table.source()
    second = catalog.namespace("shop").table("items").source()
    assert first.metadata is second.metadata
    assert first.io is second.io
    append(catalog, "shop.items", 2)
    assert table.source().metadata is not first.metadata


def test_readers_and_writers_side_by_side_see_whole_states(catalog: IcebergCatalog) -> None:
    create(catalog, "shop.items", 0)
    table = catalog.namespace("shop").table("items")
    done = threading.Event()

    def watch(_: int) -> list[int]:
        seen = []
        while not done.is_set():
            state = table.state()
            assert state.snapshot_id is not None
            seen.append(state.version)
        return seen

    with ThreadPoolExecutor(4) as pool:
        watchers = [pool.submit(watch, number) for number in range(4)]
        try:
            for number in range(5):
                append(catalog, "shop.items", number)
        finally:
            done.set()
        for watcher in watchers:
            assert watcher.result() == sorted(watcher.result())
    assert table.state().version == 6


# -- refs ----------------------------------------------------------------------------------------


def test_refs_made_at_once_are_all_made(catalog: IcebergCatalog) -> None:
    create(catalog, "shop.items", 1)
    table = catalog.namespace("shop").table("items")
    head = table.state().snapshot_id
    assert head is not None
    refs = [Ref(f"b{number}", "branch" if number % 2 else "tag", head) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(table.create_ref, refs))
    assert set(table.refs()) == {Ref("main", "branch", head), *refs}


def test_refs_follow_the_rules_of_every_storage(catalog: IcebergCatalog) -> None:
    create(catalog, "shop.items", 1)
    table = catalog.namespace("shop").table("items")
    head = table.state().snapshot_id
    assert head is not None
    table.create_ref(Ref("nightly", "tag", head))
    with pytest.raises(AlreadyExistsError, match="nightly"):
        table.create_ref(Ref("nightly", "branch", head))
    with pytest.raises(AlreadyExistsError, match="main"):
        table.create_ref(Ref("main", "branch", head))
    with pytest.raises(NotFoundError, match="no snapshot 4711"):
        table.create_ref(Ref("other", "tag", 4711))
    with pytest.raises(InvalidRequestError):
        table.create_ref(Ref("", "tag", head))
    with pytest.raises(InvalidRequestError, match="the table itself"):
        table.drop_ref("main")
    with pytest.raises(NotFoundError, match="nihgtly"):
        table.drop_ref("nihgtly")
    table.drop_ref("nightly")
    assert table.refs() == (Ref("main", "branch", head),)


def test_tables_of_format_1_are_only_read(catalog: IcebergCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("shop"))
    made = catalog.pyiceberg.create_table(
        "shop.old", SCHEMA, properties={"format-version": "1", "owner": "ann"}
    )
    made.append(pa.table({"k": [1]}))
    table = catalog.namespace("shop").table("old")
    state = table.state()
    assert (state.version, state.snapshot_id is None) == (0, False)
    assert table.storage().format == "iceberg 1"
    assert state.snapshot_id is not None
    with pytest.raises(UnsupportedError, match="format 1"):
        table.create_ref(Ref("nightly", "tag", state.snapshot_id))


# -- a lock, a folder, a setting -----------------------------------------------------------------


@contextmanager
def locked(database: sqlite3.Connection) -> Iterator[None]:
    """By a program that lets nobody in, not even readers."""
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    database.execute("INSERT INTO iceberg_namespace_properties VALUES ('x', 'x', 'x', 'x')")
    try:
        yield
    finally:
        database.execute("ROLLBACK")


def hasty(profile: Profile) -> Profile:
    return replace(profile, properties={"lakeport.busy-seconds": "0.05"})


def test_a_lock_that_stays_is_an_error_that_says_what_to_do(profile: Profile) -> None:
    connect(profile).close()
    assert profile.database_file is not None
    other = sqlite3.connect(profile.database_file, isolation_level=None)
    with closing(other), locked(other), pytest.raises(UnavailableError) as caught:
        IcebergCatalog(hasty(profile))
    assert "is busy: another process holds its lock" in caught.value.message
    assert "sqlite:///" in caught.value.message
    assert str(caught.value.hint).startswith("run it again")


def test_readers_do_not_wait_for_a_writer_and_writers_say_that_it_is_busy(
    profile: Profile,
) -> None:
    with IcebergCatalog(hasty(profile)) as catalog:
        create(catalog, "shop.items", 1)
        table = catalog.namespace("shop").table("items")
        head = table.state().snapshot_id
        assert head is not None
        assert profile.database_file is not None
        with closing(sqlite3.connect(profile.database_file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert table.state().snapshot_id == head
            assert catalog.version() == catalog.version()
            with pytest.raises(UnavailableError, match="is busy"):
                table.create_ref(Ref("nightly", "tag", head))
            with pytest.raises(UnavailableError, match="is busy"):
                catalog.create_namespace(NamespaceInfo("more"))
            other.execute("ROLLBACK")
        table.create_ref(Ref("nightly", "tag", head))


def test_a_file_of_another_program_is_read_in_the_mode_it_has(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        create(catalog, "shop.items", 1)
    assert profile.database_file is not None
    with closing(sqlite3.connect(profile.database_file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN")
        other.execute("SELECT * FROM iceberg_tables").fetchall()
        with IcebergCatalog(hasty(profile)) as catalog:
            assert catalog.namespace("shop").table("items").state().version == 1
        other.execute("COMMIT")
    with IcebergCatalog(profile) as catalog:
        native = catalog.pyiceberg
        assert isinstance(native, PatientSqlCatalog)
        with native.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_every_connection_logs_ahead_and_waits_for_locks(catalog: IcebergCatalog) -> None:
    native = catalog.pyiceberg
    assert isinstance(native, PatientSqlCatalog)
    with native.engine.connect() as first, native.engine.connect() as second:
        for connection in (first, second):
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000


def test_many_may_open_a_new_catalog_at_once(profile: Profile) -> None:
    program = (
        "import sys; from lakeport.catalog.iceberg.catalog import IcebergCatalog;"
        "from lakeport.catalog.iceberg.profile import Profile;"
        "IcebergCatalog(Profile('lake', 'embedded', sys.argv[1], sys.argv[2])).namespaces()"
    )
    command = [sys.executable, "-c", program, profile.uri or "", profile.warehouse or ""]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    for run in runs:
        _, trouble = run.communicate()
        assert run.returncode == 0, trouble.decode()


def test_a_database_that_is_none_is_told(profile: Profile) -> None:
    assert profile.database_file is not None
    profile.database_file.parent.mkdir()
    profile.database_file.write_text("not a database, but long enough to look like one" * 50)
    with pytest.raises(UnavailableError, match="file is not a database"):
        IcebergCatalog(profile)


@pytest.mark.parametrize("text", ["soon", "-1", "0", "nan", "1e9"])
def test_a_limit_must_be_a_time(profile: Profile, text: str) -> None:
    with pytest.raises(ConfigurationError, match="must be a number of seconds"):
        IcebergCatalog(replace(profile, properties={"lakeport.busy-seconds": text}))


# -- versions ------------------------------------------------------------------------------------


def test_the_version_changes_with_definitions_and_not_with_rows(
    catalog: IcebergCatalog, profile: Profile
) -> None:
    numbers = [catalog.version().number]

    def is_new() -> bool:
        numbers.append(catalog.version().number)
        assert numbers[-1] >= numbers[-2]
        return numbers[-1] != numbers[-2]

    assert not is_new()
    catalog.create_namespace(NamespaceInfo("shop"))
    assert is_new()
    create(catalog, "shop.items")
    assert is_new()
    catalog.namespace("shop").table("items").state()
    append(catalog, "shop.items", 1)
    assert not is_new()
    with IcebergCatalog(profile) as other:
        append(other, "shop.items", 1)
        assert not is_new()
        with other.pyiceberg.load_table("shop.items").update_schema() as change:
            change.add_column("more", LongType())
        assert is_new()
        with other.pyiceberg.load_table("shop.items").transaction() as change_properties:
            change_properties.set_properties(comment="things")
        assert is_new()
        other.pyiceberg.rename_table("shop.items", "shop.things")
        assert is_new()
        other.pyiceberg.update_namespace_properties("shop", updates={"comment": "all"})
        assert is_new()
        other.pyiceberg.drop_table("shop.things")
        assert is_new()
        create(other, "shop.things")
        assert is_new()
    assert not is_new()


def test_a_table_created_anew_under_its_name_is_a_new_version(catalog: IcebergCatalog) -> None:
    create(catalog, "shop.items", 1)
    catalog.namespace("shop").table("items").state()
    before = catalog.version()
    catalog.pyiceberg.drop_table("shop.items")
    create(catalog, "shop.items", 1)
    assert catalog.version() != before


def test_a_table_whose_metadata_is_lost_does_not_stop_the_version(
    catalog: IcebergCatalog, database: sqlite3.Connection
) -> None:
    create(catalog, "shop.items", 1)
    before = catalog.version()
    database.execute("UPDATE iceberg_tables SET metadata_location = 'file:///gone.metadata.json'")
    assert catalog.version() != before
    assert catalog.version() == catalog.version()


def test_many_who_ask_for_the_version_get_one_answer(
    catalog: IcebergCatalog, profile: Profile
) -> None:
    create(catalog, "shop.items", 1)
    catalog.version()
    with IcebergCatalog(profile) as other:
        create(other, "shop.more")
    with ThreadPoolExecutor(8) as pool:
        numbers = set(pool.map(lambda _: catalog.version().number, range(64)))
    assert len(numbers) == 1
