"""What Spark's session settings make of the types that a statement writes.

`spark.sql.timestampType` says which of its two kinds `TIMESTAMP` is, and
`spark.sql.legacy.interval.enabled` gives every interval literal the one kind of old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.spark_names.moments import names_zone

if TYPE_CHECKING:
    from lakeport.lineage.registry import Registry

# `timestamp_ltz` has a kind of its own in the tree.
_UNSPECIFIED = frozenset({exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMP})


def with_session_types(tree: exp.Expr, registry: Registry) -> exp.Expr:
    """A copy whose types are those of the session; the tree itself where nothing was set."""
    if not (registry.wall_clock or registry.calendar_intervals):
        return tree
    settled = tree.copy()
    if registry.wall_clock:
        _use_wall_clock(settled)
    if registry.calendar_intervals:
        settled = _use_calendar(settled)
    return settled


def _use_wall_clock(tree: exp.Expr) -> None:
    for kind in list(tree.find_all(exp.DataType)):
        cast = kind.parent
        text = cast.this if isinstance(cast, exp.Cast) else None
        moment = isinstance(text, exp.Literal) and names_zone(text.name)
        if kind.this in _UNSPECIFIED and not moment:
            kind.set("this", exp.DType.TIMESTAMPNTZ)


def _use_calendar(tree: exp.Expr) -> exp.Expr:
    for literal in list(tree.find_all(exp.Interval)):
        if isinstance(literal.parent, exp.DataType):
            continue
        cast = exp.Cast(this=literal.copy(), to=exp.DataType(this=exp.DType.INTERVAL))
        if literal is tree:
            return cast
        literal.replace(cast)
    return tree
