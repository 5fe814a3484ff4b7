"""A predicate in the user's terms, carried over to a table's columns and their types, exactly.

A constant that the column's type cannot hold falls between two values it can (`x < 5.5` is `x <= 5`
for integers), or outside them all; both become conditions without it, so that a bound predicate
compares like with like. Where DuckDB itself would round (a decimal column with a float), binding
refuses, and the condition belongs to an expression. NULL constants are folded away.
"""

from __future__ import annotations

from typing import assert_never

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field, Scalar
from lakeport.catalog.definition import require_column
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.constants import array_of, scalar_of
from lakeport.catalog.predicates.fit import Fit, fit
from lakeport.catalog.predicates.kinds import Kind, constant_type, kind_of, kind_of_field
from lakeport.catalog.predicates.model import (
    MAX_DEPTH,
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
    false_unless_null,
    true_unless_null,
)
from lakeport.catalog.predicates.ordering import key
from lakeport.core.errors import InvalidRequestError, LimitError, UnsupportedError
from lakeport.core.names import quoted

# Pairs of kinds that DuckDB compares after a conversion, which may round or read a time zone.
_CONVERTED = ({Kind.NUMBER, Kind.FLOAT}, {Kind.MOMENT, Kind.INSTANT})


def bind(predicate: Predicate, schema: pa.Schema) -> Predicate:
    """The same condition on the schema's own columns, with constants of their types.

    `NotFoundError` for a column that is not there, `InvalidRequestError` for a constant that makes
    no sense for it, `UnsupportedError` for a type or a mixture that only an expression can compare,
    `LimitError` for one that nests too deep.
    """
    return _bound(predicate, schema, MAX_DEPTH)


def _bound(predicate: Predicate, schema: pa.Schema, depth: int) -> Predicate:  # noqa: C901 one arm per predicate
    if depth == 0:
        raise LimitError(
            f"the condition nests deeper than {MAX_DEPTH} levels",
            hint="join the parts of an AND or OR in one list",
        )
    match predicate:
        case Compare():
            field = _field(predicate.column, schema)
            return _comparison(field, predicate.op, predicate.value)
        case IsIn():
            return _membership(_field(predicate.column, schema), predicate.values)
        case Between():
            return _between(_field(predicate.column, schema), predicate)
        case IsNull():
            return IsNull(_field(predicate.column, schema).name)
        case StartsWith():
            return _prefix(_field(predicate.column, schema), predicate.prefix)
        case And():
            return And(tuple(_bound(part, schema, depth - 1) for part in predicate.parts))
        case Or():
            return Or(tuple(_bound(part, schema, depth - 1) for part in predicate.parts))
        case Not():
            return Not(_bound(predicate.part, schema, depth - 1))
        case Always():
            return predicate
        case _:
            assert_never(predicate)


def _field(name: str, schema: pa.Schema) -> Field:
    return schema.field(require_column(schema, name))


def _comparable(field: Field) -> Kind:
    kind = kind_of_field(field)
    if kind is None:
        raise UnsupportedError(
            f"column {quoted(field.name)} of type {field.type} has no order to compare by",
            hint="only IS NULL can be pushed down for it; write the condition as an expression",
        )
    return kind


def _comparison(field: Field, op: Op, constant: Scalar) -> Predicate:
    kind = _comparable(field)
    if not constant.is_valid or kind is Kind.NULL:
        return _with_null(field, op, constant)
    fitted = _fitted(field, constant)
    if fitted.exact:
        return Compare(field.name, op, _constant(field, fitted))
    return _beside(field, op, fitted)


def _with_null(field: Field, op: Op, constant: Scalar) -> Predicate:
    """A comparison one side of which is always NULL."""
    if op not in {Op.DISTINCT, Op.NOT_DISTINCT}:
        return Always(None)
    same = Always(value=False) if constant.is_valid else IsNull(field.name)
    return same if op is Op.NOT_DISTINCT else Not(same)


def _beside(field: Field, op: Op, fitted: Fit) -> Predicate:
    """A comparison with something that is no value of the column: `fitted` is the one below it."""
    if op is Op.DISTINCT or op is Op.NOT_DISTINCT:
        return Always(op is Op.DISTINCT)
    if op is Op.EQ or op is Op.NE:
        beyond = op is Op.NE
    elif fitted.value is not None:
        below = op in {Op.LT, Op.LE}
        return Compare(field.name, Op.LE if below else Op.GT, _constant(field, fitted))
    else:
        beyond = op in {Op.GT, Op.GE}
    return true_unless_null(field.name) if beyond else false_unless_null(field.name)


def _between(field: Field, predicate: Between) -> Predicate:
    low, high = (_comparison(field, half.op, half.value) for half in predicate.halves)
    if isinstance(low, Compare) and isinstance(high, Compare):
        return Between(
            field.name,
            low.value,
            high.value,
            low_inclusive=low.op is Op.GE,
            high_inclusive=high.op is Op.LE,
        )
    return And((low, high))


def _membership(field: Field, values: Array) -> Predicate:
    kind = _comparable(field)
    if not len(values):
        return Always(value=False)
    if kind is Kind.NULL:
        return Always(None)
    target = constant_type(field.type)
    if values.type == target:
        held = values
    else:
        fits = [_fitted(field, value) for value in values if value.is_valid]
        held = array_of((found.value for found in fits if found.exact), target)
        if values.null_count:
            held = kernels.concat([held, kernels.nulls(1, target)])
    if not len(held):
        return false_unless_null(field.name)
    return Always(None) if held.null_count == len(held) else IsIn(field.name, held)


def _prefix(field: Field, prefix: str) -> Predicate:
    kind = _comparable(field)
    if kind is Kind.NULL:
        return Always(None)
    if kind is not Kind.TEXT:
        raise InvalidRequestError(
            f"column {quoted(field.name)} of type {field.type} cannot start with a text",
            hint="a prefix can be sought in text columns only",
        )
    return StartsWith(field.name, prefix)


def _constant(field: Field, fitted: Fit) -> Scalar:
    return scalar_of(fitted.value, constant_type(field.type))


def _fitted(field: Field, constant: Scalar) -> Fit:
    target = constant_type(field.type)
    kind = kind_of(constant.type)
    if kind is None:
        raise UnsupportedError(
            f"column {quoted(field.name)} cannot be compared with a constant of type {constant.type}",
            hint="write the condition as an expression",
        )
    found = fit(key(constant) if kind is Kind.INSTANT else constant, target)
    if found is not None:
        return found
    wanted = _comparable(field)
    if kind is wanted or {kind, wanted} in _CONVERTED:
        raise UnsupportedError(
            f"comparing column {quoted(field.name)} of type {target} with a constant of type "
            f"{constant.type} needs a conversion",
            hint=f"give a constant of type {target}, or write the condition as an expression",
        )
    raise InvalidRequestError(
        f"column {quoted(field.name)} of type {target} cannot be compared with {kind.value}",
        hint=f"give {wanted.value}",
    )
