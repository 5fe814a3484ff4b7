"""Intervals, parts of dates, and functions that move or cut an instant.

Spark keeps the kind of a timestamp through most of them; a date or a text becomes a timestamp. What
`+` and `-` do with dates stands in `operators`.
"""

from __future__ import annotations

import re

from sqlglot import exp

from lakeport.lineage.types.model import (
    BIGINT,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    INSTANT,
    INT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    SqlType,
    decimal,
    interval_of,
    spans,
)
from lakeport.lineage.types.read import SPARK_FAMILY, interval_in
from lakeport.lineage.types.rules import THIS, Answer, Rule, Types, argument, nothing, positional

_SECONDS = decimal(8, 6)
_HOURS = frozenset({"h", "hour", "hours", "hr", "hrs"})
_NARROW_PARTS = (
    _HOURS | {"mon", "mons", "month", "months"} | {"m", "min", "mins", "minute", "minutes"}
)
_SECOND_PARTS = frozenset({"s", "sec", "second", "seconds", "secs"})


def interval(node: exp.Expr, _: Types, dialect: str) -> SqlType | None:
    unit = node.args.get("unit")
    if dialect not in SPARK_FAMILY:
        return CALENDAR_INTERVAL
    if unit is None:
        return _interval_text(node.name)
    return interval_in(unit)


def _interval_text(text: str) -> SqlType | None:
    """`INTERVAL '1 year 2 months'`: the units stand in the text."""
    units = [interval_of(word) for word in re.findall(r"[a-zA-Z]+", text)]
    covered = units[0] if units else None
    for unit in units[1:]:
        covered = spans(covered, unit) if covered and unit else None
    return covered


_WHOLE_PARTS = {"date": DATE, "time": SqlType("time"), "datetime": TIMESTAMP_NTZ}


def date_part(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """`extract` and `date_part`: seconds have a fraction, parts of intervals are small.

    BigQuery takes a date or a time out of a moment, too.
    """
    part = node.this if isinstance(node, exp.Extract) else next(iter(node.expressions), None)
    if part is None or isinstance(part, exp.Null):
        return DOUBLE
    name = part.name.lower()
    if dialect == "bigquery" and name in _WHOLE_PARTS:
        return _WHOLE_PARTS[name]
    if name in _SECOND_PARTS:
        return _seconds(types[-1] if types else None)
    if types and types[-1] is not None and types[-1].kind == "interval" and name in _NARROW_PARTS:
        return BIGINT if types[-1] == CALENDAR_INTERVAL and name in _HOURS else TINYINT
    return INT


def _seconds(type_: SqlType | None) -> SqlType:
    """Two digits and the fraction that the value can have."""
    if type_ is not None and type_.parameters and type_.kind in INSTANT | {"time"}:
        return decimal(2 + type_.parameters[0], type_.parameters[0])
    return _SECONDS


def date_difference(node: exp.Expr, _: Types, __: str) -> SqlType | None:
    """In days it is an int; `datediff(unit, …)` is another function."""
    return INT if node.args.get("unit") is None else BIGINT


def moved_instant(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """`timestampadd`: an instant stays what it is, a date or text becomes a timestamp."""
    type_ = types[0] if types else None
    return type_ if type_ is not None and type_.kind in INSTANT else TIMESTAMP


def truncated_instant(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    type_ = types[0] if types else None
    return type_ if type_ == TIMESTAMP_NTZ else TIMESTAMP


def truncated_time(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """The value keeps its precision, on whichever side of the unit it stands."""
    return next((type_ for type_ in types if type_ is not None and type_.kind == "time"), TIME)


TIME_NODES: dict[type[exp.Expr], Answer] = {
    exp.Interval: Rule(nothing, interval),
    exp.Extract: Rule(argument("expression"), date_part),
    exp.DateDiff: Rule(nothing, date_difference),
    exp.TimestampAdd: Rule(THIS, moved_instant),
    exp.TimestampTrunc: Rule(THIS, truncated_instant),
    exp.DateTrunc: DATE,
    exp.TimeTrunc: Rule(argument("this", "unit"), truncated_time),
}
TIME_NAMES: dict[str, Answer] = {
    "time_bucket": Rule(positional(1), moved_instant),
    "date_part": Rule(positional(1), date_part),
    "datepart": Rule(positional(1), date_part),
    "time_to_seconds": decimal(14, 6),
    "timestamp_nanos": SqlType("timestamp", (9,)),
    "unix_nanos": decimal(21, 0),
}
