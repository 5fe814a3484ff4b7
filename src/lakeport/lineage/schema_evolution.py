"""Statements that let their table grow: `MERGE WITH SCHEMA EVOLUTION INTO t`, `INSERT WITH SCHEMA EVOLUTION INTO t`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token


def evolving_change(tokens: list[Token]) -> list[Token] | None:
    """`MERGE WITH SCHEMA EVOLUTION INTO t` without the words that let `t` grow."""
    words = [token.text.upper() for token in tokens[:4]]
    if words[0] not in {"MERGE", "INSERT"} or words[1:] != ["WITH", "SCHEMA", "EVOLUTION"]:
        return None
    return [tokens[0], *tokens[4:]]


def evolving(tree: exp.Expr) -> exp.Expr:
    """The tree of such a statement."""
    tree.meta["evolving"] = True
    return tree


def is_evolving(tree: exp.Expr) -> bool:
    return bool(tree.meta.get("evolving"))
