"""Aggregates and window functions, and the clauses that wrap them.

Spark adds ten digits to the sum of decimals and four to both sides of their average; other engines
each have their own idea of a sum, so only the ones that agree are answered.
"""

from __future__ import annotations

from sqlglot import exp

from lakeport.lineage.types.decimals import bounded
from lakeport.lineage.types.model import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DAY_TO_SECOND,
    DOUBLE,
    FLOATING,
    INTEGRAL,
    STRING,
    TINYINT,
    YEAR_TO_MONTH,
    SqlType,
    array_of,
    is_day_time,
    is_year_month,
)
from lakeport.lineage.types.nested import most_frequent
from lakeport.lineage.types.read import SPARK_FAMILY
from lakeport.lineage.types.rules import (
    FIRST,
    LISTED,
    THIS,
    Answer,
    Rule,
    Types,
    array_of_first,
    first,
)

# What the sum of 32-bit integers is, where it is not Spark's bigint.
_INTEGER_SUM = {
    "duckdb": SqlType("int128"),
    "postgres": BIGINT,
    "redshift": BIGINT,
    "trino": BIGINT,
    "presto": BIGINT,
    "athena": BIGINT,
    "bigquery": BIGINT,
    "clickhouse": BIGINT,
}


def total(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    type_ = types[0] if types else None
    if type_ is None:
        return None
    if dialect not in SPARK_FAMILY:
        return _other_total(type_, dialect)
    if type_.kind == "decimal":
        precision, scale = type_.parameters
        return bounded(precision + 10, scale)
    if type_.kind in INTEGRAL:
        return BIGINT
    return type_ if type_.kind == "interval" else DOUBLE


def _other_total(type_: SqlType, dialect: str) -> SqlType | None:
    if type_.kind in FLOATING:
        return DOUBLE
    if type_.kind == "decimal":
        return SqlType("decimal")
    if type_.kind == "bigint" and dialect in {"postgres", "redshift"}:
        return SqlType("decimal")
    return _INTEGER_SUM.get(dialect) if type_.kind in INTEGRAL else None


def average(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    type_ = types[0] if types else None
    if type_ is None:
        return None
    if dialect not in SPARK_FAMILY:
        return DOUBLE if type_.kind in FLOATING else None
    if type_.kind == "decimal":
        precision, scale = type_.parameters
        return bounded(precision + 4, scale + 4)
    return _whole_interval(type_) or DOUBLE


def _whole_interval(type_: SqlType) -> SqlType | None:
    if is_year_month(type_):
        return YEAR_TO_MONTH
    return DAY_TO_SECOND if is_day_time(type_) else None


def _averaged(type_: SqlType | None) -> SqlType:
    if type_ is None:
        return DOUBLE
    return type_ if type_.kind == "time" else _whole_interval(type_) or DOUBLE


def best(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    """`max_by` and `min_by`; with a number of rows they give an array."""
    type_ = types[0] if types else None
    return array_of(type_) if type_ and node.args.get("count") is not None else type_


def percentile(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    """One percentage gives one value, an array of them an array."""
    value = types[0] if types else None
    inner = _averaged(value)
    return array_of(inner) if _many_percentages(node) else inner


def approximate_percentile(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    value = types[0] if types else None
    return array_of(value) if value and _many_percentages(node) else value


def _many_percentages(node: exp.Expr) -> bool:
    return isinstance(node.args.get("quantile"), exp.Array)


def within_group(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    """Ordered-set aggregates take their value from the ORDER BY."""
    function = node.this
    if isinstance(function, exp.PercentileCont | exp.PercentileDisc):
        inner = _averaged(types[1] if len(types) > 1 else None)
        return array_of(inner) if isinstance(function.this, exp.Array) else inner
    if isinstance(function, exp.Mode):
        return types[1] if len(types) > 1 else None
    return types[0] if types else None


def _within_group_parts(node: exp.Expr) -> list[exp.Expr]:
    order = node.args.get("expression")
    keys = [key.this for key in order.expressions[:1]] if isinstance(order, exp.Order) else []
    return [node.this, *keys]


def joined(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    return BINARY if types and types[0] == BINARY else STRING


AGGREGATE_NODES: dict[type[exp.Expr], Answer] = {
    **dict.fromkeys(
        (
            exp.Window,
            exp.Filter,
            exp.IgnoreNulls,
            exp.RespectNulls,
            exp.Order,
            exp.Limit,
            exp.HavingMax,
            exp.Max,
            exp.Min,
            exp.AnyValue,
            exp.First,
            exp.Last,
            exp.FirstValue,
            exp.LastValue,
            exp.NthValue,
            exp.Lag,
            exp.Lead,
            exp.Mode,
            exp.BitwiseAndAgg,
            exp.BitwiseOrAgg,
            exp.BitwiseXorAgg,
        ),
        Rule(THIS, first),
    ),
    exp.Distinct: Rule(LISTED, first),
    exp.ArgMax: Rule(THIS, best),
    exp.ArgMin: Rule(THIS, best),
    exp.Sum: Rule(THIS, total),
    exp.Avg: Rule(THIS, average),
    exp.Median: Rule(THIS, percentile),
    exp.Quantile: Rule(THIS, percentile),
    exp.ApproxQuantile: Rule(THIS, approximate_percentile),
    exp.WithinGroup: Rule(_within_group_parts, within_group),
    exp.ArrayAgg: Rule(THIS, array_of_first),
    exp.ArrayUniqueAgg: Rule(THIS, array_of_first),
    exp.ApproxTopK: Rule(THIS, most_frequent),
    exp.GroupConcat: Rule(THIS, joined),
    exp.Grouping: TINYINT,
    exp.GroupingId: BIGINT,
    exp.LogicalAnd: BOOLEAN,
    exp.LogicalOr: BOOLEAN,
}
AGGREGATE_NAMES: dict[str, Answer] = {
    "mean": Rule(FIRST, average),
    "try_avg": Rule(FIRST, average),
    "try_sum": Rule(FIRST, total),
    "string_agg": Rule(FIRST, joined),
}
