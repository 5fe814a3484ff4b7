"""Where the values of a column come from that gets another type: a cast, or SQL over the old row.

Clients always send an expression. One that says no more than the new type does is a cast of ours, which
Iceberg can often do without writing a row.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import ChangeType
from lakeport.catalog.evolution.nested import Cast
from lakeport.catalog.evolution.plan import ColumnSource, Computed, Converted, Row
from lakeport.catalog.evolution.widening import is_widening
from lakeport.catalog.expressions import (
    cast_array,
    evaluate,
    parse_expression,
    result_type,
    type_text,
)
from lakeport.catalog.expressions.fields import is_cast_of
from lakeport.core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from lakeport.core.names import quoted


def retyped(row: Row, index: int, one: ChangeType) -> ColumnSource | None:
    """None where every value stays what it is."""
    column, source = row.schema.field(index), row.columns[index]
    _require_shapes(column, one)
    using = _expression(column, one, row.schema)
    if using is None and column.type.equals(one.to, check_metadata=True):
        return None
    try:
        if using is not None:
            return Computed(_computable(using, one.to, row.schema), row, source, one.to)
        if is_widening(column.type, one.to):
            return Converted(source, Cast(widens=True), one.to)
        cast_array(nulls(0, column.type), one.to)
    except (InvalidRequestError, NotFoundError, UnsupportedError) as error:
        raise InvalidRequestError(
            f"column {quoted(column.name)} cannot become {one.to}: {error.message}",
            hint=error.hint or "give an expression: ALTER … TYPE … USING …",
        ) from error
    return Converted(source, Cast(widens=False), one.to)


def _require_shapes(column: Field, one: ChangeType) -> None:
    """Bytes are told from geometries by no cast of DuckDB's, and only rows would say so."""
    if one.extension and not column.metadata and pa.types.is_binary(column.type):
        raise InvalidRequestError(
            f"column {quoted(column.name)} cannot become GEOMETRY: there is no cast from BLOB",
            hint="add a column of that type and fill it by UPDATE",
        )


def _expression(column: Field, one: ChangeType, schema: pa.Schema) -> str | None:
    """The SQL that makes the new values; None for a cast of ours."""
    is_own = one.using is None or _is_own_cast(one.using, column.name, one.to, schema)
    is_geometry = b"ARROW:extension:name" in (column.metadata or {})
    if not (is_geometry or one.extension):
        return None if is_own else one.using
    # GEOMETRY, of which the type alone says BLOB. SQL knows what may become of it, and of what it may be made.
    if is_own and is_geometry and column.type == one.to:
        return None
    made = one.using or '"{}"'.format(column.name.replace('"', '""'))
    if one.extension:
        return f"CAST(({made}) AS GEOMETRY)"
    return one.using or f"CAST({made} AS {type_text(pa.field('to', one.to))})"


def _is_own_cast(using: str, name: str, to: pa.DataType, schema: pa.Schema) -> bool:
    return is_cast_of(using, name) and result_type(parse_expression(using, schema), schema) == to


def _computable(using: str, to: pa.DataType, schema: pa.Schema) -> str:
    """Tried on no rows, so that it is refused before any is read."""
    expression = parse_expression(using, schema)
    empty = [nulls(0, column.type) for column in schema]
    cast_array(evaluate(expression, pa.RecordBatch.from_arrays(empty, schema=schema)), to)
    return expression.sql
