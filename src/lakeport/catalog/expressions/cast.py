"""SQL casts of whole arrays, and DEFAULT values.

A cast means what DuckDB's CAST means: it rounds, parses and refuses as the client's own statement
would. Where only the representation differs (a list's field name, a time zone's name, large offsets,
`arrow.bool8`) no value is touched.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.expressions import engine
from lakeport.catalog.expressions.arrow import shaped, table_of
from lakeport.catalog.expressions.evaluate import SECONDS, evaluate
from lakeport.catalog.expressions.parse import parse_expression
from lakeport.catalog.expressions.type_text import type_text
from lakeport.core.errors import InvalidRequestError, LimitError

MAX_DIGITS = 50_000

_VALUE = "value"


def cast_array(array: Array, to: Field | pa.DataType, *, seconds: float = SECONDS) -> Array:
    """The values in another type; one that does not fit is an error. Give the field where its
    metadata says more than its type does: GEOMETRY is `geoarrow.wkb` over binary.
    """
    wanted = to if isinstance(to, pa.DataType) else to.type
    if wanted.equals(array.type):
        return array
    target = type_text(pa.field(_VALUE, to) if isinstance(to, pa.DataType) else to)
    if target.startswith("BIGNUM"):
        _check_digits(array)
    table = table_of(pa.RecordBatch.from_arrays([array], [_VALUE]), {_VALUE})
    source = type_text(pa.field(_VALUE, array.type))
    sql = _VALUE if source == target else f"CAST({_VALUE} AS {target})"
    try:
        return shaped(engine.compute(sql, table, seconds=seconds), wanted)
    except pa.ArrowException:
        raise InvalidRequestError(
            f"a value does not fit the type {wanted}", hint="change the value, or the type"
        ) from None


def default_array(expression_sql: str, to: Field | pa.DataType, rows: int) -> Array:
    """A DEFAULT's value, `rows` times. It is a constant: no columns, nothing volatile."""
    expression = parse_expression(expression_sql, pa.schema([]))
    one = pa.RecordBatch.from_arrays([pa.nulls(1)], ["row"])
    return take_array(cast_array(evaluate(expression, one), to), pa.array([0] * rows, pa.int64()))


def _check_digits(array: Array) -> None:
    """Reading n digits takes n² steps that nothing interrupts: 300,000 of them took 17 seconds."""
    if isinstance(array, pa.StringArray | pa.LargeStringArray):
        longest = pc.max(pc.binary_length(array)).as_py() or 0
        if longest > MAX_DIGITS:
            raise LimitError(
                f"a number of {longest:,} digits", hint=f"at most {MAX_DIGITS:,} are allowed"
            )
