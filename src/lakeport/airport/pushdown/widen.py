"""What is left of a WHERE clause when parts of it cannot be evaluated: never fewer rows.

NOT is moved down to the single conditions first (NOT (a AND b) is NOT a OR NOT b, with NULLs too). After
that everything stands in a positive place: a part may be left out of an AND, but an OR that lacks one of
its branches says nothing and goes as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

import pyarrow as pa

from lakeport.airport.pushdown.nodes import Negation, Node
from lakeport.airport.pushdown.prune import Found, prune
from lakeport.airport.pushdown.read import CONJUNCTIONS, MAX_DEPTH, Reader, listed
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.catalog.predicates import And, Or, Predicate


@dataclass(frozen=True, slots=True)
class Both:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """All or nothing: a comparison, a call, a CASE, or the negation of one."""

    node: Node


@dataclass(frozen=True, slots=True)
class Unknown:
    reason: str


Condition: TypeAlias = Both | Either | Leaf | Unknown


def read_condition(
    found: object, reader: Reader, depth: int = 0, *, negated: bool = False
) -> Condition:
    try:
        return _condition(found, reader, depth, negated=negated)
    except NotEvaluatedError as refusal:
        return Unknown(str(refusal))


def _condition(found: object, reader: Reader, depth: int, *, negated: bool) -> Condition:
    kind = (found.get("expression_class"), found.get("type")) if isinstance(found, dict) else ()
    if depth <= MAX_DEPTH and isinstance(found, dict):
        match kind:
            case "BOUND_CONJUNCTION", str() as name if name in CONJUNCTIONS:
                children = listed(found.get("children"))
                parts = tuple(
                    read_condition(child, reader, depth + 1, negated=negated) for child in children
                )
                is_and = (CONJUNCTIONS[name] == "AND") is not negated
                return _joined(parts, is_and=is_and)
            case "BOUND_OPERATOR", "OPERATOR_NOT":
                children = listed(found.get("children"))
                if len(children) == 1:
                    return read_condition(children[0], reader, depth + 1, negated=not negated)
    node = reader.read(found, depth)
    if node.type.id not in {"BOOLEAN", "NULL"}:
        raise NotEvaluatedError(f"a condition of type {node.type.id}")
    return Leaf(Negation(node) if negated else node)


def _joined(parts: tuple[Condition, ...], *, is_and: bool) -> Condition:
    if not parts:
        raise NotEvaluatedError("AND or OR of nothing")
    return Both(parts) if is_and else Either(parts)


def conjuncts(condition: Condition) -> list[Condition]:
    """The conditions that must all hold."""
    if not isinstance(condition, Both):
        return [condition]
    return [inner for part in condition.parts for inner in conjuncts(part)]


def leaves(condition: Condition) -> list[Leaf | Unknown]:
    if isinstance(condition, Leaf | Unknown):
        return [condition]
    return [leaf for part in condition.parts for leaf in leaves(part)]


def predicate_of(condition: Condition, schema: pa.Schema) -> Found | None:
    """A predicate that is true wherever the condition is, if there is one."""
    match condition:
        case Unknown():
            return None
        case Leaf(node):
            return prune(node, schema)
        case Both(parts):
            every = [predicate_of(part, schema) for part in parts]
            found = [part for part in every if part is not None]
            is_exact = len(found) == len(parts) and all(part.is_exact for part in found)
            return Found(And(_predicates(found)), is_exact) if found else None
        case Either(parts):
            every = [predicate_of(part, schema) for part in parts]
            found = [part for part in every if part is not None]
            if len(found) < len(parts):
                return None
            return Found(Or(_predicates(found)), all(part.is_exact for part in found))
        case _:
            assert_never(condition)


def _predicates(found: list[Found]) -> tuple[Predicate, ...]:
    return tuple(part.predicate for part in found)


def sql_of(condition: Condition, text_of: Callable[[Leaf], str | None]) -> str | None:
    """SQL that is true wherever the condition is, from that of its leaves; None if nothing is left."""
    match condition:
        case Unknown():
            return None
        case Leaf():
            return text_of(condition)
        case Both(parts):
            every = [sql_of(part, text_of) for part in parts]
            texts = [text for text in every if text is not None]
            return f"({' AND '.join(texts)})" if texts else None
        case Either(parts):
            every = [sql_of(part, text_of) for part in parts]
            texts = [text for text in every if text is not None]
            return f"({' OR '.join(texts)})" if len(texts) == len(parts) else None
        case _:
            assert_never(condition)
