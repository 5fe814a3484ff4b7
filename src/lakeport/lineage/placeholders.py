"""`%s` and `%(name)s`: where Python's drivers fill in values."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

_OPERANDS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.NUMBER,
        TokenType.STRING,
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
    }
)


def filled_in(tokens: list[Token]) -> list[Token]:
    """The tokens with a parameter for each of them; behind a value `%` is an operator."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = at + (4 if tokens[at + 1 : at + 2] and tokens[at + 1].text == "(" else 1)
        filled = token.token_type is TokenType.MOD and end < len(tokens) and tokens[end].text == "s"
        if filled and (not kept or kept[-1].token_type not in _OPERANDS):
            kept.append(made_token(TokenType.PLACEHOLDER, "?", token))
            at = end + 1
        else:
            kept.append(token)
            at += 1
    return kept
