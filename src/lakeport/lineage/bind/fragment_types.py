"""The type of a part of a select item, given as tokens.

Spark's names depend on types (`d + 1` is `date_add(d, 1)`), and the printer of names reads tokens.
The part is parsed on its own; its columns are found again by their place in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.parse import parsed_fragment
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
    places = {
        column.this._meta["start"]: column  # noqa: SLF001 - `meta` would allocate a dict per node
        for whole in trees
        for column in whole.find_all(exp.Column)
        if column.this._meta  # noqa: SLF001 - the same
    }
    if len(tokens) == 1 and tokens[0].start in places:
        return binder.column_type(places[tokens[0].start])
    tree = parsed_fragment(tokens, binder.text, binder.dialect.parser)
    if tree is None:
        return None

    def column_type(node: exp.Expr) -> SqlType | None:
        meta = node.this._meta if isinstance(node, exp.Column) else None  # noqa: SLF001 - the same
        column = places.get(meta["start"]) if meta else None
        return binder.column_type(column) if column is not None else None

    return infer(tree, column_type, binder.dialect.name)
