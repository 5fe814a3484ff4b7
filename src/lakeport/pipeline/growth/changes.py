"""A plan as the catalog's changes: what one commit applies, all or nothing.

Relaxing and widening come before adding, so that a reader of the list sees what happens to the columns
there are first; the catalog applies them in any order. The result's type has no drop in it.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Field as ArrowField
from lakeport.catalog.changes import AddColumn, AddField, Growth, RelaxColumn, WidenColumn
from lakeport.pipeline.growth import model
from lakeport.pipeline.growth.model import (
    DecimalOf,
    Field,
    Foreign,
    ListOf,
    MapOf,
    Primitive,
    Schema,
    StructOf,
    Type,
)
from lakeport.pipeline.growth.plan import Added, Plan

_ARROW: dict[Primitive, pa.DataType] = {
    model.BOOLEAN: pa.bool_(),
    model.INT: pa.int32(),
    model.LONG: pa.int64(),
    model.FLOAT: pa.float32(),
    model.DOUBLE: pa.float64(),
    model.STRING: pa.string(),
    model.BINARY: pa.binary(),
    model.DATE: pa.date32(),
    model.TIMESTAMP: pa.timestamp("us"),
    model.TIMESTAMPTZ: pa.timestamp("us", "UTC"),
    model.UUID: pa.uuid(),
}


def changes(plan: Plan) -> tuple[Growth, ...]:
    return (
        *(RelaxColumn(found.path) for found in plan.relaxed),
        *(WidenColumn(found.path, arrow_type(found.after)) for found in plan.widened),
        *(_addition(found) for found in plan.added),
    )


def _addition(found: Added) -> AddColumn | AddField:
    *parent, name = found.path
    field = pa.field(name, arrow_type(found.type))
    return AddField(tuple(parent), field) if parent else AddColumn(field)


def arrow_schema(schema: Schema) -> pa.Schema:
    """As a table of these columns is defined to the catalog."""
    return pa.schema([_field(column) for column in schema])


def arrow_type(type_: Type) -> pa.DataType:
    """Of a type that a table can have; the others never get into a plan's result."""
    match type_:
        case Primitive():
            return _ARROW.get(type_) or pa.binary(model.length(type_))
        case DecimalOf():
            return pa.decimal128(type_.precision, type_.scale)
        case ListOf():
            return pa.list_(_field(Field("element", type_.element, type_.required)))
        case MapOf():
            key = _field(Field("key", type_.key, required=True))
            value = _field(Field("value", type_.value, type_.required))
            return pa.map_(key, value)  # type: ignore[call-overload, no-any-return] # fields, too
        case StructOf():
            return pa.struct([_field(part) for part in type_.fields])
        case Foreign():
            raise TypeError(f"{type_.text} is never stored")


def _field(field: Field) -> ArrowField:
    return pa.field(field.name, arrow_type(field.type), nullable=not field.required)
