"""`time_range`: the rows of a stretch of time are replaced; what was staged outside of it is left out.

Where the stretch is made of whole partitions, one overwrite by filter does it: Iceberg drops files
whole and refuses to cut one. That statement takes no column list; the projection is in the table's
order. Elsewhere a DELETE and an INSERT go to a branch of the run's own and main is moved to it at
once, so that no reader sees the state between.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.names import fold
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.spark_select import expression
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.strategies.branch import on_branch
from lakeport.pipeline.strategies.literals import point_literal
from lakeport.pipeline.strategies.write import MEANING, Statement, TimeRange, Write
from lakeport.pipeline.target.run import PROPERTY, UNFINISHED

_TERM = re.compile(r'\s*(?:(year|month|day|hour)s?\s*\(\s*)?"?([^"()]+?)"?\s*\)?\s*', re.IGNORECASE)
# What of a point in time must be at its beginning for a partition of that size to begin there.
_BEGINNING = {
    "hour": ("minute", "second", "microsecond"),
    "day": ("hour", "minute", "second", "microsecond"),
    "month": ("day", "hour", "minute", "second", "microsecond"),
    "year": ("month", "day", "hour", "minute", "second", "microsecond"),
}


def time_range(write: Write) -> tuple[Statement, ...]:
    span, column = range_of(write)
    condition = within(identifier(column.name), column, span)
    if span.start >= span.end:
        raise InvalidRequestError(
            f"the range from {span.start.isoformat()} to {span.end.isoformat()} is empty",
            hint="the end comes after the start and is not part of the range",
        )
    if is_aligned(write.partitioned_by, span):
        overwrite = f"INSERT INTO {write.target.sql} REPLACE WHERE {condition}"
        return (Statement(f"{overwrite}\n{_select(write, column, span)}"),)
    return on_branch(write, lambda aside: _replaced(aside, condition, column, span))


def left_out(write: Write) -> str:
    """Counts the staged rows that the range does not take, for a warning."""
    span, column = range_of(write)
    inside = within(expression(column), column, span)
    return f"SELECT count_if(({inside}) IS NOT TRUE)\nFROM {write.staged.sql}"


def within(value: str, column: Projected, span: TimeRange) -> str:
    start, end = (point_literal(column, point) for point in (span.start, span.end))
    return f"{value} >= {start} AND {value} < {end}"


def is_aligned(partitioned_by: tuple[str, ...], span: TimeRange) -> bool:
    """Whether every partition lies inside of the range or outside, by one of the table's terms."""
    return any(_separates(term, span) for term in partitioned_by)


def _separates(term: str, span: TimeRange) -> bool:
    found = _TERM.fullmatch(term)
    if found is None or fold(found[2]) != fold(span.column):
        return False
    unit = found[1]
    return unit is None or all(_begins(unit.lower(), point) for point in (span.start, span.end))


def _begins(unit: str, point: date | datetime) -> bool:
    # Iceberg's days and hours are UTC's.
    at = point.astimezone(UTC) if isinstance(point, datetime) and point.tzinfo else point
    least = {"month": 1, "day": 1}
    return all(getattr(at, part, 0) == least.get(part, 0) for part in _BEGINNING[unit])


def range_of(write: Write) -> tuple[TimeRange, Projected]:
    span = write.time_range
    if span is None:
        raise InvalidRequestError(
            "this strategy needs a time_column and a range", hint="give the run a start and an end"
        )
    column = write.given.get(span.column)
    if column is None:
        raise NotFoundError.among(
            "column", span.column, write.given, where="for its time_column the model"
        )
    return span, column


def _select(write: Write, column: Projected, span: TimeRange) -> str:
    return f"{write.select}\nWHERE {within(expression(column), column, span)}"


def _replaced(
    aside: Write, condition: str, column: Projected, span: TimeRange
) -> tuple[Statement, ...]:
    table = aside.target.sql
    return (
        # A crash after it leaves a branch that must not be taken for what it was to become.
        Statement(
            f"DELETE FROM {table} WHERE {condition}",  # noqa: S608 names are quoted
            {**MEANING, PROPERTY + UNFINISHED: "true"},
        ),
        Statement(f"INSERT INTO {table} ({aside.columns})\n{_select(aside, column, span)}"),
    )
