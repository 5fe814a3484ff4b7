"""Random lives of a table: rows come and go between schema changes of every kind, sensible or not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropConstraint,
    DropField,
    Path,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetComment,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique, with_default

INNER = pa.struct([pa.field("x", pa.int16()), pa.field("y", pa.string())])
COLUMNS: list[Field] = [
    pa.field("k", pa.int32()),
    pa.field("t", pa.int8()),
    pa.field("n", pa.string()),
    pa.field("d", pa.decimal128(9, 2)),
    pa.field("s", INNER),
    pa.field("l", pa.list_(pa.field("element", INNER))),
]
START = Definition(pa.schema(COLUMNS), (Check("k IS NULL OR k >= 0", "sane"),))
TYPES = (
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64()),
    *(pa.float32(), pa.float64(), pa.string(), pa.large_string(), pa.bool_(), pa.date32()),
    *(pa.decimal128(9, 2), pa.decimal128(20, 2), pa.time32("s"), pa.time64("us")),
    *(pa.timestamp("s"), pa.timestamp("us"), pa.binary()),
)
DEFAULTS = {pa.int64(): "7", pa.string(): "'new'", pa.decimal128(9, 2): "1.25", pa.bool_(): "TRUE"}


class Program:
    """Chooses the next step from what the table is now."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._fresh = 0
        self._next_key = 0

    def rows(self, schema: pa.Schema) -> pa.RecordBatch:
        """A few rows that fit the schema, NULL here and there."""
        count = self._rng.randrange(1, 6)
        arrays = []
        for column in schema:
            found = [self._value(column.type, column.nullable) for _ in range(count)]
            if column.name == "k" and pa.types.is_integer(column.type):
                self._next_key += count
                found = [(self._next_key + at) % 120 for at in range(count)]
            arrays.append(pa.array(found, column.type))
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def changes(self, definition: Definition) -> list[Change]:
        return [self._change(definition) for _ in range(self._rng.choice([1, 1, 1, 2, 3]))]

    # -- changes ---------------------------------------------------------------------------------

    def _change(self, definition: Definition) -> Change:
        schema = definition.schema
        makers: list[Callable[[pa.Schema], Change]] = [
            *(self._add, self._rename, self._widen, self._retype, self._using, self._drop),
            *(self._require, self._relax, self._default, self._comment, self._check, self._key),
            *(self._add_field, self._rename_field, self._drop_field, self._widen_field),
        ]
        if definition.constraints and self._rng.random() < 0.1:
            return DropConstraint(self._rng.choice(definition.constraints).name)
        return self._rng.choice(makers)(schema)

    def _name(self) -> str:
        self._fresh += 1
        return f"n{self._fresh}"

    def _column(self, schema: pa.Schema) -> str:
        return str(self._rng.choice(schema.names))

    def _add(self, _: pa.Schema) -> Change:
        kind = self._rng.choice(TYPES)
        column = pa.field(self._name(), kind, nullable=self._rng.random() < 0.9)
        return AddColumn(with_default(column, self._rng.choice([None, DEFAULTS.get(kind)])))

    def _rename(self, schema: pa.Schema) -> Change:
        return RenameColumn(self._column(schema), self._name())

    def _widen(self, schema: pa.Schema) -> Change:
        return WidenColumn((self._column(schema),), self._rng.choice(TYPES))

    def _retype(self, schema: pa.Schema) -> Change:
        return ChangeType(self._column(schema), self._rng.choice(TYPES))

    def _using(self, schema: pa.Schema) -> Change:
        name, other = self._column(schema), self._column(schema)
        text = f'CASE WHEN "{other}" IS NULL THEN 0 ELSE length(CAST("{name}" AS VARCHAR)) END'
        return ChangeType(name, self._rng.choice([pa.int64(), pa.int16()]), text)

    def _drop(self, schema: pa.Schema) -> Change:
        return DropColumn(self._column(schema), cascade=self._rng.random() < 0.3)

    def _require(self, schema: pa.Schema) -> Change:
        return RequireColumn(self._column(schema))

    def _relax(self, schema: pa.Schema) -> Change:
        return RelaxColumn((self._column(schema),))

    def _default(self, schema: pa.Schema) -> Change:
        name = self._column(schema)
        return SetDefault(name, DEFAULTS.get(schema.field(name).type))

    def _comment(self, schema: pa.Schema) -> Change:
        return SetComment(self._rng.choice([None, self._column(schema)]), self._name())

    def _check(self, schema: pa.Schema) -> Change:
        paths = [path for path, _ in _structs(schema) if len(path) == 1]
        text = f'"{self._column(schema)}" IS NOT NULL OR TRUE'
        if paths:
            (name,) = self._rng.choice(paths)
            text = f'"{name}".{schema.field(name).type.field(0).name} IS NOT NULL OR TRUE'
        return AddConstraint(Check(text, self._name()))

    def _key(self, schema: pa.Schema) -> Change:
        name = self._column(schema)
        if self._rng.random() < 0.5:
            return AddConstraint(PrimaryKey((name,)))
        return AddConstraint(Unique((name,), self._name()))

    def _add_field(self, schema: pa.Schema) -> Change:
        path, _ = self._struct(schema)
        return AddField(path, pa.field(self._name(), self._rng.choice(TYPES)))

    def _rename_field(self, schema: pa.Schema) -> Change:
        path, kind = self._struct(schema)
        return RenameField((*path, _any_child(self._rng, kind)), self._name())

    def _drop_field(self, schema: pa.Schema) -> Change:
        path, kind = self._struct(schema)
        return DropField((*path, _any_child(self._rng, kind)))

    def _widen_field(self, schema: pa.Schema) -> Change:
        path, kind = self._struct(schema)
        return WidenColumn((*path, _any_child(self._rng, kind)), self._rng.choice(TYPES))

    def _struct(self, schema: pa.Schema) -> tuple[Path, Any]:
        found = list(_structs(schema))
        return self._rng.choice(found) if found else (("missing",), INNER)

    # -- values ----------------------------------------------------------------------------------

    def _value(self, kind: Any, nullable: bool = True) -> object:  # noqa: FBT001, FBT002
        if nullable and self._rng.random() < 0.2:
            return None
        if pa.types.is_struct(kind):
            return {field.name: self._value(field.type, field.nullable) for field in kind}
        if pa.types.is_list(kind):
            return [self._value(kind.value_type) for _ in range(self._rng.randrange(3))]
        number = self._rng.randrange(0, 100)
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return self._rng.choice([str(number), "text", ""])
        if pa.types.is_binary(kind):
            return bytes([number])
        if pa.types.is_boolean(kind):
            return number % 2 == 0
        if pa.types.is_decimal(kind):
            return pa.scalar(number, pa.int64()).cast(pa.decimal128(19, 0)).as_py()
        if pa.types.is_temporal(kind):
            width = pa.int32() if kind.bit_width == 32 else pa.int64()
            return pa.array([number], width).view(kind)[0].as_py()
        return number


def _structs(schema: pa.Schema) -> Iterator[tuple[Path, Any]]:
    for column in schema:
        kind: Any = column.type
        if pa.types.is_struct(kind):
            yield (column.name,), kind
        elif pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
            yield (column.name, "element"), kind.value_type


def _any_child(rng: random.Random, kind: Any) -> str:
    return str(kind.field(rng.randrange(kind.num_fields)).name)
