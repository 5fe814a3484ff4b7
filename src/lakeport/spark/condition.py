"""The option `where`: SQL over a table's columns, sent as far as the protocol can say it, and applied to what comes.

It belongs to the DataFrame and not to a query, so every query over it reads the same rows: what Spark keeps of
its planning is right for all of them, as it is not for filters that Spark pushes (`reader.py`). A server may
send more than was asked for, and the whole condition is applied to its batches by the worker that reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import datasource as spark

from lakeport.catalog.arrays.selection import keep_rows
from lakeport.catalog.conditions import accepted, columns_read
from lakeport.catalog.expressions import Condition, narrow
from lakeport.catalog.predicates import (
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Predicate,
    StartsWith,
)
from lakeport.core.names import fold

_COMPARED = {
    Op.EQ: spark.EqualTo,
    Op.NOT_DISTINCT: spark.EqualNullSafe,
    Op.GT: spark.GreaterThan,
    Op.GE: spark.GreaterThanOrEqual,
    Op.LT: spark.LessThan,
    Op.LE: spark.LessThanOrEqual,
}


@dataclass(frozen=True)
class Where:
    """Of `columns`, those of the table as they are announced, or as they come."""

    sql: str
    columns: pa.Schema

    @cached_property
    def condition(self) -> Condition:
        """Refused with the reason if it is none over these columns."""
        return narrow(self.sql, self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that it needs, as the table spells them."""
        needed = set(map(fold, columns_read(self.condition.predicate, self.condition.expression)))
        return tuple(name for name in self.columns.names if fold(name) in needed)

    @property
    def filters(self) -> tuple[spark.Filter, ...]:
        """What of it the protocol can say; no row that it keeps is refused by them."""
        predicate = self.condition.predicate
        if predicate is None:
            return ()
        return tuple(found for part in _parts(predicate) if (found := _filter(part)) is not None)

    def kept(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        told = batch.select(list(self.names)) if self.names else batch
        mask = accepted(self.condition.predicate, self.condition.expression, told)
        return batch if mask is None else keep_rows(batch, mask)


def _parts(predicate: Predicate) -> Iterator[Predicate]:
    """All of which must be TRUE."""
    if isinstance(predicate, (And, Between)):
        for part in predicate.parts if isinstance(predicate, And) else predicate.halves:
            yield from _parts(part)
    else:
        yield predicate


def _filter(part: Predicate) -> spark.Filter | None:
    """None for what Spark has no word for, an OR above all."""
    match part:
        case Compare(column, op, value) if op in _COMPARED:
            return _COMPARED[op]((column,), value.as_py())
        case Compare(column, op, value):
            return spark.Not(_COMPARED[op.negation]((column,), value.as_py()))
        case IsIn(column, values):
            return spark.In((column,), tuple(values.to_pylist()))
        case IsNull(column):
            return spark.IsNull((column,))
        case Not(IsNull(column)):
            return spark.IsNotNull((column,))
        case StartsWith(column, prefix):
            return spark.StringStartsWith((column,), prefix)
        case _:
            return None
