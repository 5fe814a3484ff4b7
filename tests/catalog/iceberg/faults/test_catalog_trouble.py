"""The catalog is gone, busy or silent at the moment of a commit: nothing is lost, half or done twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import Ref
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import LakeportError, UnavailableError
from tests.catalog.iceberg.faults.leftovers import unnamed
from tests.catalog.iceberg.faults.statements import (
    STATEMENTS,
    State,
    Statement,
    assert_nothing_is_left,
    make_table,
    refusal_of,
)
from tests.catalog.iceberg.rest_server import RestServer, WithheldError, rest_server

# How long to wait for what never comes. Whatever is to succeed has all the time of the defaults.
IMPATIENT = {"lakeport.busy-seconds": "0.1", "lakeport.settle-seconds": "0.2"}

statements = pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)


def assert_told(error: LakeportError | None, profile: Profile) -> UnavailableError:
    assert isinstance(error, UnavailableError), repr(error)
    assert error.hint, str(error)
    for inside in ("Traceback", "0x", "sqlalchemy", "site-packages", "\n"):
        assert inside not in str(error)
    told = str(error).replace(str(profile), "")
    assert "/warehouse" not in told
    return error


# -- a database ----------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "catalog.db"


@pytest.fixture
def local(tmp_path: Path, database: Path) -> Iterator[IcebergCatalog]:
    uri = f"sqlite:///{database}"
    profile = Profile("lake", "embedded", uri, f"{tmp_path}/warehouse", IMPATIENT)
    with IcebergCatalog(profile) as catalog:
        yield catalog


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another program is writing to the database and does not end."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def emptied(database: Path) -> Iterator[None]:
    """The catalog's tables are gone, as after a wrong restore; then they are back."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("ALTER TABLE iceberg_tables RENAME TO iceberg_tables_aside")
        yield
        other.execute("DROP TABLE IF EXISTS iceberg_tables")
        other.execute("ALTER TABLE iceberg_tables_aside RENAME TO iceberg_tables")


@statements
@pytest.mark.parametrize("trouble", [held, emptied], ids=["locked", "without its tables"])
def test_a_database_in_trouble_refuses_a_statement(
    local: IcebergCatalog,
    database: Path,
    statement: Statement,
    trouble: Callable[[Path], Any],
) -> None:
    table = make_table(local, "orders")
    before = State.of(table)
    with trouble(database):
        error = refusal_of(table, statement)
    assert_told(error, local.profile)
    assert State.of(table) == before
    assert_nothing_is_left(local, table)
    statement(table)
    assert State.of(table).version == before.version + 1


def test_a_database_that_is_locked_after_the_files_were_written(
    local: IcebergCatalog, database: Path
) -> None:
    table = make_table(local, "orders")
    before = State.of(table)
    with table.insert() as write:
        write.add(_rows(3))
        with held(database), pytest.raises(UnavailableError) as caught:
            write.commit()
    assert_told(caught.value, local.profile)
    assert State.of(table) == before
    assert_nothing_is_left(local, table)


# -- a service -----------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestServer]:
    with rest_server(tmp_path / "rest") as started:
        yield started


@pytest.fixture
def remote(server: RestServer) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(server.profile(**IMPATIENT), max_staleness=0.0) as catalog:
        yield catalog


def withheld(status: int | None, *, applied: bool, times: int = 1) -> Callable[[Any], Any]:
    """Around the next commits: the caller is not told what became of them."""
    left = times

    def around(commit: Callable[[], Any]) -> Any:
        nonlocal left
        if left == 0:
            return commit()
        left -= 1
        if applied:
            commit()
        raise WithheldError(status)

    return around


STATUSES = [500, 502, 504, None]
silence = pytest.mark.parametrize("status", STATUSES)


