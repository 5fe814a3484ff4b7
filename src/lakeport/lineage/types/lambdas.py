"""Higher-order functions: what the parameters of a lambda are, and what the call then gives.

The parser leaves a lambda's parameters as bare identifiers in its body, so binding one is giving
those identifiers a type before the body is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from lakeport.lineage.types.model import INT, SqlType, array_of, map_of
from lakeport.lineage.types.rules import THIS, Operands, Types, argument, positional
from lakeport.lineage.types.widen import common_of

# A lambda, or a value in its place that is the same for every element, and the types of its parameters.
Binding: TypeAlias = tuple[exp.Expr, tuple[SqlType | None, ...]]


@dataclass(frozen=True, slots=True)
class LambdaRule:
    """`bind` names the lambdas to type once the operands are; `conclude` gets the types of both."""

    operands: Operands
    bind: Callable[[exp.Expr, Types, str], list[Binding]]
    conclude: Callable[[Types, Types, str], SqlType | None]


def occurrences(binding: Binding) -> Iterator[tuple[exp.Identifier, SqlType | None]]:
    """Every use of a parameter in the body, with its type.

    The names of struct fields are identifiers too, but stand right of a dot.
    """
    node, types = binding
    if not isinstance(node, exp.Lambda):
        return
    parameters = {
        parameter.name.lower(): type_
        for parameter, type_ in zip(node.expressions, types, strict=False)
    }
    for identifier in node.this.find_all(exp.Identifier):
        holder = identifier.parent
        is_field = isinstance(holder, exp.Dot) and holder.expression is identifier
        if not is_field and identifier.name.lower() in parameters:
            yield identifier, parameters[identifier.name.lower()]


def _lambdas(node: exp.Expr) -> list[exp.Lambda]:
    parts = [*node.args.values()]
    flat = [part for value in parts for part in (value if isinstance(value, list) else [value])]
    return [part for part in flat if isinstance(part, exp.Lambda)]


def body(function: exp.Expr) -> exp.Expr:
    """What a lambda gives; a value is its own body."""
    return function.this if isinstance(function, exp.Lambda) else function


def _functions(node: exp.Expr) -> list[exp.Expr]:
    """The lambdas of a call; in `transform(xs, 0)` the value that stands in place of one."""
    found = _lambdas(node)
    if found:
        return [*found]
    last = node.args.get("expression") or (node.expressions or [None])[-1]
    return [last] if isinstance(last, exp.Expr) else []


def _over_elements(node: exp.Expr, types: Types, _: str) -> list[Binding]:
    inner = types[0].element if types and types[0] else None
    return [(part, (inner, INT)) for part in _functions(node)]


def _over_entries(node: exp.Expr, types: Types, _: str) -> list[Binding]:
    source = types[0] if types else None
    both = (source.key, source.value) if source else (None, None)
    return [(part, both) for part in _functions(node)]


def _over_pairs(node: exp.Expr, types: Types, _: str) -> list[Binding]:
    inner = tuple(type_.element if type_ else None for type_ in types)
    return [(part, inner) for part in _functions(node)]


def _over_two_maps(node: exp.Expr, types: Types, dialect: str) -> list[Binding]:
    left, right = (type_.value if type_ else None for type_ in (*types, None, None)[:2])
    return [(part, (_common_key(types, dialect), left, right)) for part in _functions(node)]


def _common_key(types: Types, dialect: str) -> SqlType | None:
    keys = [type_.key if type_ else None for type_ in types]
    return common_of(keys, dialect) if keys else None


def _folding(node: exp.Expr, types: Types, _: str) -> list[Binding]:
    source, initial = (*types, None, None)[:2]
    inner = source.element if source else None
    lambdas = _lambdas(node)
    return [(part, (initial, inner)) for part in lambdas[:1]] + [
        (part, (initial,)) for part in lambdas[1:]
    ]


def _unchanged(types: Types, _: Types, __: str) -> SqlType | None:
    return types[0] if types else None


def _new_elements(_: Types, bodies: Types, __: str) -> SqlType | None:
    return array_of(bodies[0]) if bodies and bodies[0] else None


def _new_keys(types: Types, bodies: Types, _: str) -> SqlType | None:
    source = types[0] if types else None
    return map_of(bodies[0], source.value) if source and bodies else None


def _new_values(types: Types, bodies: Types, _: str) -> SqlType | None:
    source = types[0] if types else None
    return map_of(source.key, bodies[0]) if source and bodies else None


def _merged_values(types: Types, bodies: Types, dialect: str) -> SqlType | None:
    key = _common_key(types, dialect)
    return map_of(key, bodies[0]) if key and bodies else None


def _folded(types: Types, bodies: Types, _: str) -> SqlType | None:
    """The last step's type if there is one, else that of the start: Spark casts each step to it."""
    if len(bodies) > 1:
        return bodies[1]
    return types[1] if len(types) > 1 else None


LAMBDA_NODES: dict[type[exp.Expr], LambdaRule] = {
    exp.Transform: LambdaRule(THIS, _over_elements, _new_elements),
    exp.ArrayFilter: LambdaRule(THIS, _over_elements, _unchanged),
    exp.Reduce: LambdaRule(argument("this", "initial"), _folding, _folded),
}
LAMBDA_NAMES: dict[str, LambdaRule] = {
    "map_filter": LambdaRule(positional(0), _over_entries, _unchanged),
    "transform_keys": LambdaRule(positional(0), _over_entries, _new_keys),
    "transform_values": LambdaRule(positional(0), _over_entries, _new_values),
    "zip_with": LambdaRule(positional(0, 1), _over_pairs, _new_elements),
    "map_zip_with": LambdaRule(positional(0, 1), _over_two_maps, _merged_values),
    "aggregate": LambdaRule(positional(0, 1), _folding, _folded),
    "reduce": LambdaRule(positional(0, 1), _folding, _folded),
}
