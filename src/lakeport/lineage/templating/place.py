"""Where a statement of a rendered text stands: spans in what is shown of it, lines in the template."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from lakeport.lineage.text import SourceText
from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakeport.lineage.templating.rendering import RenderedText
    from lakeport.lineage.workload import Statement


def place(text: RenderedText, source: SourceText, statements: Iterable[Statement]) -> None:
    """Give every statement its part of a text, and count its spans from where that begins.

    A reader of the answer has no other part of what was rendered.
    """
    shown = text.shown
    starts = list(accumulate((len(line) + 1 for line in text.sql.split("\n")), initial=0))
    for statement in statements:
        begin, end = statement.chunk.start, statement.chunk.end
        statement.resolved_sql = shown[begin:end]
        statement.secrets = text.secrets
        own = SourceText("", source.name, "codepoint")
        own.content = source.content
        own.span = partial(_span_within, source, source.span(begin, begin).start)
        own.line = partial(_line, text, starts)
        statement.source = own


def _span_within(source: SourceText, origin: int, start: int, end: int) -> Span:
    whole = source.span(start, end)
    return Span(whole.start - origin, whole.end - origin)


def _line(text: RenderedText, starts: list[int], position: int) -> int | None:
    return text.source_line(bisect_right(starts, position))
