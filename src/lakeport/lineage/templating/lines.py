"""From marked output to plain SQL and the source line of each of its lines.

Plain text of a template advances through its lines; what an expression printed belongs to the line
of the expression, however long it is. A line with pieces from several lines has no single source.
"""

from __future__ import annotations

import re

from lakeport.lineage.templating.sandbox import CLOSE, OPEN

_PIECE = re.compile(f"{OPEN}([DE])(\\d+){CLOSE}([^{OPEN}]*)")


def unmarked(text: str) -> tuple[str, tuple[int | None, ...]]:
    """The text without marks, and per line the one source line it came from, if there is one."""
    if OPEN not in text:
        return text, (None,) * (text.count("\n") + 1)
    pieces: list[str] = []
    origins: list[set[int]] = [set()]
    for kind, number, content in _PIECE.findall(text):
        pieces.append(content)
        line = int(number)
        for position, part in enumerate(content.split("\n")):
            if position:
                origins.append(set())
                line += kind == "D"
            if part.strip():
                origins[-1].add(line)
    return "".join(pieces), tuple(_single(lines) for lines in origins)


def _single(lines: set[int]) -> int | None:
    return next(iter(lines)) if len(lines) == 1 else None
