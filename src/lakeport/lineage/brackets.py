"""Parentheses among tokens, for what is rewritten before it is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_OPENS, _CLOSES = TokenType.L_PAREN, TokenType.R_PAREN


def closing(tokens: list[Token], at: int) -> int:
    """Where the parenthesis opened at `at` is closed; 0 if it is not."""
    depth = 0
    for place in range(at, len(tokens)):
        kind = tokens[place].token_type
        depth += (kind is _OPENS) - (kind is _CLOSES)
        if not depth:
            return place
    return 0


def closings(tokens: list[Token]) -> dict[int, int]:
    """Where each parenthesis is closed that is, at one look, for who asks for many of a text."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.token_type is _OPENS:
            opened.append(place)
        elif token.token_type is _CLOSES and opened:
            found[opened.pop()] = place
    return found


def opening(tokens: list[Token], at: int) -> int:
    """Where the parenthesis closed at `at` was opened; 0 if it was not, or by the first token."""
    depth = 0
    for place in range(at, 0, -1):
        kind = tokens[place].token_type
        depth += (kind is _CLOSES) - (kind is _OPENS)
        if not depth:
            return place
    return 0
