"""The type of a part of a select item, given as tokens.

Spark's names depend on types (`d + 1` is `date_add(d, 1)`), and the printer of names reads tokens.
The part is parsed on its own; its columns are found again by their place in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.dialects import engine_of
from lakeport.lineage.types import SqlType, infer, read_type

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder


def fragment_type(binder: Binder, trees: list[exp.Expr], tokens: list[Token]) -> SqlType | None:
    """The type of the expression the tokens spell, which is part of one of the bound trees."""
    if not tokens:
        return None
    if len(tokens) == 1 and tokens[0].token_type is TokenType.NUMBER:
        whole = tokens[0].text.isdigit()
        return read_type("int" if whole else "double", binder.dialect.name)
    try:
        parsed = engine_of(binder.dialect.parser).parser().parse(tokens, binder.text)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError):
        return None
    tree = parsed[0] if parsed else None
    if not isinstance(tree, exp.Expr) or isinstance(tree, exp.Command):
        return None
    bound = {
        binder.span(column.this): binder.bound.get(id(column))
        for whole in trees
        for column in whole.find_all(exp.Column)
    }

    def column_type(node: exp.Expr) -> SqlType | None:
        ref = bound.get(binder.span(node.this)) if isinstance(node, exp.Column) else None
        return binder.type_of_ref(ref) if ref is not None else None

    return infer(tree, column_type, binder.dialect.name)