@pytest.mark.parametrize(
    ("name", "status"),
    [*((name, 500) for name in STATEMENTS), *(("insert", status) for status in STATUSES[1:])],
)
def test_a_commit_that_was_made_but_not_answered_is_recognised(
    remote: IcebergCatalog, server: RestServer, name: str, status: int | None
) -> None:
    statement = STATEMENTS[name]
    table = make_table(remote, "orders")
    twin = make_table(remote, "twin")
    server.around_commit = withheld(status, applied=True)
    before = State.of(table).version
    assert refusal_of(table, statement) is None
    server.around_commit = lambda commit: commit()
    statement(twin)
    assert State.of(table) == State.of(twin)
    assert State.of(table).version == before + 1
    assert_nothing_is_left(remote, table)


def test_a_commit_that_was_overtaken_while_nobody_answered_is_made_once(
    remote: IcebergCatalog, server: RestServer
) -> None:
    """Another writer moved the head, so the silent commit can no longer be made: it is sent again."""
    table = make_table(remote, "orders")
    before = State.of(table)
    with IcebergCatalog(server.profile(**IMPATIENT), max_staleness=0.0) as elsewhere:
        other = elsewhere.namespace("shop").table("orders")

        def overtaken(_: Callable[[], Any]) -> Any:
            server.around_commit = lambda commit: commit()
            insert_rows(other, [{"k": -1}])
            raise WithheldError(500)

        server.around_commit = overtaken
        assert refusal_of(table, STATEMENTS["insert"]) is None
    after = State.of(table)
    assert after.version == before.version + 2
    assert len(after.rows) == len(before.rows) + 1 + 20
    assert_nothing_is_left(remote, table)


def test_a_tag_that_was_made_but_not_answered_is_recognised(
    remote: IcebergCatalog, server: RestServer
) -> None:
    table = make_table(remote, "orders")
    head = table.state().snapshot_id
    assert head is not None
    server.around_commit = withheld(500, applied=True)
    table.create_ref(Ref("monday", "tag", head))
    assert Ref("monday", "tag", head) in table.refs()
    server.around_commit = withheld(500, applied=True)
    table.drop_ref("monday")
    assert [ref.name for ref in table.refs()] == ["main"]
    server.around_commit = withheld(500, applied=True)
    table.expire(keep=1)
    assert [info.snapshot_id for info in table.history()] == [head]
    assert_nothing_is_left(remote, table)


@silence
def test_a_commit_that_may_still_be_made_is_neither_repeated_nor_undone(
    remote: IcebergCatalog, server: RestServer, status: int | None
) -> None:
    """The service says nothing and has done nothing yet: a slow one may still do it."""
    table = make_table(remote, "orders")
    before = State.of(table)
    late: list[Callable[[], Any]] = []

    def keep(commit: Callable[[], Any]) -> Any:
        late.append(commit)
        raise WithheldError(status)

    server.around_commit = keep
    error = assert_told(refusal_of(table, STATEMENTS["insert"]), remote.profile)
    assert len(late) == 1, "it was sent again"
    assert State.of(table) == before
    stored = remote.pyiceberg.load_table(("shop", "orders"))
    waiting = unnamed(stored)
    assert waiting, "the files that a late commit would name are gone"
    late[0]()
    after = State.of(table)
    assert len(after.rows) == len(before.rows) + 20
    assert str(_snapshot_id(table)) in str(error)


def test_a_service_that_stopped_after_the_files_were_written(tmp_path: Path) -> None:
    with ExitStack() as stack:
        service = stack.enter_context(ExitStack())
        server = service.enter_context(rest_server(tmp_path / "rest"))
        profile = server.profile(**IMPATIENT)
        catalog = stack.enter_context(IcebergCatalog(profile, max_staleness=0.0))
        table = make_table(catalog, "orders")
        before = State.of(table)
        write = table.insert()
        write.add(_rows(3))
        service.close()
        with pytest.raises(LakeportError) as caught:
            write.commit()
        assert_told(caught.value, profile)
    with (
        rest_server(tmp_path / "rest") as server,
        IcebergCatalog(server.profile(**IMPATIENT)) as catalog,
    ):
        table = catalog.namespace("shop").table("orders")
        assert State.of(table) == before
        assert_nothing_is_left(catalog, table)


def _rows(count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"k": list(range(count))})


def _snapshot_id(table: IcebergTable) -> int | None:
    return table.state().snapshot_id
