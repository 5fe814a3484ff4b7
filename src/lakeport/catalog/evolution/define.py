"""A definition made whole and checked, before a table is created or altered with it.

Every name in it is spelled as the column is, every constraint has a name of its own, the columns of a
PRIMARY KEY are NOT NULL, and every SQL text was parsed and tried: what does not evaluate, reads
anything but the row's own columns or is volatile never gets into a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import (
    Check,
    Constraint,
    Definition,
    Key,
    PrimaryKey,
    Unique,
    check_columns,
    default_of,
    require_column,
)
from lakeport.catalog.evolution.layout import parse_term
from lakeport.catalog.expressions import default_array, parse_expression, result_type
from lakeport.catalog.rows.keys import check_key_type
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import fold, quoted, twins, why_unsafe

_LONGEST_GENERATED = 120


def define(definition: Definition) -> Definition:
    """The definition as a new table will have it; the errors of `evolve` for what it may not have."""
    check_columns(definition.schema)
    for column in definition.schema:
        check_default(column)
    defined = replace(
        definition,
        constraints=(),
        partitioned_by=_spelled(definition.partitioned_by, definition.schema),
        sorted_by=_spelled(definition.sorted_by, definition.schema),
    )
    for constraint in definition.constraints:
        defined = with_constraint(defined, constraint)
    return defined


def with_constraint(definition: Definition, constraint: Constraint) -> Definition:
    """The constraint added as the last one, named if it had no name."""
    constraints = definition.constraints
    if isinstance(constraint, PrimaryKey) and any(isinstance(c, PrimaryKey) for c in constraints):
        raise AlreadyExistsError(
            "the table has a primary key already", hint="drop it first, or use UNIQUE"
        )
    taken = {fold(known.name) for known in constraints}
    if constraint.name and fold(constraint.name) in taken:
        raise AlreadyExistsError(
            f"there is a constraint {quoted(constraint.name)} already", hint="choose another name"
        )
    added = _checked(constraint, definition.schema)
    if added.name:
        _check_name(added.name)
    else:
        added = replace(added, name=_free_name(_plain_name(added, definition.schema), taken))
    return replace(
        definition,
        schema=_with_required(definition.schema, added),
        constraints=(*constraints, added),
    )


def check_default(column: Field) -> None:
    """Refuse a DEFAULT that is no constant of the column's type."""
    expression = default_of(column)
    if expression is None:
        return
    try:
        default_array(expression, column.type, 1)
    except (InvalidRequestError, NotFoundError, UnsupportedError) as error:
        raise InvalidRequestError(
            f"the DEFAULT of column {quoted(column.name)} cannot be used: {error.message}",
            hint=error.hint or f"give a constant of the type {column.type}",
        ) from error


def checked_condition(expression: str, schema: pa.Schema) -> str:
    """The text of a CHECK as it is stored; it must be a condition over these columns."""
    parsed = parse_expression(expression, schema)
    found = result_type(parsed, schema)
    if not (pa.types.is_boolean(found) or pa.types.is_null(found) or found == pa.bool8()):
        raise InvalidRequestError(
            f"a CHECK must be true or false, but {expression} gives {found}",
            hint="compare it with something",
        )
    return parsed.sql


def _checked(constraint: Constraint, schema: pa.Schema) -> Constraint:
    if isinstance(constraint, Check):
        return replace(constraint, expression=checked_condition(constraint.expression, schema))
    return _checked_key(constraint, schema)


def _checked_key(key: Key, schema: pa.Schema) -> Key:
    kind = "PRIMARY KEY" if isinstance(key, PrimaryKey) else "UNIQUE"
    if not key.columns:
        raise InvalidRequestError(
            f"a {kind} needs at least one column", hint="name the columns that tell rows apart"
        )
    pair = twins(key.columns)
    if pair is not None:
        raise InvalidRequestError(
            f"a {kind} names column {quoted(pair[0])} twice", hint="name each column once"
        )
    columns = [schema.field(require_column(schema, name)) for name in key.columns]
    for column in columns:
        check_key_type(column)
    return replace(key, columns=tuple(column.name for column in columns))


def _with_required(schema: pa.Schema, constraint: Constraint) -> pa.Schema:
    if isinstance(constraint, PrimaryKey):
        for name in constraint.columns:
            index = require_column(schema, name)
            schema = schema.set(index, schema.field(index).with_nullable(nullable=False))
    return schema


def _plain_name(constraint: Constraint, schema: pa.Schema) -> str:
    if isinstance(constraint, PrimaryKey):
        return "primary key"
    if isinstance(constraint, Unique):
        parts = [*constraint.columns, "unique"]
    else:
        read = parse_expression(constraint.expression, schema).columns
        parts = [*(name for name in schema.names if name in read), "check"]
    return "_".join(parts)[-_LONGEST_GENERATED:]


def _free_name(wanted: str, taken: Iterable[str]) -> str:
    used = set(taken)
    name, number = wanted, 1
    while fold(name) in used:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _check_name(name: str) -> None:
    reason = why_unsafe(name)
    if reason is not None:
        raise InvalidRequestError(
            f"a constraint cannot be called {quoted(name)}: {reason}", hint="choose another name"
        )


def _spelled(terms: tuple[str, ...], schema: pa.Schema) -> tuple[str, ...]:
    return tuple(str(parse_term(term, schema)) for term in terms)
