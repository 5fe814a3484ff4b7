"""Routines whose body is a quoted text: which language it is in, and its tokens if it is SQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.engines import tokens_of

if TYPE_CHECKING:
    from collections.abc import Container

    from sqlglot.tokenizer_core import Token

_QUOTED = frozenset(
    {
        TokenType.STRING,
        TokenType.IDENTIFIER,
        TokenType.HEREDOC_STRING,
        TokenType.RAW_STRING,
        TokenType.NATIONAL_STRING,
    }
)
BODIES = frozenset({TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING})
ROUTINES = frozenset({"PROCEDURE", "FUNCTION", "TRIGGER", "TASK", "PIPE", "PROC", "PACKAGE"})
SQL_LANGUAGES = frozenset({"SQL", "PLPGSQL", "PLSQL", "SQLSCRIPT"})
TRANSACTION_WORDS = frozenset(
    {"TRANSACTION", "TRAN", "WORK", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", "ISOLATION", "READ"}
)
_NESTED = 16
_INSIDE = frozenset({TokenType.SELECT, TokenType.MERGE, TokenType.INTO, TokenType.VALUES})
_COMMANDS = frozenset({TokenType.COMMAND, TokenType.END, TokenType.FETCH, TokenType.SHOW})
_OPENING_QUOTE = re.compile(r"\$\w*\$|'")
_CHANGES = frozenset(
    {
        TokenType.INSERT,
        TokenType.UPDATE,
        TokenType.DELETE,
        TokenType.MERGE,
        TokenType.CREATE,
        TokenType.TRUNCATE,
        TokenType.COPY,
    }
)


def words_of(tokens: list[Token]) -> list[str]:
    """What each token says in capitals; nothing for text in quotes, which is never a keyword."""
    return ["" if token.token_type in _QUOTED else token.text.upper() for token in tokens]


def quoted_body(tokens: list[Token]) -> tuple[str, int] | None:
    """The language of a routine's quoted body and the place of its token; None if there is none."""
    if not tokens or tokens[0].text.upper() not in {"CREATE", "ALTER"}:
        return None
    if ROUTINES.isdisjoint(token.text.upper() for token in tokens[1:5]):
        return None
    words = words_of(tokens)
    body = next(
        (
            position
            for position in range(2, len(tokens))
            if words[position - 1] == "AS" and tokens[position].token_type in BODIES
        ),
        None,
    )
    if body is None:
        return None
    named = words.index("LANGUAGE") + 1 if "LANGUAGE" in words else len(words)
    # A language may be quoted; without one it is SQL where bodies are quoted.
    return tokens[named].text.upper() if named < len(tokens) else "SQL", body


def routine_header(tokens: list[Token]) -> str | None:
    """The type of a statement that is a routine's header alone.

    Whatever followed it has become statements of their own, so that nothing is lost if it cannot
    be read; None for everything else.
    """
    words = [token.text.upper() for token in tokens[:5]]
    if not words or words[0] not in {"CREATE", "ALTER"}:
        return None
    if not _INSIDE.isdisjoint(token.token_type for token in tokens):
        return None
    return next((f"{words[0]}_{word}" for word in words if word in ROUTINES), None)


def reopened(
    tokens: list[Token], text: str, parser: str, commands: Container[str], limit: int = _NESTED
) -> list[Token]:
    """Tokenizers keep what follows a command as one text up to the semicolon: read it after all.

    What was read may begin with a command again, as in `BEGIN LOOP SET …`, up to `limit` times.
    """
    made: list[Token] = []
    before: Token | None = None
    for token in tokens:
        if (
            before is not None
            and token.token_type is TokenType.STRING
            and before.token_type in _COMMANDS
            and before.text.upper() in commands
            and token.text.partition(" ")[0].upper() not in TRANSACTION_WORDS
        ):
            # The last character of the swallowed text is where its token says it is.
            inner = tokens_between(text, before.end + 1, token.end + 1, parser, before)
            made += reopened(inner, text, parser, commands, limit - 1) if limit else inner
        else:
            made.append(token)
        before = token
    return made


def tokens_between(text: str, begin: int, end: int, parser: str, near: Token) -> list[Token]:
    """The tokens of a part of a text, at their places in the whole; none if it cannot be read."""
    return tokens_at(text, begin, text[begin:end], parser, near)


def tokens_at(text: str, begin: int, piece: str, parser: str, near: Token) -> list[Token]:
    """The tokens of a piece as if it stood at that place of the text.

    Lines are counted from a token that is `near`: to count those in front of every piece would take
    time that is quadratic in the text.
    """
    after = near.end + 1
    if after <= begin:
        line = near.line + text.count("\n", after, begin)
    else:
        line = near.line - text.count("\n", begin, after)
    try:
        return moved(tokens_of(piece, parser), begin, line - 1)
    except (TokenError, RecursionError):
        return []


def moved(tokens: list[Token], begin: int, lines: int) -> list[Token]:
    """The tokens of a piece at its place in the whole, with so many lines in front of it.

    The columns only tell the tokens of a line apart.
    """
    for token in tokens:
        token.start += begin
        token.end += begin
        if token.line == 1:
            token.col += begin
        token.line += lines
    return tokens


def body_tokens(token: Token, text: str, parser: str, *, pure: bool) -> list[Token]:
    """The tokens inside a quoted body, at their places in the text; none if it is not to be opened.

    A function that changes nothing is a value, not a statement: `pure` ones stay closed.
    """
    quoted = text[token.start : token.end + 1]
    quote = _OPENING_QUOTE.match(quoted)
    if quote is None or (quote[0] == "'" and token.text != quoted[1:-1]):
        return []
    size = len(quote[0])
    tokens = tokens_between(text, token.start + size, token.end + 1 - size, parser, token)
    return [] if pure and is_value(tokens) else tokens


def is_value(tokens: list[Token]) -> bool:
    """Whether a body changes nothing."""
    return _CHANGES.isdisjoint(token.token_type for token in tokens)
