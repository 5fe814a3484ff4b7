"""Keywords of several words with a comment between them: `GROUP /* by what? */ BY`.

The tokenizer knows them only with nothing but blanks between. Any other pair of words it would have
joined itself, so that words in a row that make such a keyword are parted by a comment.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.dialects import engine_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMAND = TokenType.COMMAND
_END = TokenType.SEMICOLON
# Tokens that stand in quotes of some kind.
QUOTED = frozenset(
    {
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.UNICODE_STRING,
        TokenType.BYTE_STRING,
        TokenType.HEX_STRING,
        TokenType.BIT_STRING,
    }
)


_MARKS = ("/*", "--", "#", "//")
# Longer than any word of a keyword.
_REACH = 32


@cache
def _keywords(parser: str) -> tuple[tuple[str, ...], Mapping[tuple[str, ...], TokenType]]:
    """The words that another one may follow, and the keywords by their words."""
    known = {
        tuple(words): kind
        for text, kind in engine_of(parser).tokenizer_class.KEYWORDS.items()
        if len(words := text.split()) > 1
    }
    return tuple({word for words in known for word in words[:-1]}), known


def _is_parted(text: str, begun: tuple[str, ...]) -> bool:
    """Whether a comment stands behind such a word: comments are few, words are many."""
    for mark in _MARKS:
        # One character is found forty times as fast as two.
        at = text.find(mark) if mark[0] in text else -1
        while at >= 0:
            end = at
            while end and text[end - 1].isspace():
                end -= 1
            if text[max(0, end - _REACH) : end].upper().endswith(begun):
                return True
            at = text.find(mark, at + 1)
    return False


def join_words(tokens: list[Token], text: str, parser: str) -> list[Token]:
    """The tokens with such words as one, as they are without comments."""
    begun, known = _keywords(parser)
    if not _is_parted(text, begun):
        return tokens
    longest = max(map(len, known))
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        found = _keyword(tokens[at : at + longest], known)
        if found is None or (found[1] is _COMMAND and made and made[-1].token_type is not _END):
            made.append(tokens[at])
            at += 1
            continue
        size, kind = found
        made.append(_joined(tokens[at : at + size], kind))
        at += size
        if kind is _COMMAND:
            end = at
            while end < len(tokens) and tokens[end].token_type is not _END:
                end += 1
            made += [_rest(tokens[at:end], text)] if end > at else []
            at = end
    return made


def _keyword(
    tokens: list[Token], known: Mapping[tuple[str, ...], TokenType]
) -> tuple[int, TokenType] | None:
    """How many of some tokens are one keyword, and which."""
    words = tuple(t.text.upper() if t.token_type not in QUOTED else "" for t in tokens)
    sizes = (size for size in range(len(words), 1, -1) if words[:size] in known)
    size = next(sizes, 0)
    return (size, known[words[:size]]) if size else None


def _joined(tokens: list[Token], kind: TokenType) -> Token:
    first, last = tokens[0], tokens[-1]
    text = " ".join(token.text for token in tokens)
    return Token(kind, text, last.line, last.col, first.start, last.end)


def _rest(tokens: list[Token], text: str) -> Token:
    """What follows a command is one string to the parser."""
    first, last = tokens[0], tokens[-1]
    behind = text[first.start : last.end + 1]
    return Token(TokenType.STRING, behind, last.line, last.col, last.start, last.end)
