from __future__ import annotations

import pytest

from lakeport.catalog.definition import Check, Constraint, PrimaryKey, Unique
from lakeport.catalog.reports.description import constraint_text
from lakeport.catalog.reports.figures import Figures, Movement, figures_of, movement_of

TOTALS = {
    "total-records": "10",
    "total-files-size": "2048",
    "total-data-files": "3",
    "total-delete-files": "1",
    "total-position-deletes": "4",
    "total-equality-deletes": "0",
}


def test_a_table_without_a_snapshot_is_empty() -> None:
    assert figures_of(None) == Figures(0, 0, 0, 0, 0)


def test_deleted_positions_are_no_rows() -> None:
    assert figures_of(TOTALS) == Figures(6, 2048, 3, 1, 4)


def test_equality_deletes_hide_how_many_rows_are_left() -> None:
    assert figures_of({**TOTALS, "total-equality-deletes": "2"}) == Figures(None, 2048, 3, 1, None)


def test_what_a_writer_left_out_is_unknown() -> None:
    assert figures_of({"total-records": "many"}) == Figures(None, None, None, 0, 0)


@pytest.mark.parametrize(
    ("summary", "movement"),
    [
        ({"added-records": "3"}, Movement(3, 0, 6)),
        ({"added-records": "3", "added-position-deletes": "3"}, Movement(3, 3, 6)),
        ({"added-position-deletes": "1"}, Movement(0, 1, 6)),
        ({"deleted-records": "5", "removed-position-deletes": "2"}, Movement(0, 3, 6)),
        ({"added-equality-deletes": "1", "added-records": "1"}, Movement(1, None, 6)),
        ({}, Movement(None, None, 6)),
    ],
)
def test_a_commit_moves_rows(summary: dict[str, str], movement: Movement) -> None:
    assert movement_of("overwrite", {**TOTALS, **summary}) == movement


def test_files_that_replace_files_move_no_rows() -> None:
    summary = {**TOTALS, "added-records": "6", "deleted-records": "10"}
    assert movement_of("replace", summary) == Movement(None, None, 6)


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (PrimaryKey(("a", "b")), "PRIMARY KEY (a, b)"),
        (Unique(("a",), "one"), "CONSTRAINT one UNIQUE (a)"),
        (Check("(a > 0)", "positive"), "CONSTRAINT positive CHECK (a > 0)"),
        (Check("(a > 0) OR (b > 0)", "either"), "CONSTRAINT either CHECK ((a > 0) OR (b > 0))"),
        (Check("a", "flag"), "CONSTRAINT flag CHECK (a)"),
    ],
)
def test_rules_read_as_sql_declares_them(constraint: Constraint, text: str) -> None:
    assert constraint_text(constraint) == text
