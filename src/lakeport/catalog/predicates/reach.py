"""What values between two bounds can do, for many pairs of bounds at once.

`low` and `high` are keys; a null among them is not known, and then everything on its side may be.
"""

from __future__ import annotations

from typing import assert_never

import pyarrow as pa

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.kernels import Mask, both, either, filled, invert
from lakeport.catalog.predicates.model import Op
from lakeport.catalog.predicates.ordering import compare, found_in


def may_compare(op: Op, constant: Scalar, low: Array, high: Array) -> Mask:
    """May a value pass the comparison?"""
    if pa.types.is_null(low.type):
        return _anything(low)
    match op:
        case Op.LT | Op.LE:
            answer = compare(op, low, constant)
        case Op.GT | Op.GE:
            answer = compare(op, high, constant)
        case Op.EQ | Op.NOT_DISTINCT:
            answer = both(compare(Op.LE, low, constant), compare(Op.GE, high, constant))
        case Op.NE | Op.DISTINCT:
            answer = either(compare(Op.NE, low, constant), compare(Op.NE, high, constant))
        case _:
            assert_never(op)
    return filled(answer, value=True)


def may_be_in(values: Array, low: Array, high: Array) -> Mask:
    """May a value be one of the list? The list's first that is not below `low` decides."""
    known = kernels.drop_null(values)
    if not len(known):
        return kernels.constant(value=False, rows=len(low))
    if pa.types.is_null(low.type):
        return _anything(low)
    ascending = known.take(kernels.sort_indices(known))
    # Padded with nulls, which are below nothing, to a power of two: so every step of the search
    # has something to look at, and a search that finds nothing ends on a null.
    steps = len(ascending).bit_length()
    padded = kernels.concat([ascending, kernels.nulls(2**steps - len(ascending), ascending.type)])
    position = kernels.repeat(pa.scalar(0, pa.int64()), len(low))
    for step in (2**exponent for exponent in reversed(range(steps))):
        below = filled(kernels.less(padded.slice(step - 1).take(position), low), value=False)
        position = kernels.if_else(below, kernels.add(position, step), position)
    first = padded.take(position)
    return both(first.is_valid(), filled(kernels.less_equal(first, high), value=True))


def may_be_outside(values: Array, low: Array, high: Array) -> Mask:
    """May a value be none of the list? Not if the bounds are one value, and that is in it."""
    if pa.types.is_null(low.type):
        return _anything(low)
    single = filled(kernels.equal(low, high), value=False)
    return invert(both(single, found_in(low, kernels.drop_null(values))))


def may_start(prefix: str, low: Array, high: Array, *, outcome: bool) -> Mask:
    """May a text start with the prefix, or may one not?

    Those that do are the texts from the prefix up to, not including, its successor in byte order.
    """
    if not prefix:
        return kernels.constant(value=outcome, rows=len(low))
    # The successor need not be UTF-8, but as no byte of UTF-8 is 0xFF, there always is one.
    start = prefix.encode()
    first = pa.scalar(start, pa.large_binary())
    after = pa.scalar(start[:-1] + bytes([start[-1] + 1]), pa.large_binary())
    lowest, highest = low.cast(pa.large_binary()), high.cast(pa.large_binary())
    if outcome:
        answer = both(compare(Op.GE, highest, first), compare(Op.LT, lowest, after))
    else:
        answer = either(compare(Op.LT, lowest, first), compare(Op.GE, highest, after))
    return filled(answer, value=True)


def _anything(low: Array) -> Mask:
    return kernels.constant(value=True, rows=len(low))
