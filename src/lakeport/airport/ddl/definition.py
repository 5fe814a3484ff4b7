"""What `create_table` says of a new table, as a checked definition (chapter 4).

DuckDB sends constraints in eight ways: by position, by name, as SQL. Its Arrow fields are all
nullable, NOT NULL comes as positions, and the columns of a composite key in no order at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from lakeport.airport.ddl.arrow import comment_in, schema_in
from lakeport.airport.wire.fields import Fields
from lakeport.catalog.definition import (
    Check,
    Constraint,
    Definition,
    PrimaryKey,
    Unique,
    column_index,
)
from lakeport.catalog.evolution.define import define
from lakeport.catalog.expressions.constraint_sql import constraint_from_sql
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from lakeport.core.names import fold, quoted


def definition_in(fields: Fields) -> Definition:
    """Whole and checked: a CHECK that cannot be evaluated is refused here, before anything is made."""
    sent = schema_in(fields, "arrow_schema")
    schema = _required(sent, fields)
    constraints = (*_keys(schema, fields), *_conditions(fields))
    try:
        return define(
            Definition(
                schema,
                tuple(_distinct(constraints)),
                comment_in(sent),
                *_layout(fields),
            )
        )
    except (AlreadyExistsError, NotFoundError) as error:
        # NOT_FOUND and ALREADY_EXISTS tell of the namespace and the table: this is about the request.
        raise InvalidRequestError(error.message, hint=error.hint) from error


def _required(schema: pa.Schema, fields: Fields) -> pa.Schema:
    columns = list(schema)
    for place in _places("not_null_constraints", len(columns), fields):
        if pa.types.is_null(columns[place].type):
            raise InvalidRequestError(
                f"column {quoted(columns[place].name)} has the type null and cannot be NOT NULL"
            )
        columns[place] = columns[place].with_nullable(nullable=False)
    return pa.schema(columns)


def _keys(schema: pa.Schema, fields: Fields) -> Iterator[Constraint]:
    single = fields.texts("primary_key_columns") or ()
    several = fields.texts("multi_key_primary_keys") or ()
    if single and several:
        raise InvalidRequestError(f"{fields.what} describes two primary keys")
    if single or several:
        yield PrimaryKey(single or _by_position(schema, several))
    for place in _places("unique_constraints", len(schema), fields):
        yield Unique((schema.field(place).name,), "")
    for name in fields.texts("unique_columns") or ():
        yield Unique((name,), "")


def _layout(fields: Fields) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of our own, `["day(at)"]` and `["price desc"]`: no SQL of DuckDB's says so, other clients may."""
    return fields.texts("partitioned_by") or (), fields.texts("sorted_by") or ()


def _conditions(fields: Fields) -> Iterator[Constraint]:
    for text in fields.texts("extra_constraints") or ():
        yield constraint_from_sql(text)
    for text in fields.texts("check_constraints") or ():
        yield Check(text, "")


def _places(key: str, columns: int, fields: Fields) -> Iterator[int]:
    for place in dict.fromkeys(fields.numbers(key)):
        if place >= columns:
            raise InvalidRequestError(
                f"{fields.what}: there is no column {place} at `$.{key}`",
                hint=f"positions in `arrow_schema` are 0 to {columns - 1}",
            )
        yield place


def _by_position(schema: pa.Schema, names: Iterable[str]) -> tuple[str, ...]:
    """A column that is not there comes last, and is complained of later."""

    def position(name: str) -> int:
        index = column_index(schema, name)
        return len(schema) if index is None else index

    return tuple(sorted(names, key=position))


def _distinct(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """What is said twice, as by position and by name, is one constraint."""
    said: set[object] = set()
    for one in constraints:
        key: object = one
        if isinstance(one, Unique) and not one.name:
            key = frozenset(fold(column) for column in one.columns)
        if key not in said:
            said.add(key)
            yield one
