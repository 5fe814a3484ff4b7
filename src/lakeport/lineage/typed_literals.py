"""`DATE '2024-01-01'::TIMESTAMP` casts a date. The parser would cast the text, and make a date of that.

A pair of parentheses around the literal says it in words the parser understands.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

_TYPES = frozenset(
    {"DATE", "DATETIME", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"}
)


def hold_literals(tokens: list[Token]) -> None:
    """Put every such literal that is cast into parentheses, in place."""
    for at in range(len(tokens) - 1, 1, -1):
        if tokens[at].token_type is not TokenType.DCOLON:
            continue
        name, text = tokens[at - 2], tokens[at - 1]
        if text.token_type is TokenType.STRING and name.text.upper() in _TYPES:
            opened = made_token(TokenType.L_PAREN, "(", name)
            closed = made_token(TokenType.R_PAREN, ")", text)
            tokens[at - 2 : at] = [opened, name, text, closed]
