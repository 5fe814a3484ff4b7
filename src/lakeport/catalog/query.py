"""What to read of a table, in a person's words, turned into a request of the ports.

The condition is SQL over the columns of the point read; what of it can skip files becomes a
predicate, the rest an expression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.expressions import Condition, narrow
from lakeport.catalog.ports import ScanRequest, Table, Travelable, require
from lakeport.catalog.reading import read
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.core.timepoint import (
    NANOSECONDS,
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
    parse_point,
)

Point: TypeAlias = str | int | datetime | TimePoint
"""A point in time as people write it: a version, a text for `parse_point`, a moment, or itself."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Query:
    """None means: all columns, no condition, no limit, now. `row_ids` come as the last column."""

    columns: Sequence[str] | None = None
    where: str | None = None
    limit: int | None = None
    at: Point | None = None
    row_ids: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.columns, str):
            raise InvalidRequestError(
                "columns is a list of names, not one text", hint=f"write [{self.columns!r}]"
            )


def open_query(table: Table, query: Query) -> BatchStream:
    """Refuses a bad query before anything is read; closing the stream frees what the scan holds."""
    return read(table, request_of(table, query))


def request_of(table: Table, query: Query) -> ScanRequest:
    point = None if query.at is None else point_of(query.at)
    condition = _condition(table, query.where, point)
    return ScanRequest(
        columns=None if query.columns is None else tuple(query.columns),
        predicate=condition.predicate,
        expression=condition.expression,
        limit=query.limit,
        at=point,
        row_ids=query.row_ids,
    )


def point_of(given: Point) -> TimePoint:
    match given:
        case str():
            return parse_point(given)
        case bool():
            raise InvalidRequestError(f"{given} is not a point in time")
        case int():
            return parse_point(f"version:{given}")
        case datetime():
            # As everywhere, a time without a zone means UTC.
            aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
            past = aware - _EPOCH
            seconds = past.days * 86_400 + past.seconds
            return AtTime(seconds * NANOSECONDS + past.microseconds * 1_000)
        case AtSnapshot() | AtRef() | AtVersion() | AtTime():
            return given


def schema_at(table: Table, point: TimePoint | None) -> pa.Schema:
    """The columns of a table at a point, or now."""
    if point is None:
        return table.state().definition.schema
    travelled = require(table, Travelable, f"table {quoted(str(table.name))}")
    return travelled.state_at(point).definition.schema


def _condition(table: Table, where: str | None, point: TimePoint | None) -> Condition:
    if where is None:
        return Condition(None, None)
    return narrow(where, schema_at(table, point))
