"""Cutting a text into statements, on tokens and not on characters.

A semicolon inside a string, a comment or a dollar quote is no token, so it never cuts. Scripting
blocks are opened: the statements inside BEGIN … END, IF and loops become statements of their own,
their headers are dropped. If the text cannot be tokenised as a whole, each piece is tried alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.engines import tokens_of
from lakeport.lineage.request import Encoding
from lakeport.lineage.result import SplitResult
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_TRANSACTION_WORDS = frozenset(
    {"TRANSACTION", "TRAN", "WORK", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", "ISOLATION"}
)
_BLOCK_HEADERS = frozenset({"IF", "ELSEIF", "ELSIF", "WHILE", "FOR", "REPEAT", "UNTIL"})
_BLOCK_OPENERS = frozenset({"THEN", "DO", "LOOP"})
_BLOCK_CLOSERS = frozenset({"END", "ELSE", "LOOP", "EXCEPTION", "REPEAT"})
_ROUTINES = frozenset({"PROCEDURE", "FUNCTION", "TRIGGER", "TASK", "PROC"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """The tokens of one statement and its code points; no tokens if it could not be tokenised."""

    tokens: list[Token]
    start: int
    end: int
    error: str | None = None


def split_statements(
    sql: str, dialect: str = "generic", encoding: Encoding = "utf8"
) -> SplitResult:
    """Where each statement of a text stands."""
    known = dialect_named(dialect)
    source = SourceText(sql, encoding=encoding)
    chunks = split(sql, known.parser if known else "")
    broken = next((chunk.error for chunk in chunks if chunk.error), None)
    return SplitResult(statements=[source.span(c.start, c.end) for c in chunks], error=broken)


def split(text: str, parser: str) -> list[Chunk]:
    """The statements of a text, in order."""
    try:
        tokens = tokens_of(text, parser)
    except (TokenError, RecursionError):
        return _split_piecewise(text, parser)
    return _cut(tokens, text, parser)


def _cut(tokens: list[Token], text: str, parser: str) -> list[Chunk]:
    # Asking the text first is far cheaper than asking every token.
    scripted = "begin" in text.lower() and any(map(_begins, tokens))
    if scripted or parser in {"tsql", "fabric", "oracle"}:
        return list(_cut_script(tokens, parser))
    chunks: list[Chunk] = []
    begin = 0
    semicolon = TokenType.SEMICOLON
    cuts = (
        [i for i, token in enumerate(tokens) if token.token_type is semicolon]
        if ";" in text
        else []
    )
    for position in cuts:
        _append(chunks, tokens[begin:position])
        begin = position + 1
    _append(chunks, tokens[begin:] if begin else tokens)
    return chunks


def _begins(token: Token) -> bool:
    """BEGIN is a command to some tokenizers."""
    kind = token.token_type
    return kind is TokenType.BEGIN or (kind is TokenType.COMMAND and token.text.upper() == "BEGIN")


def _append(chunks: list[Chunk], tokens: list[Token]) -> None:
    if tokens:
        chunks.append(Chunk(tokens, tokens[0].start, tokens[-1].end + 1))


def _cut_script(tokens: list[Token], parser: str) -> list[Chunk]:
    """The same with batch separators (`GO`, `/` alone on a line) and blocks opened."""
    chunks: list[Chunk] = []
    begin = position = 0
    routine = False
    while position < len(tokens):
        token = tokens[position]
        word = token.text.upper()
        if position == begin and (skipped := _control_length(tokens, position)):
            position += skipped
            begin = position
            continue
        if position == begin:
            routine = False
        if word in _ROUTINES and position - begin <= 4:
            routine = True
        opens_body = routine and _begins(token)
        if (
            token.token_type is TokenType.SEMICOLON
            or _is_separator(tokens, position, parser)
            or opens_body
        ):
            _append(chunks, tokens[begin:position])
            begin = position if opens_body else position + 1
            position = begin
            routine = False
            continue
        position += 1
    _append(chunks, tokens[begin:])
    return chunks


def _control_length(tokens: list[Token], position: int) -> int:
    """How many tokens of control flow stand here, where a statement could begin."""
    token = tokens[position]
    word = token.text.upper()
    following = tokens[position + 1].text.upper() if position + 1 < len(tokens) else ";"
    if _begins(token):
        return 0 if following in _TRANSACTION_WORDS or following == ";" else 1
    if word == "END":
        return _through(tokens, position, {";"})
    if word in _BLOCK_CLOSERS:
        return 1
    if word in _BLOCK_HEADERS:
        length = _through(tokens, position, _BLOCK_OPENERS)
        if length:
            return length
        begin = _through(tokens, position, {"BEGIN"})
        return begin - 1 if begin else 0
    return 0


def _through(tokens: list[Token], position: int, words: frozenset[str] | set[str]) -> int:
    """Tokens up to and with the first of `words` outside parentheses, 0 if a semicolon comes first."""
    depth = 0
    for offset, token in enumerate(tokens[position:]):
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and token.text.upper() in words:
            return offset + 1
        elif token.token_type is TokenType.SEMICOLON:
            return 0
    return 0 if ";" not in words else len(tokens) - position


def _is_separator(tokens: list[Token], position: int, parser: str) -> bool:
    """`GO` in T-SQL and `/` in Oracle end a batch when they stand alone on their line."""
    token = tokens[position]
    if token.text.upper() != ("/" if parser == "oracle" else "GO"):
        return False
    before = position == 0 or tokens[position - 1].line < token.line
    after = position + 1 >= len(tokens) or tokens[position + 1].line > token.line
    return before and after


# Quoted text, comments, or a semicolon: enough to find the pieces of a text that does not tokenise.
_ROUGH = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|(;)", re.DOTALL)


def _split_piecewise(text: str, parser: str) -> list[Chunk]:
    chunks: list[Chunk] = []
    begin = 0
    cuts = [match.start() for match in _ROUGH.finditer(text) if match.group(1)]
    for end in [*cuts, len(text)]:
        chunks.extend(_tokenised_piece(text, begin, end, parser))
        begin = end + 1
    return chunks


def _tokenised_piece(text: str, begin: int, end: int, parser: str) -> list[Chunk]:
    piece = text[begin:end]
    if not piece.strip():
        return []
    try:
        # Blanks in front keep every position what it is in the whole text.
        lines = text.count("\n", 0, begin)
        padding = "\n" * lines + " " * (begin - lines)
        return _cut(tokens_of(padding + piece, parser), piece, parser)
    except (TokenError, RecursionError) as error:
        start = begin + len(piece) - len(piece.lstrip())
        return [Chunk([], start, begin + len(piece.rstrip()), str(error).splitlines()[0])]
