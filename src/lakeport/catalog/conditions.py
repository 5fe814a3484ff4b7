"""Both conditions of a scan as one mask over a batch.

A predicate was made to prune but is exact on rows too; an expression is all the rest of SQL. A row is
kept where both are TRUE.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog import expressions, predicates
from lakeport.catalog.expressions import Expression
from lakeport.catalog.predicates import Predicate
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted


def accepted(
    predicate: Predicate | None, expression: Expression | None, batch: pa.RecordBatch
) -> pa.BooleanArray | None:
    """True where a row is wanted, else false or NULL; None when there is no condition."""
    first = None if predicate is None else predicates.evaluate(predicate, batch)
    second = None if expression is None else _condition(expression, batch)
    if first is None or second is None:
        return second if first is None else first
    return pc.and_kleene(first, second)


def columns_read(predicate: Predicate | None, expression: Expression | None) -> frozenset[str]:
    """The columns that the conditions need, in the conditions' spelling."""
    first = frozenset[str]() if predicate is None else frozenset(predicates.columns_of(predicate))
    return first if expression is None else first | expression.columns


def _condition(expression: Expression, batch: pa.RecordBatch) -> pa.BooleanArray:
    found = expressions.evaluate(expression, batch)
    if not isinstance(found, pa.BooleanArray):
        raise InvalidRequestError(
            f"{quoted(expression.sql)} is no condition: it gives {found.type}",
            hint="compare it with something",
        )
    return found
