"""The audit's way to the store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from lakeport.access import AuditEntry, AuditLog
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state import Store

DAY = 86_400 * NANOSECONDS
CALL = AuditEntry(
    at_ns=1_000 * DAY,
    method="DoGet",
    identity="ann",
    catalog="lake",
    namespace="sales",
    table="orders",
    rows_out=7,
    bytes_out=512,
    ms=1.25,
    trace_id="trace",
    session_id="session",
    peer="ipv4:127.0.0.1:5",
)


@pytest.fixture
def log(store: Store) -> Iterator[AuditLog]:
    with AuditLog(store.audit, keep_days=None) as opened:
        yield opened


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Somebody else holds the store's lock."""
    engine = create_engine(f"sqlite:///{path}", connect_args={"isolation_level": None})
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield
        connection.exec_driver_sql("ROLLBACK")
    engine.dispose()


def test_what_was_recorded_is_in_the_store_after_a_flush(store: Store, log: AuditLog) -> None:
    log.record(CALL)
    log.record(replace(CALL, method="ListFlights", outcome="UNAUTHENTICATED", identity=None))
    assert log.flush()
    newest, oldest = store.audit.newest(10)
    assert oldest == CALL
    assert (newest.outcome, newest.identity) == ("UNAUTHENTICATED", None)


def test_entries_keep_their_order_over_many_batches(store: Store, log: AuditLog) -> None:
    for number in range(2_500):
        log.record(replace(CALL, at_ns=number))
    assert log.flush(30)
    kept = [entry.at_ns for batch in store.audit.batches() for entry in batch]
    assert kept == list(range(2_500))


def test_two_servers_write_into_one_store(store: Store, tmp_path: Path) -> None:
    with (
        Store.open(f"sqlite:///{tmp_path}/state.db") as other,
        AuditLog(store.audit, keep_days=None) as here,
        AuditLog(other.audit, keep_days=None) as there,
    ):
        for number in range(1_500):
            here.record(replace(CALL, at_ns=number, identity="here"))
            there.record(replace(CALL, at_ns=number, identity="there"))
    for name in ("here", "there"):
        kept = [entry.at_ns for batch in store.audit.batches(identity=name) for entry in batch]
        assert kept == list(range(1_500))


def test_the_end_writes_the_rest(store: Store) -> None:
    with AuditLog(store.audit, keep_days=None) as log:
        for _ in range(3):
            log.record(CALL)
    assert len(store.audit.newest(10)) == 3
    log.record(CALL)
    assert log.dropped == 1


def test_callers_do_not_wait_while_the_store_is_locked(store: Store, tmp_path: Path) -> None:
    log = AuditLog(store.audit, keep_days=None, capacity=10)
    with locked(tmp_path / "state.db"):
        done = threading.Event()

        def call() -> None:
            for _ in range(2_000):
                log.record(CALL)
            done.set()

        caller = threading.Thread(target=call)
        caller.start()
        assert done.wait(20)  # the store answers only after this block
        assert not log.flush(0)
        caller.join()
    assert log.flush(30)
    log.close()
    written = len(store.audit.newest(5_000))
    assert written + log.dropped == 2_000
    assert written >= 10


def test_a_transactions_outcome_is_that_of_its_last_exchange(store: Store, log: AuditLog) -> None:
    exchange = replace(CALL, method="DoExchange", transaction_id="t")
    assert log.last_outcome("t") is None
    log.record(exchange)
    log.record(replace(exchange, outcome="ABORTED"))
    log.record(replace(CALL, transaction_id="t"))  # a read changes nothing about it
    log.record(replace(exchange, transaction_id="other"))
    assert log.last_outcome("t") == "ABORTED"
    assert log.flush()
    assert log.last_outcome("t") == "ABORTED"
    assert store.audit.last_outcome("other") == "OK"
    assert log.last_outcome("never") is None


@pytest.mark.parametrize(
    ("method", "action", "decides"),
    [
        ("DoExchange", "insert", True),
        ("DoPut", "insert", True),
        ("DoPut", None, True),
        ("DoAction", "Delete", True),
        ("DoExchange", "scalar_function", False),
        ("DoExchange", "table_function_in_out", False),
        ("DoAction", "create_transaction", False),
        ("DoGet", None, False),
    ],
)
def test_whatever_changes_rows_decides_the_outcome(
    store: Store, log: AuditLog, method: str, action: str | None, *, decides: bool
) -> None:
    log.record(replace(CALL, method=method, action=action, transaction_id="t", outcome="ABORTED"))
    expected = "ABORTED" if decides else None
    assert log.last_outcome("t") == expected
    assert log.flush()
    assert store.audit.last_outcome("t") == expected


def test_old_entries_are_forgotten(store: Store) -> None:
    store.audit.add([replace(CALL, at_ns=day * DAY) for day in range(80, 101)])
    with AuditLog(store.audit, keep_days=10, now_ns=lambda: 100 * DAY) as log:
        log.record(replace(CALL, at_ns=100 * DAY))
    kept = sorted(entry.at_ns // DAY for entry in store.audit.newest(100))
    assert kept == [*range(90, 101), 100]


def test_a_store_that_is_gone_loses_entries_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/state.db")
    store.close()
    (tmp_path / "state.db").write_bytes(b"no database at all " * 500)
    log = AuditLog(store.audit, keep_days=None)
    with caplog.at_level(logging.WARNING, logger="lakeport"):
        log.record(CALL)
        log.close()
    assert {"audit.failed", "audit.lost"} <= {record.message for record in caplog.records}
    store.close()
