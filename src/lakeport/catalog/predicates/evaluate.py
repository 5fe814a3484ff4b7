"""A bound predicate over the rows of a batch, in SQL's three-valued logic, without a loop per row.

A dictionary's values are tested once each, not once per row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import assert_never

import pyarrow as pa

from lakeport.catalog.arrays.selection import keep_rows
from lakeport.catalog.arrow import Array
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.kernels import Mask
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


def keep(predicate: Predicate, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows where it is TRUE."""
    return keep_rows(batch, evaluate(predicate, batch))


def evaluate(predicate: Predicate, batch: pa.RecordBatch) -> pa.BooleanArray:
    """One value per row: true, false or null."""
    match predicate:
        case Compare():
            return _compared(predicate, batch.column(predicate.column))
        case IsIn():
            return _found(predicate, batch.column(predicate.column))
        case Between():
            return evaluate(And(predicate.halves), batch)
        case IsNull():
            return kernels.is_null(batch.column(predicate.column))
        case StartsWith():
            prefix = predicate.prefix
            column = batch.column(predicate.column)
            return _spread(lambda values: kernels.starts_with(keys(values), prefix), column)
        case And():
            return _joined(kernels.both, predicate.parts, batch, empty=True)
        case Or():
            return _joined(kernels.either, predicate.parts, batch, empty=False)
        case Not():
            return kernels.invert(evaluate(predicate.part, batch))
        case Always():
            return kernels.constant(value=predicate.value, rows=batch.num_rows)
        case _:
            assert_never(predicate)


def _spread(test: Callable[[Array], Mask], column: Array) -> Mask:
    """The test on each value of a dictionary, spread over the rows; NULL where a row is."""
    if isinstance(column, pa.DictionaryArray) and len(column.dictionary) <= len(column):
        return _spread(test, column.dictionary).take(column.indices)
    return test(column)


def _compared(predicate: Compare, column: Array) -> Mask:
    constant = key(predicate.value)
    answer = _spread(lambda values: compare(predicate.op, keys(values), constant), column)
    if predicate.op in {Op.DISTINCT, Op.NOT_DISTINCT}:
        return kernels.filled(answer, value=predicate.op is Op.DISTINCT)
    return answer


def _found(predicate: IsIn, column: Array) -> Mask:
    if not len(predicate.values):
        return kernels.constant(value=False, rows=len(column))
    known = keys(predicate.values)
    present = kernels.drop_null(known)

    def test(values: Array) -> Mask:
        sought = keys(values)
        found = found_in(sought, present)
        decided = found if known.null_count else kernels.invert(kernels.is_null(sought))
        return kernels.when(decided, found)

    return _spread(test, column)


def _joined(
    join: Callable[[Mask, Mask], Mask],
    parts: Iterable[Predicate],
    batch: pa.RecordBatch,
    *,
    empty: bool,
) -> Mask:
    masks = [evaluate(part, batch) for part in parts]
    return reduce(join, masks) if masks else kernels.constant(value=empty, rows=batch.num_rows)
