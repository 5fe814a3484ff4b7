"""Splitting an edited text: only the statements around the edit are tokenised again.

Tokenising reads from left to right, so what stands before the edit keeps its tokens; what stands
after it does too, once the text in between ends at a semicolon again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.blocks import Chunk
from lakeport.lineage.data_lines import may_hold_data
from lakeport.lineage.engines import tokens_of
from lakeport.lineage.notebooks import is_notebook
from lakeport.lineage.pieces import broken_chunk
from lakeport.lineage.scripts import may_be_script
from lakeport.lineage.split import split

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token


class Pieces(NamedTuple):
    """A text and where its statements stand. Chunks without tokens have not been tokenised anew."""

    text: str
    chunks: list[Chunk]
    # It may have been cut into blocks, so that a part of it alone says nothing about the others.
    scripted: bool


def resplit(previous: Pieces | None, text: str, parser: str) -> Pieces:
    """The statements of a text, given those of an earlier version of it."""
    if previous is not None and previous.text == text:
        return Pieces(
            text,
            [Chunk([], c.start, c.end, c.error, blocks=c.blocks) for c in previous.chunks],
            previous.scripted,
        )
    lowered = text.lower()
    scripted = (
        may_be_script(lowered, parser)
        or is_notebook(text, lowered, parser)
        or may_hold_data(text, parser)
    )
    whole = previous is None or scripted or previous.scripted
    found = None if whole or previous is None else _resplit(previous, text, parser)
    return Pieces(text, found if found is not None else split(text, parser), scripted)


def _resplit(previous: Pieces, text: str, parser: str) -> list[Chunk] | None:
    old, chunks = previous.text, previous.chunks
    if any(chunk.error for chunk in chunks):
        return None
    shorter = min(len(old), len(text))
    before = _common(old, text, shorter)
    after = _common(old[::-1], text[::-1], shorter - before)
    shift = len(text) - len(old)
    # A statement is untouched if all text up to the start of the next one is.
    head = 0
    while head + 1 < len(chunks) and chunks[head + 1].start <= before:
        head += 1
    tail = len(chunks)
    while tail - 1 > head and chunks[tail - 2].end >= len(old) - after:
        tail -= 1
    begin = chunks[head].start if head < len(chunks) and chunks[head].start <= before else 0
    head = head if begin else 0
    end = chunks[tail].start + shift if tail < len(chunks) else len(text)
    tokens = _tokens(text, begin, end, parser)
    if tokens is None:
        return None
    if tail < len(chunks):
        # Still the semicolon it was: the edit may have made it a part of a comment.
        last = tokens[-1] if tokens else None
        if last is None or last.token_type is not TokenType.SEMICOLON:
            return None
        if last.start < chunks[tail - 1].end + shift:
            return None
    kept = [Chunk([], chunk.start, chunk.end) for chunk in chunks[:head]]
    moved = [Chunk([], chunk.start + shift, chunk.end + shift) for chunk in chunks[tail:]]
    return [*kept, *_cut(tokens), *moved]


def _common(left: str, right: str, limit: int) -> int:
    """The length of the common prefix, by halving: slices compare at the speed of memory."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _tokens(text: str, begin: int, end: int, parser: str) -> list[Token] | None:
    """The tokens of a part of a text, at their places in the whole."""
    try:
        tokens = tokens_of(text[begin:end], parser)
    except (TokenError, RecursionError):
        return None
    lines = text.count("\n", 0, begin)
    for token in tokens:
        token.start += begin
        token.end += begin
        token.line += lines
    return tokens


def tokenised(chunk: Chunk, text: str, parser: str) -> Chunk:
    """A chunk with its tokens, for a statement that must be analysed again after all."""
    if chunk.tokens:
        return chunk
    tokens = None if chunk.error else _tokens(text, chunk.start, chunk.end, parser)
    if tokens:
        return Chunk(tokens, chunk.start, chunk.end, blocks=chunk.blocks)
    return broken_chunk(text, chunk.start, chunk.end, text.count("\n", 0, chunk.start), parser)


def _cut(tokens: list[Token]) -> list[Chunk]:
    chunks: list[Chunk] = []
    running: list[Token] = []
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            running.append(token)
        elif running:
            chunks.append(Chunk(running, running[0].start, running[-1].end + 1))
            running = []
    if running:
        chunks.append(Chunk(running, running[0].start, running[-1].end + 1))
    return chunks
