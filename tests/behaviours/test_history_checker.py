"""The checker itself, on histories small enough to judge by eye."""

from __future__ import annotations

import pytest

from tests.behaviours.history import (
    Added,
    Attempt,
    Deed,
    Deleted,
    Dropped,
    Entry,
    ImpossibleHistoryError,
    Inserted,
    Overwritten,
    Renamed,
    Row,
    Tidied,
    Truncated,
    Updated,
    check_history,
    shared,
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


def test_upkeep_is_a_version_that_changes_nothing() -> None:
    check({1: [A], 2: [A]}, said(0, 1, Inserted((A,))), said(1, 2, Tidied()))
    with pytest.raises(ImpossibleHistoryError, match="wrong row"):
        check({1: [A, B], 2: [A]}, said(0, 1, Inserted((A, B))), said(1, 2, Tidied()))


def test_an_overwrite_leaves_its_own_rows_alone() -> None:
    check({1: [A], 2: [B]}, said(0, 1, Inserted((A,))), said(1, 2, Overwritten((B,))))
    with pytest.raises(ImpossibleHistoryError, match="partial statement"):
        check({1: [A], 2: [A, B]}, said(0, 1, Inserted((A,))), said(1, 2, Overwritten((B,))))


def test_one_order_of_a_group_has_to_explain_it() -> None:
    entries = (said(0, 1, Inserted((A,))), said(1, 2, Inserted((B,))), said(1, 2, Truncated()))
    check({1: [A], 2: []}, *entries)
    check({1: [A], 2: [B]}, *entries)
    with pytest.raises(ImpossibleHistoryError):
        check({1: [A], 2: [A, B]}, *entries)


def test_expired_versions_are_passed_over_but_not_forgotten() -> None:
    entries = (
        said(0, 1, Inserted((A, B))),
        said(1, 2, Deleted((A,))),
        said(2, 3, Updated((B,), {2: {"value": 21}})),
    )
    left: dict[int, list[Row]] = {3: [{"id": 2, "value": 21}]}
    states = check_history(("id", "value"), entries, 3, left.get, kept=1)
    assert states[1] == (A, B)
    assert states[2] == (B,)
    for wrong in ([A, {"id": 2, "value": 21}], [B]):
        with pytest.raises(ImpossibleHistoryError, match="partial statement"):
            check_history(("id", "value"), entries, 3, {3: wrong}.get, kept=1)


@pytest.mark.parametrize("kept", [None, 2])
def test_a_version_that_should_be_kept_is_missed(kept: int | None) -> None:
    entries = (said(0, 1, Inserted((A,))), said(1, 2, Inserted((B,))))
    with pytest.raises(ImpossibleHistoryError, match="should have been kept"):
        check_history(("id", "value"), entries, 2, {2: [A, B]}.get, kept=kept)


def test_statements_on_rows_of_other_writers_are_counted() -> None:
    attempts = [
        Attempt(0, frozenset({1})),
        Attempt(1, frozenset({1, 5})),
        Attempt(1, frozenset({2})),
        Attempt(1, frozenset({2})),
        Attempt(2),
    ]
    assert shared(attempts) == 2
