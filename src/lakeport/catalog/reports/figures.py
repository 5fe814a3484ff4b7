"""How large a table is, by the summary of its newest snapshot: no file is opened to find out.

Iceberg writes these totals with every commit, but they are optional: what a writer left out is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_REPLACE = "replace"
"""What a commit is called that leaves the rows as they are: other files, or other columns."""


@dataclass(frozen=True, slots=True)
class Figures:
    """`rows` are the live ones; None where equality deletes hide how many those are."""

    rows: int | None = 0
    bytes: int | None = 0
    data_files: int | None = 0
    delete_files: int | None = 0
    deleted_rows: int | None = 0


UNKNOWN = Figures(None, None, None, None, None)
"""Of a table that keeps no history."""


def figures_of(summary: Mapping[str, str] | None) -> Figures:
    """Of a table without a snapshot, everything is 0."""
    if summary is None:
        return Figures()
    records = _number(summary, "total-records")
    by_position = _number(summary, "total-position-deletes") or 0
    by_equality = _number(summary, "total-equality-deletes") or 0
    rows = None if records is None or by_equality else max(0, records - by_position)
    return Figures(
        rows=rows,
        bytes=_number(summary, "total-files-size"),
        data_files=_number(summary, "total-data-files"),
        delete_files=_number(summary, "total-delete-files") or 0,
        deleted_rows=None if by_equality else by_position,
    )


@dataclass(frozen=True, slots=True)
class Movement:
    """Rows that a commit added and took away, and how many there were then; None where unknown."""

    added: int | None
    deleted: int | None
    rows: int | None


def movement_of(operation: str, summary: Mapping[str, str]) -> Movement:
    """Iceberg counts the rows of files: one that is deleted by its position stays in its file, and
    leaves a second time when the file does.
    """
    then = figures_of(summary).rows
    if operation == _REPLACE:
        return Movement(None, None, then)
    in_files = _number(summary, "added-records"), _number(summary, "deleted-records")
    by_position = _number(summary, "added-position-deletes")
    if in_files == (None, None) and by_position is None:
        return Movement(None, None, then)  # the writer does not count
    added, deleted = (count or 0 for count in in_files)
    before = _number(summary, "removed-position-deletes") or 0
    by_equality = _number(summary, "added-equality-deletes")
    left = None if by_equality else max(0, deleted - before) + (by_position or 0)
    return Movement(added, left, then)


def _number(summary: Mapping[str, str], key: str) -> int | None:
    text = summary.get(key, "")
    return int(text) if text.isdigit() else None
