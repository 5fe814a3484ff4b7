"""Cutting a text into statements, on tokens and not on characters.

A semicolon inside a string, a comment or a dollar quote is no token, so it never cuts. Texts with
scripting blocks are cut in `scripts`. If the text cannot be tokenised as a whole, each piece is
tried alone.
"""

from __future__ import annotations

import logging
import re
from array import array
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.blocks import Chunk
from lakeport.lineage.bodies import moved
from lakeport.lineage.data_lines import may_hold_data, without_data
from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.engines import tokens_of
from lakeport.lineage.notebooks import is_notebook, with_cells_parted
from lakeport.lineage.pieces import broken_chunk, cuts
from lakeport.lineage.request import Encoding
from lakeport.lineage.result import SplitResult
from lakeport.lineage.scripts import cut_script, is_script, may_be_script
from lakeport.lineage.scripts.dialects import BATCHES
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_logger = logging.getLogger(__name__)

_QUERIES = frozenset({TokenType.SELECT, TokenType.WITH})
_kind = attrgetter("token_type")
# A member of the enumeration is looked up and compared in Python.
_SEMICOLON = int(TokenType.SEMICOLON)


def split_statements(
    sql: str, dialect: str = "generic", encoding: Encoding = "utf8"
) -> SplitResult:
    """Where each statement of a text stands."""
    known = dialect_named(dialect)
    source = SourceText(sql, encoding=encoding)
    chunks = split(sql, known.parser if known else "", bodies=False)
    broken = next((chunk.error.message for chunk in chunks if chunk.error), None)
    return SplitResult(statements=[source.span(c.start, c.end) for c in chunks], error=broken)


def split(text: str, parser: str, *, bodies: bool = True) -> list[Chunk]:
    """The statements of a text, in order, with those in quoted bodies of routines if asked for."""
    lowered = text.lower()
    if "delimiter" in lowered and _DELIMITER.search(text):
        text = _with_semicolons(text)
        lowered = text.lower()
    if parser in BATCHES and "go" in lowered:
        text = _with_lone_marks(text)
    elif is_notebook(text, lowered, parser):
        text = with_cells_parted(text)
    elif may_hold_data(text, parser):
        text = without_data(text)
    try:
        tokens = tokens_of(text, parser)
    except (TokenError, RecursionError):
        return _split_piecewise(text, _Stretch(0, len(text), 0), parser)
    script = (
        not _is_one_query(tokens, text, parser)
        and may_be_script(lowered, parser)
        and is_script(tokens, text, parser)
    )
    return _cut_blocks(tokens, text, parser, bodies=bodies) if script else _cut(tokens, text)


def _is_one_query(tokens: list[Token], text: str, parser: str) -> bool:
    """Whether a text is a query and nothing else: then nobody looks for words of scripts in it."""
    return (
        ";" not in text
        and parser not in BATCHES
        and parser != "oracle"
        and bool(tokens)
        and tokens[0].token_type in _QUERIES
    )


def _cut_blocks(tokens: list[Token], text: str, parser: str, *, bodies: bool) -> list[Chunk]:
    try:
        return cut_script(tokens, text, parser, bodies=bodies)
    except Exception:
        # A bug of ours in a script must not cost its statements.
        _logger.exception("lineage.bug")
        return _cut(tokens, text)


_LINES = re.IGNORECASE | re.MULTILINE
_ENDED_TWICE = re.compile(r";(?=(?:[ \t]*+--[^\n]*+)?+\s*^[ \t]*GO\b[ \t\r]*$)", _LINES)
_LEADING_GO = re.compile(r"\A(\s*^[ \t]*)GO(?=[ \t\r]*$)", _LINES)
_COUNTED_GO = re.compile(r"^([ \t]*GO)([ \t]+\d+)(?=[ \t\r]*$)", _LINES)


def _with_lone_marks(text: str) -> str:
    """T-SQL: no semicolon before GO, none before anything, no count; every position as it was.

    At the start of a statement the tokenizer takes GO for a command that goes on to the next
    semicolon, and the statement behind it would be lost.
    """
    text = _COUNTED_GO.sub(lambda mark: mark[1].ljust(len(mark[0])), text)
    text = _LEADING_GO.sub(lambda mark: f"{mark[1]}  ", text, count=1)
    return _ENDED_TWICE.sub(" ", text)


# A directive of MySQL's clients, so that bodies may hold semicolons.
_DELIMITER = re.compile(r"^[ \t]*delimiter[ \t]+(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)


def _with_semicolons(text: str) -> str:
    """The text with its own delimiters in place of those it declares, every position as it was."""
    pieces: list[str] = []
    mark, begin = ";", 0
    for directive in _DELIMITER.finditer(text):
        pieces.append(text[begin : directive.start()].replace(mark, ";".ljust(len(mark))))
        pieces.append(" " * len(directive[0]))
        mark, begin = directive[1], directive.end()
    pieces.append(text[begin:].replace(mark, ";".ljust(len(mark))))
    return "".join(pieces)


def _cut(tokens: list[Token], text: str) -> list[Chunk]:
    if ";" not in text:
        return [_chunk(tokens, b"")] if tokens else []
    # One look at each token serves the cuts and whoever compares statements.
    kinds = array("H", map(_kind, tokens))
    chunks: list[Chunk] = []
    begin = 0
    for end in [*(i for i, kind in enumerate(kinds) if kind == _SEMICOLON), len(tokens)]:
        if end > begin:
            chunks.append(_chunk(tokens[begin:end], kinds[begin:end].tobytes()))
        begin = end + 1
    return chunks


def _chunk(tokens: list[Token], kinds: bytes) -> Chunk:
    return Chunk(tokens, tokens[0].start, tokens[-1].end + 1, alone=True, kinds=kinds)


class _Stretch(NamedTuple):
    """A part of a text, and the lines in front of it."""

    begin: int
    end: int
    lines: int


def _split_piecewise(
    text: str, stretch: _Stretch, parser: str, *, in_lines: bool = False
) -> list[Chunk]:
    """The statements of a stretch that does not tokenise; a piece that is broken is cut again."""
    chunks: list[Chunk] = []
    begin, end, lines = stretch
    for cut in [*cuts(text[begin:end], in_lines=in_lines), end - begin]:
        piece = _Stretch(begin, stretch.begin + cut, lines)
        found = _tokenised(text, piece, parser)
        if found is not None:
            chunks += found
        elif in_lines:
            chunks.append(broken_chunk(text, *piece, parser))
        else:
            chunks += _split_piecewise(text, piece, parser, in_lines=True)
        lines += text.count("\n", begin, piece.end)
        begin = piece.end + 1
    return chunks


def _tokenised(text: str, stretch: _Stretch, parser: str) -> list[Chunk] | None:
    piece = text[stretch.begin : stretch.end]
    if not piece.strip():
        return []
    try:
        tokens = moved(tokens_of(piece, parser), stretch.begin, stretch.lines)
    except (TokenError, RecursionError):
        return None
    if may_be_script(piece.lower(), parser) and is_script(tokens, piece, parser):
        return _cut_blocks(tokens, text, parser, bodies=True)
    return _cut(tokens, piece)
