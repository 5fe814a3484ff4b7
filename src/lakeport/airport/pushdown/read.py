"""The JSON of one expression, read into nodes.

Every class, type and member of chapter 7 of the protocol has an entry here; whatever else turns up,
now or in a later DuckDB, cannot be evaluated. Contract 002's own example is read as well: it gives
comparisons `children`, and the type of a constant beside its value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lakeport.airport.pushdown.nodes import (
    Call,
    Choice,
    Column,
    Comparison,
    Conversion,
    Joined,
    Membership,
    Negation,
    Node,
    NullTest,
    Range,
)
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.types import is_stored_as, read_type, stored_type
from lakeport.airport.pushdown.values import read_value
from lakeport.catalog.arrow import Field
from lakeport.catalog.predicates import Op
from lakeport.core.errors import LakeportError
from lakeport.core.names import NameMap

Json: TypeAlias = Mapping[str, Any]

MAX_DEPTH = 64
"""Levels of a filter: reading, writing and evaluating it are recursive."""

OPERATORS = {
    "COMPARE_EQUAL": Op.EQ,
    "COMPARE_NOTEQUAL": Op.NE,
    "COMPARE_LESSTHAN": Op.LT,
    "COMPARE_GREATERTHAN": Op.GT,
    "COMPARE_LESSTHANOREQUALTO": Op.LE,
    "COMPARE_GREATERTHANOREQUALTO": Op.GE,
    "COMPARE_DISTINCT_FROM": Op.DISTINCT,
    "COMPARE_NOT_DISTINCT_FROM": Op.NOT_DISTINCT,
}
CONJUNCTIONS = {"CONJUNCTION_AND": "AND", "CONJUNCTION_OR": "OR"}

# A function of somebody's own may have any name, so only these places are DuckDB's.
_CATALOGS = frozenset({"", "system"})
_SCHEMAS = frozenset({"", "main"})


@dataclass(frozen=True, slots=True)
class Reader:
    """`names` is the filter's own list of columns, `fields` the table's."""

    names: Sequence[Any]
    fields: NameMap[Field]

    def read(self, found: object, depth: int = 0) -> Node:
        if not isinstance(found, dict):
            raise NotEvaluatedError("an expression in an unknown form")
        if depth > MAX_DEPTH:
            raise NotEvaluatedError(f"more than {MAX_DEPTH} levels")
        name = found.get("expression_class")
        read = CLASSES.get(name) if isinstance(name, str) else None
        if read is None:
            raise NotEvaluatedError(f"the expression class {str(name)[:60]}")
        return read(self, found, depth + 1)

    def all(self, found: object, depth: int) -> tuple[Node, ...]:
        return tuple(self.read(child, depth) for child in listed(found))

    def _column(self, found: Json, _: int) -> Node:
        field = self._bound(found)
        if found.get("return_type") is None:
            return Column(field, stored_type(field))
        data_type = read_type(found["return_type"])
        try:
            is_stored = is_stored_as(field, data_type)
        except LakeportError:  # a type that DuckDB cannot read, or cannot be told
            raise NotEvaluatedError(f"a column of type {field.type}") from None
        return Column(field, data_type, is_stored=is_stored)

    def _bound(self, found: Json) -> Field:
        binding = found.get("binding")
        index = binding.get("column_index") if isinstance(binding, dict) else None
        if not isinstance(index, int) or isinstance(index, bool) or found.get("depth", 0) != 0:
            raise NotEvaluatedError("a column in an unknown form")
        name = self.names[index] if 0 <= index < len(self.names) else None
        field = self.fields.get(name) if isinstance(name, str) else None
        if field is None:
            shown = f"`{name[:60]}`" if isinstance(name, str) else f"number {index}"
            raise NotEvaluatedError(f"the column {shown}, which is not the table's")
        return field

    def _constant(self, found: Json, _: int) -> Node:
        beside = found.get("return_type")
        return read_value(found.get("value"), None if beside is None else read_type(beside))

    def _comparison(self, found: Json, depth: int) -> Node:
        op = OPERATORS.get(_name(found, "type"))
        if op is None:
            raise _unknown_type(found)
        given = [found.get("left"), found.get("right")]
        sides = self.all(found.get("children") if given == [None, None] else given, depth)
        if len(sides) != 2:
            raise NotEvaluatedError("a comparison of other than two values")
        return Comparison(op, *sides)

    def _between(self, found: Json, depth: int) -> Node:
        ends = found.get("lower_inclusive"), found.get("upper_inclusive")
        if found.get("type") != "COMPARE_BETWEEN" or not all(isinstance(end, bool) for end in ends):
            raise _unknown_type(found)
        value, low, high = self.all([found.get(k) for k in ("input", "lower", "upper")], depth)
        return Range(value, low, high, bool(ends[0]), bool(ends[1]))

    def _conjunction(self, found: Json, depth: int) -> Node:
        word = CONJUNCTIONS.get(_name(found, "type"))
        parts = self.all(found.get("children"), depth)
        if word is None or not parts:
            raise _unknown_type(found)
        return Joined(word, parts)

    def _operator(self, found: Json, depth: int) -> Node:
        parts = self.all(found.get("children"), depth)
        match found.get("type"), parts:
            case "OPERATOR_NOT", (part,):
                return Negation(part)
            case "OPERATOR_IS_NULL" | "OPERATOR_IS_NOT_NULL" as name, (part,):
                return NullTest(part, is_null=name == "OPERATOR_IS_NULL")
            case "COMPARE_IN" | "COMPARE_NOT_IN" as name, (probe, _, *_):
                return Membership(probe, parts[1:], is_in=name == "COMPARE_IN")
            case "OPERATOR_COALESCE", (first, *_):
                return Call("COALESCE", parts, first.type, is_operator=True)
            case "OPERATOR_TRY", (part,):
                return Call("TRY", parts, part.type, is_operator=True)
        raise _unknown_type(found)

    def _function(self, found: Json, depth: int) -> Node:
        name = _name(found, "name")
        if not name:
            raise NotEvaluatedError("a function without a name")
        places = _name(found, "catalog_name"), _name(found, "schema_name")
        if places[0] not in _CATALOGS or places[1] not in _SCHEMAS:
            raise NotEvaluatedError(f"the function `{name[:60]}`, which is not DuckDB's own")
        return Call(
            name.lower(),
            self.all(found.get("children"), depth),
            read_type(found.get("return_type")),
        )

    def _cast(self, found: Json, depth: int) -> Node:
        is_try = found.get("try_cast")
        if found.get("type") != "OPERATOR_CAST" or not isinstance(is_try, bool):
            raise _unknown_type(found)
        data_type = read_type(found.get("return_type"))
        return Conversion(self.read(found.get("child"), depth), data_type, is_try)

    def _case(self, found: Json, depth: int) -> Node:
        checks = []
        for check in listed(found.get("case_checks")):
            if not isinstance(check, dict):
                raise _unknown_type(found)
            pair = [check.get("when_expr"), check.get("then_expr")]
            when, then = self.all(pair, depth)
            checks.append((when, then))
        if not checks:
            raise _unknown_type(found)
        otherwise = self.read(found.get("else_expr"), depth)
        return Choice(tuple(checks), otherwise, read_type(found.get("return_type")))


CLASSES: dict[str, Callable[[Reader, Json, int], Node]] = {
    "BOUND_COLUMN_REF": Reader._column,  # noqa: SLF001 - the table belongs to the class
    "BOUND_CONSTANT": Reader._constant,  # noqa: SLF001
    "BOUND_COMPARISON": Reader._comparison,  # noqa: SLF001
    "BOUND_BETWEEN": Reader._between,  # noqa: SLF001
    "BOUND_CONJUNCTION": Reader._conjunction,  # noqa: SLF001
    "BOUND_OPERATOR": Reader._operator,  # noqa: SLF001
    "BOUND_FUNCTION": Reader._function,  # noqa: SLF001
    "BOUND_CAST": Reader._cast,  # noqa: SLF001
    "BOUND_CASE": Reader._case,  # noqa: SLF001
}


def listed(found: object) -> list[object]:
    if not isinstance(found, list):
        raise NotEvaluatedError("an expression in an unknown form")
    return found


def _name(found: Json, key: str) -> str:
    """A text, or an empty one where it is not given."""
    name = found.get(key) or ""
    if not isinstance(name, str):
        raise NotEvaluatedError("an expression in an unknown form")
    return name


def _unknown_type(found: Json) -> NotEvaluatedError:
    kind, name = str(found.get("expression_class")), str(found.get("type"))
    return NotEvaluatedError(f"{kind} of type {name[:60]}")
