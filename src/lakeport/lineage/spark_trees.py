"""Spark calls that the parser reads as those of another engine: put right in the tree.

BigQuery's `time_trunc(value, unit)` has its unit last, Spark's first. The parser takes what stands
last for the unit, and where that is a plain name it keeps the name alone.
"""

from __future__ import annotations

from sqlglot import exp

_UNIT_FIRST = (exp.TimeTrunc, exp.TimeDiff)


def name_times(tree: exp.Expr, lowered: str) -> None:
    """Give `time_trunc` and `time_diff` their last argument back as a column, in place.

    A text is kept like a name, but no time is written like one.
    """
    if "time_trunc" not in lowered and "time_diff" not in lowered:
        return
    for call in tree.find_all(*_UNIT_FIRST):
        unit = call.args.get("unit")
        if isinstance(unit, exp.Var) and unit.name.isidentifier():
            call.set("unit", exp.column(unit.name.lower()))
