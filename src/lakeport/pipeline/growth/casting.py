"""Which casts Spark has in ANSI mode: `on_type_change = "cast"` may ask for these and no others.

Such a cast fails on a value that is out of range or does not parse; as in SQL, digits behind the point
that the new type lacks are rounded or cut.
"""

from __future__ import annotations

from lakeport.pipeline.growth import model
from lakeport.pipeline.growth.model import DecimalOf, Foreign, Type

_NUMBERS = frozenset({model.BYTE, model.SHORT, model.INT, model.LONG, model.FLOAT, model.DOUBLE})
_INSTANTS = frozenset({model.TIMESTAMP, model.TIMESTAMPTZ})
_TIMES = _INSTANTS | {model.DATE}
_FROM_TEXT = _NUMBERS | _TIMES | {model.BOOLEAN, model.BINARY}


def castable(to: Type, given: Type) -> bool:
    """Between types that do not hold one another; what is inside lists and structs is asked alone."""
    if to == model.STRING:
        return not isinstance(given, Foreign)
    if given in {model.STRING, model.COLLATED}:
        return to in _FROM_TEXT or isinstance(to, DecimalOf)
    if _is_number(given):
        return _is_number(to) or to in {model.BOOLEAN, model.TIMESTAMPTZ}
    if given == model.BOOLEAN:
        return _is_number(to)
    if given == model.TIMESTAMPTZ and _is_number(to):
        return True
    return given in _TIMES and to in _TIMES


def _is_number(type_: Type) -> bool:
    return type_ in _NUMBERS or isinstance(type_, DecimalOf)
