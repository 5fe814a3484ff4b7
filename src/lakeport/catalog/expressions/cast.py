"""Checked casts and DEFAULT values.

Arrow itself casts where only the representation differs (list field names, time zone names, large
offsets, `arrow.bool8`); everything that changes or reads a value is DuckDB's CAST, so that a client
gets the same answer whether it casts before it sends or we do after.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.expressions import engine
from lakeport.catalog.expressions.arrow import (
    no_rows,
    plain,
    plain_type,
    readable_type,
    table_of,
)
from lakeport.catalog.expressions.evaluate import SECONDS, evaluate
from lakeport.catalog.expressions.parse import parse_expression
from lakeport.core.errors import InvalidRequestError

_VALUE = "value"


def cast_array(array: Array, to: Field | pa.DataType, *, seconds: float = SECONDS) -> Array:
    """The values in another type; a value that does not fit is an error, never changed or dropped."""
    wanted = to if isinstance(to, pa.DataType) else to.type
    if wanted.equals(array.type):
        return array
    target = engine.type_name(_VALUE, _empty(to))
    table = table_of(pa.table({_VALUE: array}), {_VALUE})
    sql = _VALUE if engine.type_name(_VALUE, table) == target else f"CAST({_VALUE} AS {target})"
    return _as_arrow(engine.compute(sql, table, seconds=seconds), wanted)


def default_array(expression_sql: str, to: pa.DataType, rows: int) -> Array:
    """A DEFAULT's value, `rows` times. It is a constant: no columns, nothing volatile."""
    expression = parse_expression(expression_sql, pa.schema([]))
    one = pa.RecordBatch.from_arrays([pa.nulls(1)], ["rows"])
    value = cast_array(evaluate(expression, one), to)
    return value.take(pa.array([0] * rows, pa.int64()))


def _empty(to: Field | pa.DataType) -> pa.Table:
    field = pa.field(_VALUE, to) if isinstance(to, pa.DataType) else to.with_name(_VALUE)
    schema = pa.schema([field.with_type(readable_type(field.type)).with_nullable(nullable=True)])
    return pa.Table.from_batches([no_rows(schema)])


def _as_arrow(array: Array, wanted: pa.DataType) -> Array:
    if wanted.equals(array.type):
        return array
    try:
        return plain(array).cast(plain_type(wanted)).cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise InvalidRequestError(
            f"a value does not fit the type {wanted}", hint="cast it in the statement"
        ) from None
