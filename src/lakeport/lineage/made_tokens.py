"""Tokens of ours among the user's, for what is rewritten before it is parsed."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType


def made_token(kind: TokenType, text: str, at: Token) -> Token:
    """A token of ours at the place of one of the user's."""
    return Token(kind, text, line=at.line, col=at.col, start=at.start, end=at.end)
