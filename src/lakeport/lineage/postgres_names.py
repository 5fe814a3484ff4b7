"""What Postgres calls an output column that has no alias.

A function gives its name, a column its own; a cast and a CASE look inside first, and give the type's
name or `case` only if there is nothing better. Everything else is `?column?`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_NOTHING = "?column?"
# Around these, it is the expression inside that counts.
_WRAPPERS = (exp.Paren, exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_TYPES = {
    "int": "int4",
    "integer": "int4",
    "bigint": "int8",
    "smallint": "int2",
    "real": "float4",
    "double precision": "float8",
    "boolean": "bool",
    "decimal": "numeric",
    "char": "bpchar",
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
    "time with time zone": "timetz",
}
_TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}


class _Found(NamedTuple):
    name: str
    # Whether a cast or a CASE around it leaves the name alone.
    strong: bool


def postgres_name(node: exp.Expr, tokens: list[Token] | None) -> str:
    """The name; `tokens` are those of the whole item."""
    return _find(node, tokens).name


def _find(node: exp.Expr, tokens: list[Token] | None) -> _Found:
    while isinstance(node, _WRAPPERS):
        node = node.this
    if isinstance(node, exp.Cast):
        inner = _find(node.this, tokens)
        return inner if inner.strong else _Found(_type_name(node.to), strong=False)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        last = _find(default, None) if default is not None else None
        return last if last is not None and last.strong else _Found("case", strong=False)
    if isinstance(node, exp.Bracket | exp.Collate):
        return _find(node.this, tokens)
    if isinstance(node, exp.Dot):
        last = node.expression
        return (
            _Found(last.name, strong=True)
            if isinstance(last, exp.Identifier)
            else _find(last, tokens)
        )
    if isinstance(node, exp.Boolean | exp.Interval):
        return _Found("bool" if isinstance(node, exp.Boolean) else "interval", strong=False)
    name = _named(node, tokens)
    return _Found(name or _NOTHING, strong=name is not None)


def _named(node: exp.Expr, tokens: list[Token] | None) -> str | None:
    if isinstance(node, exp.Column):
        return str(node.name)
    if isinstance(node, exp.Subquery):
        selected = node.this.expressions if isinstance(node.this, exp.Select) else []
        return (selected[0].alias or _find(selected[0], None).name) if len(selected) == 1 else None
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if isinstance(node, exp.Trim):
        return _TRIMS.get(str(node.args.get("position") or "").upper(), "btrim")
    if isinstance(node, exp.AtTimeZone):
        return "timezone"
    if isinstance(node, exp.Tuple):
        return "row"
    if isinstance(node, exp.MatchAgainst):
        # `a @@ b`, as the parser has it.
        return None
    if isinstance(node, exp.Binary):
        # `mod(a, b)` is read as `a % b`.
        return tokens[0].text.lower() if tokens and _is_call(tokens) else None
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector):
        return _called(tokens or []) or node.sql_name().lower().strip()
    return "exists" if isinstance(node, exp.Exists) else None


def _type_name(kind: exp.DataType) -> str:
    """As the catalog has it; an array is called like its elements."""
    while kind.this is exp.DataType.Type.ARRAY and kind.expressions:
        kind = kind.expressions[0]
    name = str(kind.sql("postgres")).lower().partition("(")[0].strip().strip('"')
    return _TYPES.get(name, name)


def _is_call(tokens: list[Token]) -> bool:
    """Whether the whole item is one call, as it is written."""
    if len(tokens) < 3 or tokens[1].token_type is not TokenType.L_PAREN:
        return False
    depth = 0
    for place, token in enumerate(tokens):
        depth += token.token_type is TokenType.L_PAREN
        depth -= token.token_type is TokenType.R_PAREN
        if place and not depth:
            return place == len(tokens) - 1
    return False


def _called(tokens: list[Token]) -> str | None:
    """The outermost function as it is written; the parser knows many by other names."""
    for token, following in pairwise(tokens):
        opens = following.token_type is TokenType.L_PAREN and token.text.isidentifier()
        if opens and token.text.lower() != "cast":
            return token.text.lower()
    return None
