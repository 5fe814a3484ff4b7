"""How each engine calls an output column that has no alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.comments import on_one_line
from lakeport.lineage.postgres_names import postgres_name
from lakeport.lineage.select_item import SelectItem
from lakeport.lineage.spark_names import spark_name

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Scope


_T = TokenType


def output_name(
    binder: Binder,
    node: exp.Expr,
    scope: Scope,
    tokens: list[Token] | None,
    items: list[Item],
) -> str:
    """The name of an unaliased expression; `items` are the select items before it."""
    naming = binder.dialect.naming
    if naming == "spark":
        return _spark_name(binder, node, scope, tokens)
    if naming == "postgres":
        return postgres_name(node, tokens)
    if naming == "bigquery":
        unnamed = sum(1 for item in items if isinstance(item, Column) and item.generated)
        return f"f{unnamed}_"
    if naming == "duckdb":
        return on_one_line(binder.text, tokens) if tokens else binder.sql(node)
    return f"_col_{len(items)}"


# Aggregates that Spark prints as they are called.
_AS_CALLED = frozenset({"avg", "count", "max", "min", "sum"})
_ARGUMENT = (_T.L_PAREN, _T.VAR, _T.DOT, _T.VAR, _T.R_PAREN)


def _plain_aggregate(binder: Binder, scope: Scope, tokens: list[Token]) -> str | None:
    """`sum(t.c)`, as most unnamed items are: the printer would find the same in many more steps."""
    if len(tokens) != 1 + len(_ARGUMENT) or binder.variables or binder.registry.has_routines:
        return None
    name = tokens[0].text.lower()
    if name not in _AS_CALLED or tuple(token.token_type for token in tokens[1:]) != _ARGUMENT:
        return None
    known = scope.only(binder.folding.column(tokens[2].text)) is not None
    return f"{name}({tokens[4].text})" if known else None


def _spark_name(binder: Binder, node: exp.Expr, scope: Scope, tokens: list[Token] | None) -> str:
    plain = _plain_aggregate(binder, scope, tokens) if tokens else None
    if plain is not None:
        return plain
    printed = spark_name(tokens, SelectItem(binder, node, scope)) if tokens else None
    return printed if printed is not None else binder.sql(node)
