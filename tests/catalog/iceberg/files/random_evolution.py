"""Random nested Iceberg schemas, and what years of ALTER TABLE may make of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

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
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

PRIMITIVES: tuple[PrimitiveType, ...] = (
    BooleanType(),
    IntegerType(),
    LongType(),
    FloatType(),
    DoubleType(),
    DecimalType(9, 2),
    DecimalType(20, 3),
    DateType(),
    TimeType(),
    TimestampType(),
    TimestamptzType(),
    StringType(),
    BinaryType(),
    FixedType(5),
    UUIDType(),
)
_KEYS: tuple[PrimitiveType, ...] = (IntegerType(), LongType(), StringType())
_DEFAULTS: dict[type[IcebergType], object] = {
    IntegerType: 7,
    StringType: "unknown",
    BooleanType: True,
}


@dataclass
class Evolution:
    """Field ids are never used twice, names are. Only columns are ever required.

    Arrow refuses to cast arrays whose required fields are NULL below a NULL, as the random ones are.
    """

    rng: random.Random
    ids: Iterator[int] = field(default_factory=lambda: iter(range(1, 100_000)))

    def schema(self, *, depth: int = 3) -> Schema:
        fields = self._fields(depth, most=5)
        required = [one.model_copy(update={"required": self.rng.random() < 0.2}) for one in fields]
        return Schema(*required)

    def evolved(self, schema: Schema) -> Schema:
        """Always with at least one column."""
        fields = self._evolved_fields(schema.fields, depth=2)
        return Schema(*(fields or [self._new(self.rng.choice("xyz"), 1)]))

    def _fields(self, depth: int, most: int) -> list[NestedField]:
        names = self.rng.sample("abcdefgh", self.rng.randint(1, most))
        return [
            NestedField(next(self.ids), name, self._type(depth), required=False) for name in names
        ]

    def _type(self, depth: int) -> IcebergType:
        if depth == 0 or self.rng.random() < 0.4:
            return self.rng.choice(PRIMITIVES)
        match self.rng.randrange(3):
            case 0:
                return StructType(*self._fields(depth - 1, most=3))
            case 1:
                return ListType(next(self.ids), self._type(depth - 1), element_required=False)
            case _:
                return MapType(
                    next(self.ids),
                    self.rng.choice(_KEYS),
                    next(self.ids),
                    self._type(depth - 1),
                    value_required=False,
                )

    def _evolved_fields(self, fields: tuple[NestedField, ...], depth: int) -> list[NestedField]:
        kept = [one for one in fields if self.rng.random() < 0.75]
        found = [
            NestedField(
                one.field_id,
                one.name,
                self._evolved_type(one.field_type, depth),
                required=one.required and self.rng.random() < 0.5,
            )
            for one in kept
        ]
        found += [self._new("?", depth) for _ in range(self.rng.choice((0, 0, 1, 2)))]
        self.rng.shuffle(found)
        # New names for all, drawn from the old ones: nothing may depend on them.
        names = self.rng.sample("abcdefghij", len(found))
        return [
            one.model_copy(update={"name": name}) for one, name in zip(found, names, strict=True)
        ]

    def _new(self, name: str, depth: int) -> NestedField:
        kind = self._type(depth)
        default = _DEFAULTS.get(type(kind)) if self.rng.random() < 0.7 else None
        return NestedField(next(self.ids), name, kind, required=False, initial_default=default)

    def _evolved_type(self, kind: IcebergType, depth: int) -> IcebergType:
        match kind:
            case StructType():
                fields = self._evolved_fields(kind.fields, max(depth - 1, 0))
                return StructType(*(fields or [self._new("z", 0)]))
            case ListType():
                return ListType(
                    kind.element_id,
                    self._evolved_type(kind.element_type, depth),
                    element_required=kind.element_required,
                )
            case MapType():
                return MapType(
                    kind.key_id,
                    kind.key_type,
                    kind.value_id,
                    self._evolved_type(kind.value_type, depth),
                    value_required=kind.value_required,
                )
        return self._widened(kind)

    def _widened(self, kind: IcebergType) -> IcebergType:
        if self.rng.random() < 0.5:
            return kind
        match kind:
            case IntegerType():
                return LongType()
            case FloatType():
                return DoubleType()
            case DecimalType():
                return DecimalType(self.rng.randint(kind.precision, 38), kind.scale)
        return kind
