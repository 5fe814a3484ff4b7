"""What Spark's session settings make of the types that a statement writes.

`spark.sql.timestampType` says which of its two kinds `TIMESTAMP` is, and
`spark.sql.legacy.interval.enabled` gives every interval literal the one kind of old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.spark_names.moments import names_zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.lineage.registry import Registry

# `timestamp_ltz` has a kind of its own in the tree.
_UNSPECIFIED = frozenset({exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMP})
# Functions that give a timestamp of the kind that is set.
_MAKERS = (exp.StrToTime, exp.TimestampFromParts)
# And those the parser has no class for, with the fewest arguments for that.
_NAMED_MAKERS = {"try_to_timestamp": 1, "try_make_timestamp": 6}


def with_session_types(tree: exp.Expr, registry: Registry) -> exp.Expr:
    """A copy whose types are those of the session; the tree itself where nothing was set."""
    if not (registry.settings.wall_clock or registry.settings.calendar_intervals):
        return tree
    settled = tree.copy()
    if registry.settings.wall_clock:
        settled = _by_wall_clock(settled)
    if registry.settings.calendar_intervals:
        literals = [
            literal
            for literal in settled.find_all(exp.Interval)
            if not isinstance(literal.parent, exp.DataType)
        ]
        settled = _typed(settled, literals, exp.DType.INTERVAL)
    return settled


def _by_wall_clock(tree: exp.Expr) -> exp.Expr:
    for kind in list(tree.find_all(exp.DataType)):
        cast = kind.parent
        text = cast.this if isinstance(cast, exp.Cast) else None
        moment = isinstance(text, exp.Literal) and names_zone(text.name)
        if kind.this in _UNSPECIFIED and not moment:
            kind.set("this", exp.DType.TIMESTAMPNTZ)
    makers = [call for call in tree.find_all(*_MAKERS, exp.Anonymous) if _makes_wall_clock(call)]
    return _typed(tree, makers, exp.DType.TIMESTAMPNTZ)


def _makes_wall_clock(call: exp.Expr) -> bool:
    """Whether a function gives what is set; one that takes a date and a time gives a moment."""
    if isinstance(call, exp.TimestampFromParts):
        return call.args.get("sec") is not None
    if isinstance(call, exp.Anonymous):
        least = _NAMED_MAKERS.get(call.name.lower())
        return least is not None and len(call.expressions) >= least
    return True


def _typed(tree: exp.Expr, nodes: Sequence[exp.Expr], kind: exp.DType) -> exp.Expr:
    """The tree with a cast around each of these nodes, the inner ones of nested ones first."""
    for node in reversed(nodes):
        outside = node.parent
        cast = exp.Cast(to=exp.DataType(this=kind))
        if outside is not None:
            node.replace(cast)
        cast.set("this", node)
        if outside is None:
            tree = cast
    return tree
