"""Spark calls that the parser reads as those of another engine: put right in the tree.

BigQuery's `time_trunc(value, unit)` has its unit last, Spark's first. The parser takes what stands
last for the unit, and where that is a plain name it keeps the name alone. It does so with the unit of
`trunc` and `date_trunc`, too, which may be a column in Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_UNIT_FIRST = (exp.TimeTrunc, exp.TimeDiff)
# Spark's own among them.
_TIMES = frozenset({"time_trunc", "time_diff"})
_TRUNCATED = (exp.TimestampTrunc, exp.DateTrunc)
_UNITS = frozenset(
    {
        *("YEAR", "YYYY", "YY", "QUARTER", "MONTH", "MON", "MM", "WEEK", "DAY", "DD", "HOUR"),
        *("MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "DECADE", "CENTURY", "MILLENNIUM"),
    }
)


def name_times(tree: exp.Expr, tokens: list[Token]) -> None:
    """Give calls whose unit is a plain name, and no unit, a column there, in place."""
    places = {token.start: number for number, token in enumerate(tokens)}
    for call in tree.find_all(*_TRUNCATED, *_UNIT_FIRST):
        unit = call.args.get("unit")
        at = places.get(call.meta.get("start", -1), len(tokens))
        # From the name of the function to the end of its arguments.
        written = tokens[at : closing(tokens, at + 1)]
        if isinstance(call, _TRUNCATED):
            moves = isinstance(unit, exp.Var | exp.Literal) and _is_column(unit.name, written)
        else:
            # A text is kept like a name, but no time is written like one.
            first = written[0].text.lower() if written else ""
            moves = first in _TIMES and isinstance(unit, exp.Var) and unit.name.isidentifier()
        if moves and isinstance(unit, exp.Expr):
            call.set("unit", exp.column(unit.name.lower()))


def _is_column(name: str, written: list[Token]) -> bool:
    """Whether this word of a call is neither a unit nor written as a text."""
    return (
        name.isidentifier()
        and name.upper() not in _UNITS
        and any(
            token.text.lower() == name.lower() and token.token_type is not TokenType.STRING
            for token in written
        )
    )
