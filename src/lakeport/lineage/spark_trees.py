"""Spark calls that the parser reads as those of another engine: put right in the tree.

BigQuery's `time_trunc(value, unit)` has its unit last, Spark's first. The parser takes what stands
last for the unit, and where that is a plain name it keeps the name alone. It does so with the unit of
`trunc` and `date_trunc`, too, which may be a column in Spark.
"""

from __future__ import annotations

import re

from sqlglot import exp

_UNIT_FIRST = (exp.TimeTrunc, exp.TimeDiff)
_TRUNCATED = (exp.TimestampTrunc, exp.DateTrunc)
_UNITS = frozenset(
    {
        *("YEAR", "YYYY", "YY", "QUARTER", "MONTH", "MON", "MM", "WEEK", "DAY", "DD", "HOUR"),
        *("MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "DECADE", "CENTURY", "MILLENNIUM"),
    }
)


def name_times(tree: exp.Expr, lowered: str) -> None:
    """Give calls whose unit is a plain name, and no unit, a column there, in place."""
    if "trunc" in lowered:
        for call in tree.find_all(*_TRUNCATED):
            unit = call.args.get("unit")
            if isinstance(unit, exp.Var | exp.Literal) and _is_column(unit.name, lowered):
                call.set("unit", exp.column(unit.name.lower()))
    if "time_trunc" not in lowered and "time_diff" not in lowered:
        return
    for call in tree.find_all(*_UNIT_FIRST):
        unit = call.args.get("unit")
        # A text is kept like a name, but no time is written like one.
        if isinstance(unit, exp.Var) and unit.name.isidentifier():
            call.set("unit", exp.column(unit.name.lower()))


def _is_column(name: str, lowered: str) -> bool:
    """Whether this is a word of the statement that is neither a unit nor written as a text."""
    word = name.lower()
    return (
        name.isidentifier()
        and name.upper() not in _UNITS
        and f"'{word}'" not in lowered
        and f'"{word}"' not in lowered
        and re.search(rf"\b{word}\b", lowered) is not None
    )
