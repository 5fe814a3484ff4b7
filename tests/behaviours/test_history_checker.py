"""The checker itself, on histories small enough to judge by eye."""

from __future__ import annotations

import pytest

from tests.behaviours.history import (
    Added,
    Deed,
    Deleted,
    Dropped,
    Entry,
    ImpossibleHistoryError,
    Inserted,
    Renamed,
    Row,
    Truncated,
    Updated,
    check_history,
    shared_touches,
)

A: Row = {"id": 1, "value": 10}
B: Row = {"id": 2, "value": 20}


def check(seen: dict[int, list[Row]], *entries: Entry) -> None:
    check_history(("id", "value"), entries, max(seen), lambda version: seen[version])


def said(read: int, version: int, deed: Deed, writer: int = 0) -> Entry:
    return Entry(writer, read, version, deed)


def test_a_serial_history_passes() -> None:
    changed: Row = {"id": 1, "value": 11}
    check(
        {1: [A, B], 2: [B, changed], 3: [changed], 4: []},
        said(0, 1, Inserted((A, B))),
        said(1, 2, Updated((A,), {1: {"value": 11}})),
        said(1, 3, Deleted((B,))),
        said(2, 4, Truncated()),
    )


def test_columns_are_followed_through_renames() -> None:
    check(
        {1: [A], 2: [{"id": 1, "price": 10}], 3: [{"id": 1, "price": 12}], 4: [{"id": 1}]},
        said(0, 1, Inserted((A,))),
        said(1, 2, Renamed("value", "price")),
        said(1, 3, Updated((A,), {1: {"value": 12}})),
        said(3, 4, Dropped("price")),
    )


def test_an_added_column_is_null_in_rows_that_exist() -> None:
    check(
        {1: [A], 2: [{**A, "extra": None}]},
        said(0, 1, Inserted((A,))),
        said(1, 2, Added("extra")),
    )


def test_statements_of_one_commit_share_a_version() -> None:
    check(
        {1: [A, B]},
        said(0, 1, Inserted((A,))),
        said(0, 1, Inserted((B,)), writer=1),
    )


@pytest.mark.parametrize(
    ("seen", "entries", "report"),
    [
        (
            {1: [A], 2: [{"id": 1, "value": 11}], 3: [{"id": 1, "value": 12}]},
            (
                said(0, 1, Inserted((A,))),
                said(1, 2, Updated((A,), {1: {"value": 11}})),
                said(1, 3, Updated((A,), {1: {"value": 12}})),
            ),
            "lost update",
        ),
        ({1: [A, A]}, (said(0, 1, Inserted((A,))),), "twice"),
        ({1: [A]}, (said(0, 1, Inserted((A, B))),), "partial statement"),
        (
            {1: [A, B], 2: [A]},
            (said(0, 1, Inserted((A, B))), said(1, 2, Deleted((A,)))),
            "wrong row",
        ),
        (
            {1: [A], 2: [], 3: []},
            (
                said(0, 1, Inserted((A,))),
                said(1, 2, Deleted((A,))),
                said(1, 3, Deleted((A,))),
            ),
            "stale row id",
        ),
        ({1: [A], 2: [A, B]}, (said(0, 1, Inserted((A,))),), "acknowledged were 1"),
        ({2: [A]}, (said(0, 2, Inserted((A,))),), "nobody was told about version 1"),
    ],
    ids=["lost", "double", "partial", "wrong row", "gone", "unknown version", "skipped version"],
)
def test_an_impossible_history_is_reported(
    seen: dict[int, list[Row]], entries: tuple[Entry, ...], report: str
) -> None:
    with pytest.raises(ImpossibleHistoryError, match=report):
        check(seen, *entries)


def test_shared_touches_count_statements_on_rows_of_other_writers() -> None:
    entries = (
        said(1, 2, Deleted((A,)), writer=0),
        said(1, 3, Updated((A,), {1: {"value": 1}}), writer=1),
        said(1, 4, Updated((B,), {2: {"value": 1}}), writer=1),
    )
    assert shared_touches(entries) == 2
