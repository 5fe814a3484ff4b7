"""Values of Spark's that stand outside of any query: only session variables can be named in them.

They are what SET VARIABLE sets, and what EXECUTE IMMEDIATE gives to the markers of its statement. The
parser takes a name alone for a word and forgets its place, so both are read from tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.scope import Scope
from lakeport.lineage.parameters import listed
from lakeport.lineage.parse import parsed_fragment

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder


def bind_given(binder: Binder, values: list[list[Token]]) -> None:
    """What the USING clause of an EXECUTE IMMEDIATE gives."""
    if binder.dialect.naming == "spark":
        for value in values:
            _bind_alone(binder, value)


def bind_set_variables(binder: Binder, tree: exp.Expr) -> None:
    """`SET VARIABLE a = session.b, c = 1`; queries in such values are bound with the statement."""
    first = tree.expressions[0] if tree.expressions else None
    if binder.dialect.naming != "spark" or first is None or first.args.get("kind") != "VARIABLE":
        return
    # Behind SET and VARIABLE.
    for part in listed(binder.fragments.all_tokens()[2:]):
        kinds = [token.token_type for token in part]
        value = part[kinds.index(TokenType.EQ) + 1 :] if TokenType.EQ in kinds else []
        if len(value) > 1 or (value and value[0].text.upper() != "DEFAULT"):
            _bind_alone(binder, value)


def _bind_alone(binder: Binder, tokens: list[Token]) -> None:
    tree = parsed_fragment(tokens, binder.text, binder.dialect.parser)
    if tree is not None and tree.find(exp.Query) is None:
        collect(binder, tree, Scope(None, {}))
