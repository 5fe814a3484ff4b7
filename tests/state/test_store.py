"""The store's database: made once, shared by many, never half migrated."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from lakeport.core.errors import (
    AlreadyExistsError,
    ConfigurationError,
    LakeportError,
    PreconditionError,
    UnavailableError,
)
from lakeport.state import Store, StoredGrant, StoredToken, steps
from lakeport.state.tables import METADATA

READ = (StoredGrant("read", "*", "*"),)


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder}/deep/state.db"


def stored(name: str, digest: bytes | None = None) -> StoredToken:
    return StoredToken(name, digest or name.encode().ljust(32), 1, None, None, None, READ)


def test_it_is_made_at_its_first_use_and_closed_to_strangers(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store:
        assert store.tokens.copy().tokens == ()
    assert (tmp_path / "deep" / "state.db").stat().st_mode & 0o007 == 0


def test_the_steps_lead_to_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    Store.open(url_of(tmp_path)).close()
    engine = create_engine(url_of(tmp_path))
    found = inspect(engine)
    assert set(found.get_table_names()) - {"sqlite_sequence"} == set(METADATA.tables)
    for name, table in METADATA.tables.items():
        columns = {column["name"]: column["nullable"] for column in found.get_columns(name)}
        assert set(columns) == set(table.columns.keys())
        required = {column.name for column in table.columns if not column.nullable}
        keys = set(found.get_pk_constraint(name)["constrained_columns"])
        assert {column for column, nullable in columns.items() if not nullable} | keys == required
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    engine.dispose()


def test_a_store_of_an_older_lakeport_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(steps, "STEPS", steps.STEPS[:1])
        Store.open(url_of(tmp_path)).close()
    engine = create_engine(url_of(tmp_path))
    with engine.begin() as connection:
        connection.execute(
            text("INSERT INTO lakeport_tokens (name, digest, created_ns) VALUES ('ann', x'01', 5)")
        )
        connection.execute(
            text(
                "INSERT INTO lakeport_audit (at_ns, method, rows_in, rows_out, bytes_in, bytes_out,"
                " ms, outcome) VALUES (7, 'DoGet', 1, 2, 3, 4, 0.5, 'OK')"
            )
        )
    engine.dispose()
    with Store.open(url_of(tmp_path)) as store:
        (token,) = store.tokens.copy().tokens
        assert token.name == "ann"
        assert (token.max_rows, token.max_bytes, token.max_calls) == (None, None, None)
        (entry,) = store.audit.newest(5)
        assert (entry.rows_out, entry.rows_changed) == (2, 0)
        store.tokens.add(stored("bob"))


def test_what_was_stored_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store:
        store.tokens.add(stored("ann"))
        before = store.tokens.copy()
    with Store.open(url_of(tmp_path)) as store:
        assert store.tokens.copy() == before


def test_every_change_is_counted(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store, Store.open(url_of(tmp_path)) as other:
        seen = [other.tokens.changes()]
        store.tokens.add(stored("ann"))
        seen.append(other.tokens.changes())
        store.tokens.revoke("ann", 5)
        seen.append(other.tokens.changes())
    assert seen == sorted(set(seen))


def test_a_change_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store:
        store.tokens.add(stored("ann"))
        before = store.tokens.copy()
        with pytest.raises(AlreadyExistsError):
            store.tokens.add(stored("ANN", b"x" * 32))
        assert store.tokens.copy() == before


def test_many_threads_open_one_new_store_at_once(tmp_path: Path) -> None:
    barrier = threading.Barrier(6)
    failures: list[LakeportError] = []

    def work(number: int) -> None:
        barrier.wait()
        try:
            with Store.open(url_of(tmp_path)) as store:
                store.tokens.add(stored(f"t{number}"))
        except LakeportError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with Store.open(url_of(tmp_path)) as store:
        assert {token.name for token in store.tokens.copy().tokens} == {f"t{n}" for n in range(6)}


def test_of_many_processes_one_gets_a_name(tmp_path: Path) -> None:
    program = """
import sys
from lakeport.core.errors import AlreadyExistsError
from lakeport.state import Store, StoredToken
with Store.open(sys.argv[1]) as store:
    sys.stdin.read()
    try:
        store.tokens.add(StoredToken("ann", sys.argv[2].encode(), 1, None, None, None, ()))
    except AlreadyExistsError:
        print("taken")
    else:
        print("made")
"""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, url_of(tmp_path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    outcomes = sorted(process.communicate("")[0].strip() for process in running)
    assert outcomes == ["made", "taken", "taken"]


def test_the_store_of_a_newer_lakeport_is_refused(tmp_path: Path) -> None:
    Store.open(url_of(tmp_path)).close()
    engine = create_engine(url_of(tmp_path))
    with engine.begin() as connection:
        connection.execute(text("UPDATE lakeport_numbers SET value = 99 WHERE name = 'schema'"))
    engine.dispose()
    with pytest.raises(PreconditionError, match="newer Lakeport"):
        Store.open(url_of(tmp_path))


@pytest.mark.parametrize("url", ["", "state.db", "mysql://h/d", "sqlite://", "sqlite:///:memory:"])
def test_an_address_that_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        Store.open(url)


def test_a_store_that_cannot_be_opened_says_so_without_its_place(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file where the folder should be")
    with pytest.raises(UnavailableError) as refused:
        Store.open(url_of(tmp_path))
    assert str(tmp_path) not in str(refused.value)
    (tmp_path / "state.db").write_bytes(b"not a database " * 1_000)
    with pytest.raises(UnavailableError) as refused:
        Store.open(f"sqlite:///{tmp_path}/state.db")
    assert str(tmp_path) not in str(refused.value)
