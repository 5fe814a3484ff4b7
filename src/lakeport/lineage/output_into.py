"""T-SQL's `OUTPUT inserted.a INTO log (x)`: rows of a data change that go to a second table.

The parser reads a bare name behind INTO and nothing else, so the clause is cut out before it looks.
What was cut becomes the head of an INSERT of its own, which the tree keeps with its OUTPUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from sqlglot import exp

_CHANGES = frozenset(
    {TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE, TokenType.MERGE, TokenType.WITH}
)
# What may follow the select list of an OUTPUT: then it has no INTO.
_ENDS = frozenset(
    {TokenType.WHERE, TokenType.FROM, TokenType.SELECT, TokenType.VALUES, TokenType.SEMICOLON}
)
_NAME = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT})
_MARKS = frozenset({TokenType.HASH, TokenType.PARAMETER})


def take_output_target(tokens: list[Token]) -> list[Token]:
    """Cuts `INTO …` out of an OUTPUT clause; the tokens of an INSERT into it, none without it."""
    if not tokens or tokens[0].token_type not in _CHANGES:
        return []
    start = _into(tokens)
    if not start:
        return []
    end = start + 1
    while end < len(tokens) and _continues(tokens, start, end):
        end += 1
    if end < len(tokens) and tokens[end].token_type is TokenType.L_PAREN:
        end = (closing(tokens, end) or end - 1) + 1
    target = tokens[start:end]
    del tokens[start:end]
    return [made_token(TokenType.INSERT, "INSERT", target[0]), *target, *_one_row(target[-1])]


def keep_output_target(tree: exp.Expr, insert: exp.Expr | None) -> None:
    """Lets the OUTPUT of a data change know the table it fills."""
    returning = tree.args.get("returning")
    if returning is not None and insert is not None and insert.args.get("this") is not None:
        returning.set("into", insert.this)


def _into(tokens: list[Token]) -> int:
    """Where the INTO of an OUTPUT stands; 0 if there is none."""
    depth, inside = 0, False
    for place, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth:
            continue
        if inside and kind is TokenType.INTO:
            return place
        inside = (inside and kind not in _ENDS) or token.text.upper() == "OUTPUT"
    return 0


def _continues(tokens: list[Token], start: int, at: int) -> bool:
    """Two names need a dot between them, or a `#` or `@` in front of the second."""
    kind, before = tokens[at].token_type, tokens[at - 1].token_type
    if kind in _MARKS:
        return at == start + 1 or before in _MARKS or before is TokenType.DOT
    joined = at == start + 1 or before is TokenType.DOT or before in _MARKS
    return kind in _NAME and (kind is TokenType.DOT or joined)


def _one_row(at: Token) -> list[Token]:
    return [
        made_token(TokenType.VALUES, "VALUES", at),
        made_token(TokenType.L_PAREN, "(", at),
        made_token(TokenType.NUMBER, "1", at),
        made_token(TokenType.R_PAREN, ")", at),
    ]
