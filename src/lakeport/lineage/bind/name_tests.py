"""Whether a column's name passes a test: a pattern behind a star, or the condition of `COLUMNS(c -> …)`.

Only what is decided by the name alone is worked out; anything else is None, and may be true of every column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TypeAlias

from sqlglot import exp

Test: TypeAlias = Callable[[str], bool]

_PATTERNS = (exp.Glob, exp.ILike, exp.Like, exp.RegexpLike, exp.SimilarTo)
_CASES: dict[type[exp.Expr], Callable[[str], str]] = {exp.Lower: str.lower, exp.Upper: str.upper}
_COMPARISONS: dict[type[exp.Expr], Callable[[str, str], bool]] = {
    exp.Contains: lambda whole, part: part in whole,
    exp.EQ: lambda one, other: one == other,
    exp.NEQ: lambda one, other: one != other,
    exp.StartsWith: str.startswith,
    exp.EndsWith: str.endswith,
}


def matcher(node: exp.Expr, pattern: str) -> Test:
    """What a pattern is true of, by the operator in front of it; one that is broken is true of all."""
    if isinstance(node, exp.Glob):
        return lambda name: fnmatchcase(name, pattern)
    text = pattern
    if not isinstance(node, exp.SimilarTo | exp.RegexpLike):
        text = re.escape(pattern).replace("%", ".*").replace("_", ".")
    try:
        compiled = re.compile(text, re.IGNORECASE if isinstance(node, exp.ILike) else 0)
    except re.error:
        return lambda _name: True
    if isinstance(node, exp.RegexpLike):
        return lambda name: compiled.search(name) is not None
    return lambda name: compiled.fullmatch(name) is not None


def passes(condition: exp.Lambda, name: str) -> bool | None:
    """Whether a name passes; None if that cannot be told."""
    parameter = condition.expressions[0].name if condition.expressions else ""
    try:
        return _truth(condition.this, parameter, name)
    except RecursionError:
        return None


def _truth(node: exp.Expr, parameter: str, name: str) -> bool | None:
    if isinstance(node, exp.Paren):
        return _truth(node.this, parameter, name)
    if isinstance(node, exp.Not):
        inner = _truth(node.this, parameter, name)
        return None if inner is None else not inner
    if isinstance(node, exp.And | exp.Or):
        sides = {_truth(side, parameter, name) for side in (node.this, node.expression)}
        decisive = isinstance(node, exp.Or)
        return decisive if decisive in sides else None if None in sides else not decisive
    subject = _text(node.args.get("this"), parameter, name)
    if subject is None:
        return None
    if isinstance(node, exp.In):
        values = [_text(value, parameter, name) for value in node.expressions]
        return None if None in values or not values else subject in values
    compared = _text(node.args.get("expression"), parameter, name)
    if compared is None:
        return None
    if isinstance(node, _PATTERNS):
        return matcher(node, compared)(subject)
    compare = _COMPARISONS.get(node.__class__)
    return None if compare is None else compare(subject, compared)


def _text(node: object, parameter: str, name: str) -> str | None:
    """The name, a text, or either in one case."""
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    if isinstance(node, exp.Identifier) and node.name == parameter:
        return name
    change = _CASES.get(node.__class__) if isinstance(node, exp.Expr) else None
    if change is None or not isinstance(node, exp.Expr):
        return None
    inner = _text(node.this, parameter, name)
    return None if inner is None else change(inner)
