"""Which type holds which: what a table's column takes as it is, and how far it may be promoted.

A type holds another if each value of the other one *is* a value of it and comes back as the same. The
only promotions are Iceberg's own, which leave every file as it is: int to long, float to double, more
digits before the point of a decimal. Both sides are met with the least promotion that holds them.
"""

from __future__ import annotations

from lakeport.pipeline.growth import model
from lakeport.pipeline.growth.model import MAX_PRECISION, DecimalOf, Primitive, Type, shown

_DIGITS = {model.BYTE: 3, model.SHORT: 5, model.INT: 10, model.LONG: 19}
_INTEGERS = tuple(_DIGITS)
_FURTHER: dict[Type, Type] = {model.INT: model.LONG, model.FLOAT: model.DOUBLE}
# A mantissa of 24 or 53 bits: the integers that are whole in it.
_IN_FLOAT = frozenset({model.BYTE, model.SHORT, model.FLOAT})
_IN_DOUBLE = _IN_FLOAT | {model.INT, model.DOUBLE}


def holds(wide: Type, narrow: Type) -> bool:
    """Whether every value of the plain type `narrow` is one of `wide`; lists, maps and structs never."""
    if not isinstance(narrow, Primitive | DecimalOf):
        return narrow == model.VOID
    if wide == narrow or shown(wide) == narrow:
        return True
    if shown(wide) == model.STRING:
        return narrow == model.COLLATED
    if wide == model.FLOAT:
        return narrow in _IN_FLOAT
    if wide == model.DOUBLE:
        return narrow in _IN_DOUBLE
    if isinstance(wide, DecimalOf):
        needed = _as_decimal(narrow)
        return needed is not None and wide.scale >= needed.scale and wide.whole >= needed.whole
    if isinstance(narrow, DecimalOf) or narrow not in _INTEGERS or wide not in _INTEGERS:
        return False
    return _INTEGERS.index(wide) >= _INTEGERS.index(narrow)


def promoted(target: Type, source: Type) -> Type | None:
    """The least promotion of a stored type that holds the source as well; None if there is none."""
    if isinstance(target, DecimalOf):
        needed = _as_decimal(source)
        if needed is None or needed.scale > target.scale:
            return None
        precision = max(target.whole, needed.whole) + target.scale
        return DecimalOf(precision, target.scale) if precision <= MAX_PRECISION else None
    further = _FURTHER.get(target)
    return further if further is not None and holds(further, source) else None


def _as_decimal(type_: Type) -> DecimalOf | None:
    if isinstance(type_, DecimalOf):
        return type_
    digits = _DIGITS.get(type_) if isinstance(type_, Primitive) else None
    return None if digits is None else DecimalOf(digits, 0)
