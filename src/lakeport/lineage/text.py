"""A source text and the spans in it.

The tokenizer counts code points; clients ask for UTF-8 bytes, UTF-16 units or code points. For
ASCII text all three agree, which is the common case and costs nothing.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.request import Encoding


class SourceText:
    """One text of the request, with the arithmetic of its spans."""

    __slots__ = ("content", "line", "name", "span")

    def __init__(self, content: str, name: str | None = None, encoding: Encoding = "utf8") -> None:
        self.content = content
        self.name = name
        offsets = _offsets(content, encoding)
        # The span of the code points from `start` to before `end`.
        self.span: Callable[[int, int], Span] = (
            Span if offsets is None else partial(_converted, offsets)
        )
        # The line of the template that a code point comes from, if there is one template line.
        self.line: Callable[[int], int | None] = _no_line


def with_piece(source: SourceText, piece: str, shown: tuple[int, int]) -> tuple[SourceText, int]:
    """The text with a piece behind it, and where that begins. All of the piece is shown at one place,
    because it stands nowhere.
    """
    begin = len(source.content) + 1
    longer = SourceText("", source.name, "codepoint")
    longer.content = f"{source.content}\n{piece}"
    longer.span = partial(_span_outside, source, begin, source.span(*shown))
    longer.line = partial(_line_outside, source, begin, shown[0])
    return longer, begin


def _no_line(_position: int) -> int | None:
    return None


def _line_outside(source: SourceText, begin: int, shown: int, position: int) -> int | None:
    return source.line(shown if position >= begin else position)


def _span_outside(source: SourceText, begin: int, shown: Span, start: int, end: int) -> Span:
    return shown if start >= begin else source.span(start, end)


def _converted(offsets: list[int], start: int, end: int) -> Span:
    last = len(offsets) - 1
    return Span(offsets[min(start, last)], offsets[min(end, last)])


def _offsets(content: str, encoding: Encoding) -> list[int] | None:
    """The offset of every code point, or None when it is its own index."""
    if encoding == "codepoint" or content.isascii():
        return None
    if encoding == "utf16":
        widths = (2 if ord(character) > 0xFFFF else 1 for character in content)
    else:
        widths = (_utf8_width(ord(character)) for character in content)
    return list(accumulate(widths, initial=0))


def _utf8_width(code: int) -> int:
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    return 3 if code < 0x10000 else 4


def may_hold_comments(text: str) -> bool:
    """Cheaper than a look at the tokens; an operator such as `#>` is taken for one, too."""
    # One character is found forty times as fast as two.
    return (
        ("-" in text and "--" in text)
        or "#" in text
        or ("/" in text and ("/*" in text or "//" in text))
    )
