"""Comments between tokens: they say nothing about lineage, so no text that is shown or read again keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.engines import tokens_of
from lakeport.lineage.parted_words import QUOTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STRING = TokenType.STRING
_MARKS = ("/*", "--", "#", "//")


def without_comments(text: str, tokens: Sequence[Token]) -> str:
    """The text from the first to the last of some tokens, with a space for each comment between them."""
    return _joined(text, tokens, lambda gap: " " if _is_comment(gap) else gap)


def on_one_line(text: str, tokens: Sequence[Token]) -> str:
    """The same, with one space between two tokens that do not touch."""
    return _joined(text, tokens, lambda gap: " " if gap.isspace() or _is_comment(gap) else gap)


def _joined(text: str, tokens: Sequence[Token], between: Callable[[str], str]) -> str:
    if len(tokens) == 1:
        return _own(text, tokens[0])
    parts: list[str] = []
    end = tokens[0].start
    for token in tokens:
        # Tokens that were made have the place of another, and pipes another order.
        if token.start >= end:
            parts += (between(text[end : token.start]), _own(text, token))
            end = token.end + 1
    return "".join([*parts, text[end : tokens[-1].end + 1]])


def _own(text: str, token: Token) -> str:
    """A token as it is written, but for comments between the words of a keyword."""
    written = text[token.start : token.end + 1]
    parted = len(written) > len(token.text) and " " in token.text
    return token.text if parted and token.token_type not in QUOTED else written


def blanked(text: str, tokens: Sequence[Token], parser: str) -> str:
    """Some tokens of a text at their places, and spaces everywhere else."""
    parts: list[str] = []
    end = 0
    for token in tokens:
        if token.start < end:
            continue
        gap, piece = text[end : token.start], text[token.start : token.end + 1]
        if _is_rest(token):
            inside = _tokens(gap + piece, parser)
            parts.append(blanked(gap + piece, inside, parser) if inside else gap + piece)
        else:
            parts += (" " * len(gap), piece)
        end = token.end + 1
    return "".join(parts).ljust(len(text))


def cleared(tokens: list[Token], text: str) -> list[Token]:
    """A command's tokens, as they are in a text that was blanked."""
    last = tokens[-1]
    if len(tokens) < 2 or not _is_rest(last):
        return tokens
    rest = text[tokens[-2].end + 1 : last.end + 1].strip()
    return [*tokens[:-1], Token(_STRING, rest, last.line, last.col, last.start, last.end)]


def _is_rest(token: Token) -> bool:
    """Whether a token is all that follows a command, in one piece: its place is that of the last word."""
    return token.token_type is _STRING and len(token.text) > token.end + 1 - token.start


def _tokens(text: str, parser: str) -> list[Token]:
    try:
        return tokens_of(text, parser)
    except SqlglotError:
        return []


def _is_comment(gap: str) -> bool:
    return gap.lstrip().startswith(_MARKS)
