"""Texts that do not tokenise: where their statements end, and what of a broken one can be read.

Something is opened and never closed, or is closed by a quote that was to open another string. So a
first look lets quotes reach over lines, and a second one, for a piece that is still broken, does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.errors import TokenError

from lakeport.lineage.blocks import Breach, Chunk
from lakeport.lineage.bodies import moved
from lakeport.lineage.engines import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# What may open quoted text or a comment, or be a semicolon.
_MARK = re.compile(r"['\"`;]|--|/\*|\$\$")
_REST = {
    "'": re.compile(r"(?:[^'\\]|\\.|'')*+'", re.DOTALL),
    '"': re.compile(r'[^"]*+"'),
    "`": re.compile(r"[^`]*+`"),
    "--": re.compile(r"[^\n]*+"),
    "/*": re.compile(r".*?\*/", re.DOTALL),
    "$$": re.compile(r".*?\$\$", re.DOTALL),
}
_REST_OF_LINE = {
    **_REST,
    "'": re.compile(r"[^'\n]*+'"),
    '"': re.compile(r'[^"\n]*+"'),
    "`": re.compile(r"[^`\n]*+`"),
}
_OPENED = {
    "'": "string",
    '"': "string",
    "`": "quoted name",
    "/*": "comment",
    "$$": "body",
}
# These hold lines and semicolons, and nothing closes them but their own mark.
_LONG = frozenset({"/*", "$$"})


def broken_chunk(text: str, begin: int, end: int, lines: int, parser: str) -> Chunk:
    """The statement between two places of a text: the tokens of what can be read of it."""
    piece = text[begin:end]
    kept, breach = _readable(piece)
    try:
        tokens = moved(tokens_of(kept, parser), begin, lines)
    except (TokenError, RecursionError):
        tokens = []
    start = begin + len(piece) - len(piece.lstrip())
    error = Breach(breach.message, begin + breach.start, begin + breach.end)
    return Chunk(tokens, start, begin + len(piece.rstrip()), error)


def cuts(text: str, *, in_lines: bool = False) -> list[int]:
    """The semicolons outside of quotes and comments; what is never closed holds back none."""
    return [at for word, at, _ in _marks(text, in_lines=in_lines) if word == ";"]


def _readable(text: str) -> tuple[str, Breach]:
    """One statement with blanks for what is never closed, every position as it was.

    A string that is not closed ends with its line; a comment takes the rest along, and of a body
    only the mark is left out.
    """
    kept: list[str] = []
    begin = 0
    found: Breach | None = None
    for word, at, closed in _marks(text, in_lines=True):
        if closed or word == ";":
            continue
        found = found or Breach(f"this {_OPENED[word]} does not end", at, at + len(word))
        end = _end_of_breach(text, word, at)
        kept += (text[begin:at], " " * (end - at))
        begin = end
        if end == len(text):
            break
    kept.append(text[begin:])
    if found is None:
        begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
        found = Breach("this cannot be read as SQL", begin, end)
    return "".join(kept), found


def _end_of_breach(text: str, word: str, at: int) -> int:
    if word == "/*":
        return len(text)
    if word == "$$":
        return at + len(word)
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _marks(text: str, *, in_lines: bool) -> Iterator[tuple[str, int, bool]]:
    """Each mark outside of quotes and comments, its place, and whether what it opens is closed.

    The rest of the text is searched once for the end of each kind: what one has looked for in vain,
    the next will not find.
    """
    unclosed: set[str] = set()
    mark = _MARK.search(text)
    while mark is not None:
        word, at = mark[0], mark.end()
        closed = None
        if word != ";" and not (word in _LONG and word in unclosed):
            nearby = in_lines or word in unclosed
            closed = (_REST_OF_LINE if nearby else _REST)[word].match(text, at)
            if closed is None:
                unclosed.add(word)
        yield word, mark.start(), closed is not None
        mark = _MARK.search(text, closed.end() if closed is not None else at)
