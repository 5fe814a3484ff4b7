"""Which files can hold a row that makes a predicate TRUE, judged from their bounds, all at once.

The question is asked for each outcome (may a row be TRUE? FALSE? NULL?), because "maybe" cannot be
negated: NOT is TRUE where its part may be FALSE. Bounds may be loose (a truncated text, a value
deleted since), never tight: a lower bound is not above any value, an upper one not below. What is
not known counts as possible, so a file with a matching row is never dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias, assert_never

import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.bounds import Bounds
from lakeport.catalog.predicates.kernels import Mask, both, either, filled, invert
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
from lakeport.catalog.predicates.ordering import key, keys
from lakeport.catalog.predicates.reach import may_be_in, may_be_outside, may_compare, may_start

Outcome: TypeAlias = bool | None


def possible(predicate: Predicate, bounds: Mapping[str, Bounds], rows: Array) -> pa.BooleanArray:
    """For each file, may a row of it make the bound predicate TRUE? `rows` counts them, or is null.

    A column without bounds may hold anything.
    """
    files = _Files(bounds, rows)
    return both(files.may(predicate, outcome=True), files.has_rows())


def certain(predicate: Predicate, bounds: Mapping[str, Bounds], rows: Array) -> pa.BooleanArray:
    """For each file, is the bound predicate TRUE for every row, so that none need be tested?"""
    files = _Files(bounds, rows)
    other = either(files.may(predicate, outcome=False), files.may(predicate, outcome=None))
    return invert(both(other, files.has_rows()))


@dataclass(frozen=True, slots=True)
class _Files:
    bounds: Mapping[str, Bounds]
    rows: Array

    def has_rows(self) -> Mask:
        return filled(kernels.not_equal(self.rows, 0), value=True)

    def may(self, predicate: Predicate, *, outcome: Outcome) -> Mask:
        """Per file, whether a row may have that outcome; never null."""
        match predicate:
            case Compare() | IsIn() | IsNull() | StartsWith():
                bounds = self.bounds.get(predicate.column)
                if bounds is None:
                    return self._all(value=True)
                return self._leaf(predicate, bounds, outcome)
            case Between():
                return self._conjunction(predicate.halves, outcome)
            case And():
                return self._conjunction(predicate.parts, outcome)
            case Or():
                # By De Morgan, so that there is one rule to get right.
                opposites = tuple(Not(part) for part in predicate.parts)
                return self._conjunction(opposites, _negated(outcome))
            case Not():
                return self.may(predicate.part, outcome=_negated(outcome))
            case Always():
                return self._all(value=predicate.value is outcome)
            case _:
                assert_never(predicate)

    def _conjunction(self, parts: tuple[Predicate, ...], outcome: Outcome) -> Mask:
        """As if the parts were about different columns, which can only add outcomes."""
        if not parts:
            return self._all(value=outcome is True)
        masks = [self.may(part, outcome=outcome) for part in parts]
        if outcome is not None:
            return reduce(both if outcome else either, masks)
        # NULL if one part is, and none is FALSE.
        others = [
            either(mask, self.may(part, outcome=True))
            for part, mask in zip(parts, masks, strict=True)
        ]
        return both(reduce(either, masks), reduce(both, others))

    def _leaf(
        self, predicate: Compare | IsIn | IsNull | StartsWith, bounds: Bounds, outcome: Outcome
    ) -> Mask:
        """The outcome for a NULL in the column, or for a value in its bounds."""
        masks: list[Mask] = []
        if _of_null(predicate) is outcome:
            masks.append(self._may_hold_null(bounds))
        reached = _reached(predicate, bounds, outcome)
        if reached is not None:
            masks.append(both(self._may_hold_values(bounds), reached))
        return reduce(either, masks) if masks else self._all(value=False)

    def _may_hold_null(self, bounds: Bounds) -> Mask:
        if bounds.null_count is None:
            return self._all(value=True)
        return filled(kernels.not_equal(bounds.null_count, 0), value=True)

    def _may_hold_values(self, bounds: Bounds) -> Mask:
        if bounds.null_count is None:
            return self._all(value=True)
        return filled(kernels.less(bounds.null_count, self.rows), value=True)

    def _all(self, *, value: bool) -> Mask:
        return kernels.constant(value=value, rows=len(self.rows))


def _negated(outcome: Outcome) -> Outcome:
    return None if outcome is None else not outcome


def _of_null(predicate: Compare | IsIn | IsNull | StartsWith) -> Outcome:
    """The outcome for a row whose column is NULL."""
    if isinstance(predicate, IsNull):
        return True
    if isinstance(predicate, IsIn) and not len(predicate.values):
        return False
    if isinstance(predicate, Compare) and predicate.op in {Op.DISTINCT, Op.NOT_DISTINCT}:
        return predicate.op is Op.DISTINCT
    return None


def _reached(
    predicate: Compare | IsIn | IsNull | StartsWith, bounds: Bounds, outcome: Outcome
) -> Mask | None:
    """Per file, whether a value within its bounds may have the outcome; None if none ever has."""
    match predicate:
        case IsNull():
            return (
                kernels.constant(value=True, rows=len(bounds.minimum)) if outcome is False else None
            )
        case IsIn():
            values = keys(predicate.values)
            if outcome is True:
                return may_be_in(values, *bounds.ends())
            missed = None if values.null_count else False
            return may_be_outside(values, *bounds.ends()) if outcome is missed else None
        case _ if outcome is None:
            return None
        case Compare():
            op = predicate.op if outcome else predicate.op.negation
            return may_compare(op, key(predicate.value), *bounds.ends())
        case StartsWith():
            return may_start(predicate.prefix, *bounds.ends(), outcome=outcome)
        case _:
            assert_never(predicate)
