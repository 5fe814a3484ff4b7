"""What a table is, as plain data: columns, constraints, comment, layout.

Columns are an Arrow schema, the currency of every door. Nullability is NOT NULL; a column's comment
and DEFAULT travel in the field's metadata under the keys DuckDB's client reads, so that a schema
sent over the wire needs no translation. The row id is never part of a definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.names import ROW_ID, fold, quoted, twins, why_unsafe_column

COMMENT = b"comment"
DEFAULT = b"default"

ROW_ID_FIELD = pa.field(ROW_ID, pa.int64(), nullable=False, metadata={b"is_rowid": b"1"})


@dataclass(frozen=True, slots=True)
class PrimaryKey:
    """No two rows agree in all these columns, and none of them is NULL."""

    columns: tuple[str, ...]
    name: str = "primary key"


@dataclass(frozen=True, slots=True)
class Unique:
    """No two rows agree in all these columns; rows with a NULL among them never collide."""

    columns: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Check:
    """Every row makes this SQL condition TRUE or NULL."""

    expression: str
    name: str


Key: TypeAlias = PrimaryKey | Unique
Constraint: TypeAlias = PrimaryKey | Unique | Check


@dataclass(frozen=True, slots=True)
class Definition:
    """A table as its creator described it, or as its last change left it."""

    schema: pa.Schema
    constraints: tuple[Constraint, ...] = ()
    comment: str | None = None
    partitioned_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(c for c in self.constraints if not isinstance(c, Check))

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(c for c in self.constraints if isinstance(c, Check))


def comment_of(column: Field) -> str | None:
    return _metadata(column, COMMENT)


def default_of(column: Field) -> str | None:
    """The DEFAULT expression, SQL in DuckDB's dialect."""
    return _metadata(column, DEFAULT)


def with_comment(column: Field, comment: str | None) -> Field:
    return _with_metadata(column, COMMENT, comment)


def with_default(column: Field, expression: str | None) -> Field:
    return _with_metadata(column, DEFAULT, expression)


def _metadata(column: Field, key: bytes) -> str | None:
    value = (column.metadata or {}).get(key)
    return None if value is None else value.decode()


def _with_metadata(column: Field, key: bytes, value: str | None) -> Field:
    metadata: dict[bytes | str, bytes | str] = dict((column.metadata or {}).items())
    metadata.pop(key, None)
    if value is not None:
        metadata[key] = value.encode()
    return column.with_metadata(metadata) if metadata else column.remove_metadata()


def column_index(schema: pa.Schema, name: str) -> int | None:
    """The position of a column in any spelling of its name."""
    exact: int = schema.get_field_index(name)
    if exact >= 0:  # Arrow looks it up; who asks for each of ten thousand columns would wait long
        return exact
    wanted = fold(name)
    for index, known in enumerate(schema.names):
        if fold(known) == wanted:
            return index
    return None


def require_column(schema: pa.Schema, name: str, *, where: str = "the table") -> int:
    index = column_index(schema, name)
    if index is None:
        raise NotFoundError.among("column", name, schema.names, where=where)
    return index


def check_columns(schema: pa.Schema) -> None:
    """Refuse a schema that no table of ours may have."""
    if not len(schema):
        raise InvalidRequestError(
            "a table needs at least one column", hint="give it a name and a type"
        )
    pair = twins(schema.names)
    if pair is not None:
        first, second = pair
        detail = "" if first == second else " (names are matched without regard to case)"
        raise InvalidRequestError(
            f"two columns are called {quoted(first)}{detail}", hint="rename one of them"
        )
    for column in schema:
        check_column_name(column.name)
        check_type(column.type, column.name)


def check_column_name(name: str) -> None:
    reason = why_unsafe_column(name)
    if reason is not None:
        raise InvalidRequestError(
            f"a column cannot be called {quoted(name)}: {reason}", hint="choose another name"
        )


_LISTS = (
    pa.ListType,
    pa.LargeListType,
    pa.FixedSizeListType,
    pa.ListViewType,
    pa.LargeListViewType,
)


def check_type(data_type: pa.DataType, where: str) -> None:
    """Refuse what DuckDB's client cannot read, and nested fields that cannot be told apart.

    float16 and decimal256 make the client fail on every query of the table, so they never get in.
    """
    if pa.types.is_float16(data_type) or pa.types.is_decimal256(data_type):
        wider = "float32" if pa.types.is_float16(data_type) else "decimal128"
        raise InvalidRequestError(
            f"column {quoted(where)} has the type {data_type}, which clients cannot read",
            hint=f"use {wider}",
        )
    if pa.types.is_struct(data_type) or pa.types.is_union(data_type):
        fields = [data_type.field(index) for index in range(data_type.num_fields)]
        pair = twins(child.name for child in fields)
        if pair is not None:
            raise InvalidRequestError(
                f"{quoted(where)} has two fields called {quoted(pair[0])}",
                hint="rename one of them",
            )
        for child in fields:
            if not child.name:
                raise InvalidRequestError(
                    f"{quoted(where)} has a field without a name", hint="name every field"
                )
            check_type(child.type, f"{where}.{child.name}")
    elif pa.types.is_map(data_type):
        check_type(data_type.key_type, f"{where}.key")
        check_type(data_type.item_type, f"{where}.value")
    elif isinstance(data_type, _LISTS):
        check_type(data_type.value_type, f"{where}.element")
