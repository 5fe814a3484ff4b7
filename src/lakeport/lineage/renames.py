"""`RENAME TABLE a TO b, c TO a` and `EXCHANGE TABLES a AND b`: the ALTERs that say the same.

The tokenizer takes them for commands, so their names are read again at their place in the text.
Several pairs are one statement and happen from left to right, which is how MySQL swaps tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bodies import tokens_between

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_FIELDS = ("this", "db", "catalog")


def renaming(tokens: list[Token], text: str, parser: str) -> exp.Expr | None:
    """The ALTER that renames the tables; None if the words are not understood."""
    first = tokens[0]
    word = first.text.upper()
    inner = tokens_between(text, first.end + 1, tokens[-1].end + 1, parser, first)
    if inner and inner[0].text.upper() in {"TABLE", "TABLES"}:
        del inner[0]
    elif word == "EXCHANGE":
        return None
    exchanges = word == "EXCHANGE"
    between = {"AND"} if exchanges else {"TO", "AS"}
    whole: exp.Expr | None = None
    for pair in reversed(_pairs(inner)):
        middle = next((n for n, token in enumerate(pair) if token.text.upper() in between), 0)
        old, new = named(pair[:middle]), named(_until_option(pair[middle + 1 :]))
        if old is None or new is None:
            return None
        action = exp.SwapTable(this=new) if exchanges else exp.AlterRename(this=new)
        following = [whole] if whole is not None else []
        whole = exp.Alter(this=old, kind="TABLE", actions=[action, *following])
    return whole


def _pairs(tokens: list[Token]) -> list[list[Token]]:
    pairs: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.COMMA:
            pairs.append([])
        elif token.token_type is not TokenType.SEMICOLON:
            pairs[-1].append(token)
    return pairs


def _until_option(tokens: list[Token]) -> list[Token]:
    """ClickHouse says `ON CLUSTER c` behind the last name."""
    end = next((n for n, token in enumerate(tokens) if token.token_type is TokenType.ON), None)
    return tokens[:end]


def named(tokens: list[Token]) -> exp.Table | None:
    """The table that names with dots between them are; None if they are something else."""
    names = tokens[::2]
    dots = all(token.token_type is TokenType.DOT for token in tokens[1::2])
    if not dots or len(tokens) % 2 == 0 or len(names) > len(_FIELDS):
        return None
    parts = [
        exp.Identifier(
            this=token.text, quoted=token.token_type is TokenType.IDENTIFIER
        ).update_positions(token)
        for token in names
    ]
    return exp.Table(**dict(zip(_FIELDS, reversed(parts), strict=False)))
