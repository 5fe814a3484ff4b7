"""Rows of the audit in the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.state import AuditEntry, AuditTable, Store


@pytest.fixture
def audit(tmp_path: Path) -> Iterator[AuditTable]:
    with Store.open(f"sqlite:///{tmp_path}/state.db") as store:
        yield store.audit


def test_every_field_comes_back(audit: AuditTable) -> None:
    entry = AuditEntry(
        at_ns=1_700_000_000_000_000_001,
        method="DoAction",
        outcome="NOT_FOUND",
        identity="ann",
        action="flight_info",
        catalog="lake",
        namespace="sälés",
        table="t",
        rows_in=1,
        rows_out=2,
        bytes_in=3,
        bytes_out=2**40,
        ms=0.125,
        trace_id="a",
        session_id="b",
        transaction_id="c",
        peer="d",
    )
    audit.add([entry])
    assert audit.newest(5) == [entry]


def test_texts_of_callers_are_cut_and_made_storable(audit: AuditTable) -> None:
    audit.add([AuditEntry(at_ns=1, method="DoGet", table="a\0b\ud800", trace_id="x" * 5_000)])
    (found,) = audit.newest(1)
    assert found.table == "a\N{REPLACEMENT CHARACTER}b?"
    assert found.trace_id == "x" * 1_000


def test_nothing_is_nothing(audit: AuditTable) -> None:
    audit.add([])
    assert audit.newest(5) == []
    assert list(audit.batches()) == []
    assert audit.forget(10) == 0


def test_it_is_read_in_pieces_oldest_first(audit: AuditTable) -> None:
    audit.add([AuditEntry(at_ns=n, method="DoGet", identity="ab"[n % 2]) for n in range(10)])
    assert [[e.at_ns for e in batch] for batch in audit.batches(size=4)] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]
    assert [e.at_ns for batch in audit.batches(since_ns=7) for e in batch] == [7, 8, 9]
    assert [e.at_ns for batch in audit.batches(identity="b", size=2) for e in batch] == [
        1,
        3,
        5,
        7,
        9,
    ]


def test_older_rows_are_forgotten_however_many(audit: AuditTable) -> None:
    audit.add([AuditEntry(at_ns=n, method="DoGet") for n in range(5_003)])
    assert audit.forget(5_001) == 5_001
    assert [entry.at_ns for entry in audit.newest(10)] == [5_002, 5_001]
