"""Which files can hold a row that makes a predicate TRUE, judged from their bounds, all at once.

For every file the *set* of possible outcomes is kept (TRUE, FALSE, NULL), not just "maybe": only so
does NOT prune correctly. Bounds may be loose (a truncated text, a value deleted since), never
tight: a lower bound is not above any value, an upper one not below. Whatever is not known counts as
possible, so a file with a matching row is never dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

import pyarrow as pa

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.bounds import Bounds
from lakeport.catalog.predicates.kernels import Mask, both, either, invert
from lakeport.catalog.predicates.model import (
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
)
from lakeport.catalog.predicates.ordering import compare, found_in, key, keys


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """Per file, whether some row may make the predicate TRUE, FALSE or NULL. No nulls inside."""

    true: Mask
    false: Mask
    null: Mask

    def negated(self) -> _Outcomes:
        return _Outcomes(self.false, self.true, self.null)

    def and_(self, other: _Outcomes) -> _Outcomes:
        """As if the two were about different columns, which can only add outcomes."""
        return _Outcomes(
            both(self.true, other.true),
            either(self.false, other.false),
            either(
                both(self.null, either(other.true, other.null)),
                both(other.null, self.true),
            ),
        )


def possible(predicate: Predicate, bounds: Mapping[str, Bounds], rows: Array) -> pa.BooleanArray:
    """For each file, may a row of it make the bound predicate TRUE? `rows` counts them, or is null.

    A column without bounds may hold anything.
    """
    return _outcomes(predicate, bounds, rows).true


def certain(predicate: Predicate, bounds: Mapping[str, Bounds], rows: Array) -> pa.BooleanArray:
    """For each file, is the bound predicate TRUE for every row, so that none need be tested?"""
    found = _outcomes(predicate, bounds, rows)
    return invert(either(found.false, found.null))


def _outcomes(predicate: Predicate, bounds: Mapping[str, Bounds], rows: Array) -> _Outcomes:
    match predicate:
        case Compare() | IsIn() | IsNull() | StartsWith():
            known = bounds.get(predicate.column)
            if known is None:
                known = Bounds.unknown(len(rows))
            return _leaf(predicate, known, _Presence.of(known, rows))
        case Between():
            return _outcomes(And(predicate.halves), bounds, rows)
        case And():
            start = _same(value=True, rows=rows)
            parts = (_outcomes(part, bounds, rows) for part in predicate.parts)
            return reduce(_Outcomes.and_, parts, start) if predicate.parts else start
        case Or():
            # By De Morgan, so that there is one rule to get right.
            opposite = And(tuple(Not(part) for part in predicate.parts))
            return _outcomes(opposite, bounds, rows).negated()
        case Not():
            return _outcomes(predicate.part, bounds, rows).negated()
        case Always():
            return _same(value=predicate.value, rows=rows)
        case _:
            assert_never(predicate)


def _same(*, value: bool | None, rows: Array) -> _Outcomes:
    # A file without rows has no outcome at all, which makes it both impossible and certain.
    some = kernels.filled(kernels.not_equal(rows, 0), value=True)
    none = kernels.constant(value=False, rows=len(rows))
    return _Outcomes(
        some if value is True else none,
        some if value is False else none,
        some if value is None else none,
    )


@dataclass(frozen=True, slots=True)
class _Presence:
    """Per file, whether a column may hold values, and whether it may hold NULL."""

    values: Mask
    nulls: Mask

    @classmethod
    def of(cls, bounds: Bounds, rows: Array) -> _Presence:
        some = kernels.not_equal(rows, 0)
        if bounds.null_count is None:
            unknown = kernels.filled(some, value=True)
            return cls(unknown, unknown)
        values = both(kernels.less(bounds.null_count, rows), some)
        nulls = both(kernels.not_equal(bounds.null_count, 0), some)
        return cls(kernels.filled(values, value=True), kernels.filled(nulls, value=True))


def _leaf(
    predicate: Compare | IsIn | IsNull | StartsWith, bounds: Bounds, presence: _Presence
) -> _Outcomes:
    nothing = kernels.constant(value=False, rows=len(presence.nulls))
    if isinstance(predicate, IsNull):
        return _Outcomes(presence.nulls, presence.values, nothing)
    if not bounds.has_values:
        anything = either(presence.values, presence.nulls)
        return _Outcomes(anything, anything, presence.nulls)
    match predicate:
        case Compare():
            low, high = bounds.ends()
            constant = key(predicate.value)
            hit = both(presence.values, _may(predicate.op, low, high, constant))
            miss = both(presence.values, _may(predicate.op.negation, low, high, constant))
            if predicate.op is Op.DISTINCT:
                return _Outcomes(either(hit, presence.nulls), miss, nothing)
            if predicate.op is Op.NOT_DISTINCT:
                return _Outcomes(hit, either(miss, presence.nulls), nothing)
            return _Outcomes(hit, miss, presence.nulls)
        case IsIn():
            low, high = bounds.ends()
            values = keys(predicate.values)
            hit = both(presence.values, _may_be_in(values, low, high))
            miss = both(presence.values, _may_be_outside(values, low, high))
            if values.null_count:
                return _Outcomes(hit, nothing, either(miss, presence.nulls))
            return _Outcomes(hit, miss, presence.nulls)
        case StartsWith():
            low, high = (bound.cast(pa.large_binary()) for bound in bounds.ends())
            hit, miss = _may_start(predicate.prefix.encode(), low, high)
            return _Outcomes(
                both(presence.values, hit), both(presence.values, miss), presence.nulls
            )
        case _:
            assert_never(predicate)


def _may(op: Op, low: Array, high: Array, constant: Scalar) -> Mask:
    """Whether some value between the bounds may pass the comparison; a null bound is unknown."""
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
    return kernels.filled(answer, value=True)


def _may_be_in(values: Array, low: Array, high: Array) -> Mask:
    """Whether a value of the list lies between the bounds: the first one not below `low` decides."""
    known = kernels.drop_null(values)
    if not len(known):
        return kernels.constant(value=False, rows=len(low))
    ascending = known.take(kernels.sort_indices(known))
    first = _first_not_below(low, ascending)
    exists = kernels.less(first, pa.scalar(len(ascending), pa.int64()))
    candidate = ascending.take(_capped(first, len(ascending) - 1))
    below_high = kernels.filled(kernels.less_equal(candidate, high), value=True)
    return both(exists, below_high)


def _first_not_below(low: Array, ascending: Array) -> Array:
    """A binary search for all bounds at once; an unknown bound is below everything."""
    first = kernels.repeat(pa.scalar(0, pa.int64()), len(low))
    last = kernels.repeat(pa.scalar(len(ascending), pa.int64()), len(low))
    for _ in range(len(ascending).bit_length()):
        middle = kernels.divided(kernels.add(first, last), 2)
        probed = ascending.take(_capped(middle, len(ascending) - 1))
        open_ = kernels.less(first, last)
        right = both(open_, kernels.filled(kernels.less(probed, low), value=False))
        first = kernels.if_else(right, kernels.add(middle, 1), first)
        last = kernels.if_else(both(open_, invert(right)), middle, last)
    return first


def _capped(positions: Array, last: int) -> Array:
    return kernels.smaller(positions, pa.scalar(last, pa.int64()))


def _may_be_outside(values: Array, low: Array, high: Array) -> Mask:
    """Only a file whose bounds are one value of the list holds nothing else."""
    single = kernels.filled(kernels.equal(low, high), value=False)
    return invert(both(single, found_in(low, kernels.drop_null(values))))


def _may_start(prefix: bytes, low: Array, high: Array) -> tuple[Mask, Mask]:
    """Texts with a prefix are those from it up to, not including, its successor in byte order."""
    if not prefix:
        everywhere = kernels.constant(value=True, rows=len(low))
        return everywhere, invert(everywhere)
    first = pa.scalar(prefix, pa.large_binary())
    # No byte of UTF-8 is 0xFF, so the last one can always grow.
    after = pa.scalar(prefix[:-1] + bytes([prefix[-1] + 1]), pa.large_binary())
    hit = both(compare(Op.GE, high, first), compare(Op.LT, low, after))
    miss = either(compare(Op.LT, low, first), compare(Op.GE, high, after))
    return kernels.filled(hit, value=True), kernels.filled(miss, value=True)
