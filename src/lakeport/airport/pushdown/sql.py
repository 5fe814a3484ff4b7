"""Nodes as SQL for the engine inside Lakeport.

Functions are called by their quoted name, operators too: `"+"(a, b)` is what `a + b` means, and leaves
no precedence to think about. Nothing here may be trusted to run: `parse_expression` checks the text.

A row whose evaluation fails is kept, so that the error is the client's own, if it gets there at all
(another condition may come first). DuckDB moves what stands twice, and what is looked up in a list, out
of a TRY around it; so each part that may fail stands in a TRY of its own, always written the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from lakeport.airport.pushdown.casts import check_cast, fails_as_null, never_fails
from lakeport.airport.pushdown.functions import NEVER_FAIL, check_call
from lakeport.airport.pushdown.literals import cast, literal, struct
from lakeport.airport.pushdown.nodes import (
    Call,
    Choice,
    Column,
    Comparison,
    Constant,
    Conversion,
    Joined,
    Membership,
    Negation,
    Node,
    NullTest,
    Range,
)
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.types import BOOLEAN, NULL, identifier
from lakeport.catalog.expressions import type_text
from lakeport.catalog.expressions.functions import FUNCTIONS


def write(node: Node) -> str:
    """A condition that is TRUE where the node is, and where evaluating it fails."""
    writer = _Writer()
    text = writer.of(node)
    if not writer.failures:
        return text
    return f"(COALESCE({text}, false) OR {' OR '.join(writer.failures)})"


@dataclass(slots=True)
class _Writer:
    failures: dict[str, None] = field(default_factory=dict)
    """Conditions that say that some part has failed; a dictionary to have each once, in order."""

    def of(self, node: Node) -> str:  # noqa: C901 one arm per node
        match node:
            case Constant():
                return literal(node)
            case Column():
                return self._column(node)
            case Comparison(op, left, right):
                _check_same(left, right)
                return f"({self.of(left)} {op} {self.of(right)})"
            case Range():
                return self._range(node)
            case Joined(word, parts):
                _check_conditions(*parts)
                return f"({f' {word} '.join(map(self.of, parts))})"
            case Negation(part):
                _check_conditions(part)
                return f"(NOT {self.of(part)})"
            case NullTest(part, is_null):
                return f"({self.of(part)} IS {'NULL' if is_null else 'NOT NULL'})"
            case Membership(probe, items, is_in):
                _check_same(probe, *items)
                word = "IN" if is_in else "NOT IN"
                return f"({self.of(probe)} {word} ({', '.join(map(self.of, items))}))"
            case Choice():
                return self._choice(node)
            case Conversion():
                check_cast(node)
                return self._cast(node)
            case Call():
                check_call(node)
                return self._call(node)
            case _:
                assert_never(node)

    def _column(self, column: Column) -> str:
        name = identifier(column.field.name)
        if column.is_stored:
            return name
        if column.type.is_zoned or "TIME ZONE" in type_text(column.field):
            raise NotEvaluatedError("a cast that depends on the session's time zone")
        return self._attempt(cast(name, column.type))

    def _range(self, node: Range) -> str:
        _check_same(node.value, node.low, node.high)
        value, low, high = self.of(node.value), self.of(node.low), self.of(node.high)
        if node.low_inclusive and node.high_inclusive:
            return f"({value} BETWEEN {low} AND {high})"
        above, below = ">=" if node.low_inclusive else ">", "<=" if node.high_inclusive else "<"
        return f"({value} {above} {low} AND {value} {below} {high})"

    def _choice(self, node: Choice) -> str:
        _check_conditions(*(when for when, _ in node.checks))
        checks = (f"WHEN {self.of(when)} THEN {self.of(then)}" for when, then in node.checks)
        return f"CASE {' '.join(checks)} ELSE {self.of(node.otherwise)} END"

    def _cast(self, node: Conversion) -> str:
        part, before, after = self.of(node.part), node.part.type, node.type
        if never_fails(before, after):
            return cast(part, after)
        if not fails_as_null(before, after):
            return self._attempt(cast(part, after, is_try=node.is_try))
        # Much faster than TRY, which goes through its rows one by one after an error.
        tried = cast(part, after, is_try=True)
        if not node.is_try:
            self.failures[f"({tried} IS NULL AND {part} IS NOT NULL)"] = None
        return tried

    def _call(self, call: Call) -> str:
        if call.name == "TRY":
            return self._try(call)
        arguments = [self.of(argument) for argument in call.arguments]
        if call.name == "COALESCE":
            return f"COALESCE({', '.join(arguments)})"
        text = _function(call, arguments)
        return text if call.name in NEVER_FAIL else self._attempt(text)

    def _try(self, call: Call) -> str:
        """The user's own TRY: what fails inside is NULL, and nothing has failed."""
        before = dict(self.failures)
        text = self.of(call.arguments[0])
        within = [failure for failure in self.failures if failure not in before]
        self.failures = before
        if not within:
            return text
        return f"CASE WHEN {' OR '.join(within)} THEN NULL ELSE {text} END"

    def _attempt(self, text: str) -> str:
        """A struct around the value tells a failure, which makes it NULL, from a value that is NULL."""
        tried = f'TRY("struct_pack"("value" := {text}))'
        self.failures[f"({tried} IS NULL)"] = None
        return f"\"struct_extract\"({tried}, 'value')"


def _function(call: Call, arguments: list[str]) -> str:
    match call.name:
        case "constant_or_null" if len(arguments) > 1:
            first, *others = arguments
            tests = " OR ".join(f"({other} IS NULL)" for other in others)
            return f"CASE WHEN {tests} THEN NULL ELSE {first} END"
        case "list_aggr" | "list_aggregate" | "array_aggr":
            return _aggregate(call, arguments)
        case "struct_pack" | "row":
            return struct(call.type, arguments)
        case "union_value" if len(call.type.parts) == len(arguments) == 1:
            return f'"union_value"({identifier(call.type.parts[0][0])} := {arguments[0]})'
    return f"{identifier(call.name)}({', '.join(arguments)})"


def _aggregate(call: Call, arguments: list[str]) -> str:
    """`list_sum(x)` arrives as `list_aggr(x, 'sum')`."""
    match call.arguments:
        case (_, Constant(value=str() as name)) if f"list_{name}" in FUNCTIONS:
            return f'"list_{name}"({arguments[0]})'
    raise NotEvaluatedError("an aggregate over a list")


def _check_same(*compared: Node) -> None:
    """The client's binder gave them one type; else the engine would choose which one to convert."""
    if len({node.type for node in compared} - {NULL}) > 1:
        raise NotEvaluatedError("a comparison of different types")


def _check_conditions(*parts: Node) -> None:
    for part in parts:
        if part.type not in {BOOLEAN, NULL}:
            raise NotEvaluatedError(f"a condition of type {part.type.id}")
