"""Random Iceberg schemas, and every way in which the specification lets them change."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

KEY = "k"
"""Every generated table has it: a long that numbers the rows, because tables have no order."""

PRIMITIVES: tuple[PrimitiveType, ...] = (
    BooleanType(),
    IntegerType(),
    LongType(),
    FloatType(),
    DoubleType(),
    DecimalType(4, 1),
    DecimalType(9, 2),
    DecimalType(18, 4),
    DecimalType(38, 10),
    DateType(),
    TimeType(),
    TimestampType(),
    TimestamptzType(),
    StringType(),
    UUIDType(),
    FixedType(5),
    FixedType(16),
    BinaryType(),
)
FORMAT_3: tuple[PrimitiveType, ...] = (TimestampNanoType(), TimestamptzNanoType(), UnknownType())

_KEYS: tuple[PrimitiveType, ...] = (StringType(), IntegerType(), LongType(), DateType())
_NAMES = ("a", "Name", "größe", "a b", "x.y", "日本", "amount", "Ts", "é", "select", 'q"uote')

Ids = Callable[[], int]


def random_schema(
    rng: random.Random, next_id: Ids, columns: int, primitives: Sequence[PrimitiveType]
) -> Schema:
    fields = [NestedField(next_id(), KEY, LongType(), required=rng.random() < 0.5)]
    for at in range(columns):
        kind = random_type(rng, next_id, primitives, 2)
        required = rng.random() < 0.15 and not isinstance(kind, UnknownType)
        fields.append(NestedField(next_id(), _name(rng, at), kind, required=required))
    return Schema(*fields, schema_id=0)


def _name(rng: random.Random, at: int) -> str:
    return f"{rng.choice(_NAMES)}_{at}"


def random_type(
    rng: random.Random, next_id: Ids, primitives: Sequence[PrimitiveType], depth: int
) -> IcebergType:
    if depth == 0 or rng.random() < 0.65:
        return rng.choice(primitives)
    stored = [kind for kind in primitives if not isinstance(kind, UnknownType)]
    match rng.randrange(4):
        case 0:
            element = random_type(rng, next_id, stored, depth - 1)
            return ListType(next_id(), element, element_required=False)
        case 1:
            value = random_type(rng, next_id, stored, depth - 1)
            return MapType(next_id(), rng.choice(_KEYS), next_id(), value, value_required=False)
        case _:
            fields = [
                NestedField(next_id(), _name(rng, at), random_type(rng, next_id, stored, depth - 1))
                for at in range(rng.randint(1, 3))
            ]
            return StructType(*fields)


# -- changes -------------------------------------------------------------------------------------


def renamed(rng: random.Random, schema: Schema, fresh: str) -> Schema:
    target = rng.choice(
        [ident for ident in _struct_fields(schema) if schema.find_field(ident).name != KEY]
    )
    return _mapped(schema, lambda one: _with(one, name=fresh) if one.field_id == target else one)


def widened(schema: Schema) -> Schema:
    """Every field as wide as its type can grow, nested ones too; map keys stay as they are."""
    return _mapped(schema, lambda one: _with(one, field_type=_wider(one.field_type)))


def relaxed(schema: Schema) -> Schema:
    return _mapped(schema, lambda one: _with(one, required=False))


def shuffled(rng: random.Random, schema: Schema) -> Schema:
    def mixed(one: NestedField) -> NestedField:
        if not isinstance(one.field_type, StructType):
            return one
        inner = list(one.field_type.fields)
        rng.shuffle(inner)
        return _with(one, field_type=StructType(*inner))

    fields = list(_mapped(schema, mixed).fields)
    rng.shuffle(fields)
    return Schema(*fields)


def dropped(schema: Schema, ident: int) -> Schema:
    return Schema(*(one for one in schema.fields if one.field_id != ident))


def extended(schema: Schema, field: NestedField) -> Schema:
    return Schema(*schema.fields, field)


def extended_inside(rng: random.Random, schema: Schema, field: NestedField) -> Schema:
    """The field added to some struct, wherever it is; to the table when there is none."""
    structs = [
        ident for ident, found in _every_field(schema) if isinstance(found.field_type, StructType)
    ]
    if not structs:
        return extended(schema, field)
    target = rng.choice(structs)

    def grown(one: NestedField) -> NestedField:
        if one.field_id != target or not isinstance(one.field_type, StructType):
            return one
        return _with(one, field_type=StructType(*one.field_type.fields, field))

    return _mapped(schema, grown)


def _wider(kind: IcebergType) -> IcebergType:
    match kind:
        case IntegerType():
            return LongType()
        case FloatType():
            return DoubleType()
        case DecimalType():
            return DecimalType(min(38, kind.precision + 10), kind.scale)
    return kind


def _with(one: NestedField, **changes: Any) -> NestedField:
    given = {
        "field_id": one.field_id,
        "name": one.name,
        "field_type": one.field_type,
        "required": one.required,
        "doc": one.doc,
        "initial_default": one.initial_default,
        "write_default": one.write_default,
    }
    return NestedField(**{**given, **changes})


def _mapped(schema: Schema, change: Callable[[NestedField], NestedField]) -> Schema:
    return Schema(*(_mapped_field(one, change) for one in schema.fields))


def _mapped_field(one: NestedField, change: Callable[[NestedField], NestedField]) -> NestedField:
    return change(_with(one, field_type=_mapped_type(one.field_type, change)))


def _mapped_type(kind: IcebergType, change: Callable[[NestedField], NestedField]) -> IcebergType:
    match kind:
        case StructType():
            return StructType(*(_mapped_field(one, change) for one in kind.fields))
        case ListType():
            element = _mapped_field(kind.element_field, change)
            return ListType(kind.element_id, element.field_type, element_required=element.required)
        case MapType():
            value = _mapped_field(kind.value_field, change)
            return MapType(
                kind.key_id, kind.key_type, kind.value_id, value.field_type, value.required
            )
    return kind


def _every_field(schema: Schema) -> Iterable[tuple[int, NestedField]]:
    found: list[tuple[int, NestedField]] = []

    def seen(one: NestedField) -> NestedField:
        found.append((one.field_id, one))
        return one

    _mapped(schema, seen)
    return found


def _struct_fields(schema: Schema) -> list[int]:
    """Fields that have a name of their own: neither elements nor keys nor values."""
    found = [one.field_id for one in schema.fields]
    for _, one in _every_field(schema):
        if isinstance(one.field_type, StructType):
            found += [inner.field_id for inner in one.field_type.fields]
    return found


# -- files without field ids ---------------------------------------------------------------------


def name_mapping(schemas: Sequence[Schema]) -> str:
    """The JSON of `schema.name-mapping.default`: every name a field ever had."""
    return json.dumps(_mapping([list(schema.fields) for schema in schemas]), ensure_ascii=False)


def _mapping(generations: Sequence[Sequence[NestedField]]) -> list[dict[str, Any]]:
    found: dict[int, list[NestedField]] = {}
    for fields in generations:
        for one in fields:
            found.setdefault(one.field_id, []).append(one)
    listed = []
    for ident, ever in found.items():
        entry: dict[str, Any] = {"field-id": ident, "names": sorted({one.name for one in ever})}
        inner = [_named_children(one.field_type) for one in ever]
        if any(inner):
            entry["fields"] = _mapping(inner)
        listed.append(entry)
    return listed


def _named_children(kind: IcebergType) -> list[NestedField]:
    match kind:
        case StructType():
            return list(kind.fields)
        case ListType():
            return [kind.element_field]
        case MapType():
            return [kind.key_field, kind.value_field]
    return []
