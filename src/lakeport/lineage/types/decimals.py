"""Spark's arithmetic on decimal precision and scale, with precision loss allowed (its default).

Above 38 digits a sum or product gives up fraction digits, but keeps at least six; a widening
(CASE, UNION) gives up fraction digits without that floor, so that no integral digit is lost.
"""

from __future__ import annotations

from lakeport.lineage.types.model import SqlType, decimal

MAXIMUM = 38
_KEPT_SCALE = 6
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}


def as_decimal(type_: SqlType) -> SqlType | None:
    """The decimal that holds every value of a decimal or integer type."""
    if type_.kind == "decimal":
        return type_ if len(type_.parameters) == 2 else None
    digits = _DIGITS.get(type_.kind)
    return decimal(digits, 0) if digits else None


def bounded(precision: int, scale: int) -> SqlType:
    return decimal(min(precision, MAXIMUM), min(scale, MAXIMUM))


def adjusted(precision: int, scale: int) -> SqlType:
    """A result that may be too wide, with its scale reduced as far as Spark reduces it."""
    if precision <= MAXIMUM:
        return decimal(precision, scale)
    integral = precision - scale
    return decimal(MAXIMUM, max(MAXIMUM - integral, min(scale, _KEPT_SCALE)))


def widened(left: SqlType, right: SqlType) -> SqlType:
    """The decimal that holds both."""
    (p1, s1), (p2, s2) = left.parameters, right.parameters
    scale = max(s1, s2)
    precision = max(p1 - s1, p2 - s2) + scale
    lost = max(0, precision - MAXIMUM)
    return decimal(precision - lost, max(0, scale - lost))


def added(left: SqlType, right: SqlType) -> SqlType:
    (p1, s1), (p2, s2) = left.parameters, right.parameters
    scale = max(s1, s2)
    return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)


def multiplied(left: SqlType, right: SqlType) -> SqlType:
    (p1, s1), (p2, s2) = left.parameters, right.parameters
    return adjusted(p1 + p2 + 1, s1 + s2)


def divided(left: SqlType, right: SqlType) -> SqlType:
    (p1, s1), (p2, s2) = left.parameters, right.parameters
    scale = max(_KEPT_SCALE, s1 + p2 + 1)
    return adjusted(p1 - s1 + s2 + scale, scale)


def remainder(left: SqlType, right: SqlType) -> SqlType:
    (p1, s1), (p2, s2) = left.parameters, right.parameters
    scale = max(s1, s2)
    return adjusted(min(p1 - s1, p2 - s2) + scale, scale)


def rounded(type_: SqlType, digits: int) -> SqlType:
    """One integral digit more than before: 9.9 rounds to 10."""
    precision, scale = type_.parameters
    integral = precision - scale + 1
    if digits < 0:
        return decimal(min(max(integral, 1 - digits), MAXIMUM), 0)
    kept = min(scale, digits)
    return decimal(min(integral + kept, MAXIMUM), kept)


def of_literal(text: str) -> SqlType | None:
    """The smallest decimal that holds a literal, None if no decimal does."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    if not (whole + fraction).isdecimal() or not (exponent.lstrip("+-") or "0").isdecimal():
        return None
    scale = len(fraction) - int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    precision = max(len(digits), 1)
    if scale < 0:
        precision, scale = precision - scale, 0
    precision = max(precision, scale)
    return decimal(precision, scale) if precision <= MAXIMUM else None
