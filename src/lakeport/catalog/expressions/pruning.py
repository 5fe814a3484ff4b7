"""A condition in SQL, split into what can prune and what is left for DuckDB.

`k = 5 AND lower(name) = 'ada'` can skip files by `k`, and only its second half needs the engine. A
predicate made here is true wherever the condition is: parts that cannot be translated are dropped
from an AND, but spoil a whole OR or NOT. Where nothing was dropped the predicate says it all, and
there is no expression beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field, Scalar
from lakeport.catalog.definition import require_column
from lakeport.catalog.expressions import engine, tree
from lakeport.catalog.expressions.arrow import plain
from lakeport.catalog.expressions.cast import cast_array
from lakeport.catalog.expressions.evaluate import SECONDS, result_type
from lakeport.catalog.expressions.parse import Expression, parse_expression
from lakeport.catalog.expressions.tree import Node
from lakeport.catalog.predicates import (
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
    bind,
)
from lakeport.catalog.predicates.constants import array_of, plain_value
from lakeport.catalog.predicates.kinds import Kind, constant_type, kind_of
from lakeport.core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from lakeport.core.names import quoted


@dataclass(frozen=True, slots=True)
class Condition:
    """A row is wanted where both are TRUE. `predicate` is bound to the schema."""

    predicate: Predicate | None
    expression: Expression | None


def narrow(sql: str, schema: pa.Schema) -> Condition:
    """Refuses what `parse_expression` refuses, and whatever is no condition."""
    expression = parse_expression(sql, schema)
    given = result_type(expression, schema)
    if not (pa.types.is_boolean(given) or pa.types.is_null(given)):
        raise InvalidRequestError(
            f"{quoted(expression.sql)} is no condition: it gives {given}",
            hint="compare it with something",
        )
    found = _Translation(schema).of(tree.parse(expression.sql))
    if found is None:
        return Condition(None, expression)
    return Condition(found.predicate, None if found.exact else expression)


@dataclass(frozen=True, slots=True)
class _Found:
    """`exact` when the predicate is the condition itself, and not only implied by it."""

    predicate: Predicate
    exact: bool = True


_OPERATORS = {
    "COMPARE_EQUAL": Op.EQ,
    "COMPARE_NOTEQUAL": Op.NE,
    "COMPARE_LESSTHAN": Op.LT,
    "COMPARE_LESSTHANOREQUALTO": Op.LE,
    "COMPARE_GREATERTHAN": Op.GT,
    "COMPARE_GREATERTHANOREQUALTO": Op.GE,
    "COMPARE_DISTINCT_FROM": Op.DISTINCT,
    "COMPARE_NOT_DISTINCT_FROM": Op.NOT_DISTINCT,
}
_MIRRORED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}
_PREFIX_FUNCTIONS = frozenset({"starts_with", "prefix", "^@"})
_ONE_ROW = pa.table({"rows": pa.nulls(1)})


class _Translation:
    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema

    def of(self, node: Node) -> _Found | None:
        if node["class"] == "CONJUNCTION":
            return self._joined(node)
        if node["class"] == "OPERATOR" and node["type"] == "OPERATOR_NOT":
            inner = self.of(node["children"][0])
            return _Found(Not(inner.predicate)) if inner is not None and inner.exact else None
        try:
            found = self._leaf(node)
            return None if found is None else _bound(found, self._schema)
        except (InvalidRequestError, UnsupportedError, NotFoundError):
            return None  # a comparison that only DuckDB can make, if anybody

    def _joined(self, node: Node) -> _Found | None:
        every = [self.of(child) for child in node["children"]]
        parts = [part for part in every if part is not None]
        exact = len(parts) == len(every) and all(part.exact for part in parts)
        predicates = tuple(part.predicate for part in parts)
        if node["type"] == "CONJUNCTION_AND":
            return _Found(And(predicates), exact) if predicates else None
        return _Found(Or(predicates), exact) if len(parts) == len(every) else None

    def _leaf(self, node: Node) -> _Found | None:
        if not _reads(node):
            value = _constant(node)
            return _Found(Always(value.as_py())) if pa.types.is_boolean(value.type) else None
        match node["class"]:
            case "COLUMN_REF":
                column = self._field(node)
                return None if column is None else _is_true(column)
            case "COMPARISON":
                return self._comparison(node)
            case "BETWEEN":
                return self._between(node)
            case "OPERATOR":
                return self._operator(node)
            case "FUNCTION":
                return self._pattern(node)
        return None

    def _comparison(self, node: Node) -> _Found | None:
        op = _OPERATORS[node["type"]]
        column, other = self._field(node["left"]), node["right"]
        if column is None:
            column, other = self._field(node["right"]), node["left"]
            op = _MIRRORED.get(op, op)
        if column is None or _reads(other):
            return None
        value = _fitting(other, column)
        return None if value is None else _Found(Compare(column.name, op, value))

    def _between(self, node: Node) -> _Found | None:
        column = self._field(node["input"])
        if column is None or _reads(node["lower"]) or _reads(node["upper"]):
            return None
        low, high = _fitting(node["lower"], column), _fitting(node["upper"], column)
        if low is None or high is None:
            return None
        return _Found(Between(column.name, low, high))

    def _operator(self, node: Node) -> _Found | None:
        first, *rest = node["children"]
        column = self._field(first)
        if column is None:
            return None
        match node["type"]:
            case "OPERATOR_IS_NULL":
                return _Found(IsNull(column.name))
            case "OPERATOR_IS_NOT_NULL":
                return _Found(Not(IsNull(column.name)))
            case "COMPARE_IN" | "COMPARE_NOT_IN":
                values = _fitting_all(rest, column)
                if values is None:
                    return None
                found = IsIn(column.name, values)
                return _Found(found if node["type"] == "COMPARE_IN" else Not(found))
        return None

    def _pattern(self, node: Node) -> _Found | None:
        name = node["function_name"].lower()
        if name == "!~~":
            liked = self._pattern({**node, "function_name": "~~"})
            return _Found(Not(liked.predicate)) if liked is not None and liked.exact else None
        if name not in {"~~", *_PREFIX_FUNCTIONS}:
            return None
        column, (_, pattern) = self._field(node["children"][0]), node["children"]
        text = _literal_text(pattern)
        if column is None or text is None or kind_of(column.type) is not Kind.TEXT:
            return None
        if name in _PREFIX_FUNCTIONS:
            return _Found(StartsWith(column.name, text))
        fixed = text.split("%", 1)[0].split("_", 1)[0]
        if fixed == text:
            return _Found(Compare(column.name, Op.EQ, pa.scalar(text)))
        return _Found(StartsWith(column.name, fixed), exact=text == f"{fixed}%")

    def _field(self, node: Node) -> Field | None:
        if node["class"] != "COLUMN_REF":
            return None
        return self._schema.field(require_column(self._schema, node["column_names"][0]))


def _bound(found: _Found, schema: pa.Schema) -> _Found:
    return _Found(bind(found.predicate, schema), found.exact)


def _is_true(column: Field) -> _Found | None:
    if kind_of(column.type) is not Kind.BOOLEAN:
        return None
    return _Found(Compare(column.name, Op.EQ, pa.scalar(value=True)))


def _reads(node: Node) -> bool:
    return any(part["class"] == "COLUMN_REF" for part in tree.walk(node))


def _fitting(node: Node, column: Field) -> Scalar | None:
    """The constant as DuckDB compares it with the column; None where it would convert the column."""
    text = _literal_text(node)
    if text is not None:
        read: Scalar = _read_text([text], column)[0]
        return read
    value = _constant(node)
    kinds = kind_of(value.type), kind_of(column.type)
    if kinds != (Kind.NUMBER, Kind.FLOAT) or not value.is_valid:
        return value
    # Exact numbers become floats for the comparison. A rounded one might become another float than
    # DuckDB's, which may round to single precision first.
    rounded: Scalar = cast_array(pa.array([value.as_py()], value.type), pa.float64())[0]
    same = column.type == pa.float64() or rounded.as_py() == value.as_py()
    return rounded if same else None


def _fitting_all(nodes: list[Node], column: Field) -> Array | None:
    texts = [_literal_text(node) for node in nodes]
    known = [text for text in texts if text is not None]
    if len(known) == len(texts):
        return _read_text(known, column)
    found = [_fitting(node, column) for node in nodes if not _is_null(node)]
    values = [value for value in found if value is not None]
    # Among constants of several types DuckDB chooses one for all of them, and for the column.
    if known or not values or len(values) < len(found) or len({v.type for v in values}) > 1:
        return None
    absent = [None] * (len(nodes) - len(values))
    return array_of([*map(plain_value, values), *absent], values[0].type)


def _is_null(node: Node) -> bool:
    return bool(node["class"] == "CONSTANT" and node["value"]["is_null"])


def _read_text(texts: list[str], column: Field) -> Array:
    """A text in quotes takes the type of what it is compared with: `day > '2024-01-15'`."""
    wanted = constant_type(column.type)
    return cast_array(pa.array(texts), column.with_type(wanted))


def _literal_text(node: Node) -> str | None:
    if node["class"] != "CONSTANT" or node["value"]["is_null"]:
        return None
    value = node["value"]
    return str(value["value"]) if value["type"]["id"] == "VARCHAR" else None


def _constant(node: Node) -> Scalar:
    """The value of checked SQL that reads no column."""
    if node["class"] == "CONSTANT" and not node["value"]["is_null"]:
        value = node["value"]
        if value["type"]["id"] in {"INTEGER", "BIGINT"}:  # long IN lists are worth a shorter way
            return pa.scalar(value["value"], pa.int64())
    found: Scalar = plain(engine.compute(tree.text(node), _ONE_ROW, seconds=SECONDS))[0]
    return found
