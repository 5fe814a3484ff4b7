"""Rows of the old schema become rows of the new one, batch by batch.

Untouched columns are passed on without a copy. Nothing is checked here but that values fit their new
type: NOT NULL, CHECK and keys are `constraints.check_evolution`'s business, on what comes out.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrays.containers import child_fields, nulls, put_together, take_apart
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array
from lakeport.catalog.evolution.nested import Cast, Elements, Fields, Same, Shape
from lakeport.catalog.evolution.plan import (
    ColumnSource,
    Computed,
    Converted,
    Evolution,
    Filled,
    Kept,
    Row,
)
from lakeport.catalog.expressions import cast_array, evaluate, parse_expression
from lakeport.catalog.rows.convert import convert
from lakeport.catalog.rows.defaults import filled


def rewrite(batch: pa.RecordBatch, evolution: Evolution) -> pa.RecordBatch:
    """The batch after the changes; its columns must be those of `evolution.before`."""
    columns = [_column(source, batch) for source in evolution.columns]
    return with_columns(columns, evolution.definition.schema, batch.num_rows)


def _column(source: ColumnSource, batch: pa.RecordBatch) -> Array:
    match source:
        case Kept():
            return batch.column(source.index)
        case Filled():
            return filled(source.expression, source.type, batch.num_rows)
        case Computed():
            return _computed(source, batch)
        case Converted():
            return _reshaped(_column(source.source, batch), source.shape, source.type)


def _computed(source: Computed, batch: pa.RecordBatch) -> Array:
    expression = parse_expression(source.expression, source.row.schema)
    row = _row(source.row, expression.columns, batch)
    return _cast(evaluate(expression, row), source.type)


def _row(row: Row, names: frozenset[str], batch: pa.RecordBatch) -> pa.RecordBatch:
    """Only the columns an expression reads: working out the others would be for nothing."""
    wanted = [index for index, name in enumerate(row.schema.names) if name in names]
    columns = [_column(row.columns[index], batch) for index in wanted]
    schema = pa.schema([row.schema.field(index) for index in wanted])
    return with_columns(columns, schema, batch.num_rows)


def _reshaped(array: Array, shape: Shape, to: pa.DataType) -> Array:
    match shape:
        case Same():
            return array
        case Cast():
            return convert(array, to) if shape.widens else _cast(array, to)
        case Fields():
            parts = take_apart(array)
            fields = tuple(
                nulls(parts.length, field.type)
                if source.index is None
                else _reshaped(parts.children[source.index], source.shape, field.type)
                for source, field in zip(shape.fields, child_fields(to), strict=True)
            )
            return put_together(parts.with_children(*fields), to)
        case Elements():
            parts = take_apart(array)
            elements = tuple(
                _reshaped(child, inner, field.type)
                for child, inner, field in zip(
                    parts.children, shape.children, child_fields(to), strict=True
                )
            )
            return put_together(parts.with_children(*elements), to)


def _cast(array: Array, to: pa.DataType) -> Array:
    # SQL's cast does not know Arrow's names of list elements and zones: the second step sets them.
    return convert(cast_array(array, to), to)
