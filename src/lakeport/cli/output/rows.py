"""Rows for people: aligned columns, numbers to the right, a line at the end that counts them.

Widths come from the first rows, so that a table of any size needs no more memory than those. On a
terminal long values are cut to fit its width; a pipe gets them whole.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Generator, Iterator, Sequence
from itertools import chain, islice
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

from lakeport.app.lake.rows.csv import cell_texts
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.geometry import is_geometry, read_wkb, why_no_wkb
from lakeport.catalog.predicates.kinds import Kind, kind_of
from lakeport.catalog.streams import BatchStream
from lakeport.cli.output.sizes import counted
from lakeport.cli.output.text import visible

MEASURED_ROWS = 1_000
NARROWEST = 8
_GAP = "  "

Line: TypeAlias = tuple[str, ...]


def terminal_width() -> int | None:
    """None for a pipe or a file, which have no width."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table_chunks(
    stream: BatchStream, *, width: int | None = None, limit: int | None = None
) -> Generator[bytes, None, None]:
    lines = _lines(stream)
    first = list(islice(lines, MEASURED_ROWS))
    titles = tuple(visible(name) for name in stream.schema.names)
    layout = _Layout(titles, first, width, [_is_number(column) for column in stream.schema])
    yield layout.header()
    count = 0
    for group in _groups(chain(first, lines)):
        count += len(group)
        yield b"".join(layout.row(line) for line in group)
    limited = f" (limit {limit:,})" if limit is not None and count == limit else ""
    yield f"{counted(count, 'row')}{limited}\n".encode()


def _groups(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """A write per line would be slow, one for all of them late."""
    while group := list(islice(lines, MEASURED_ROWS)):
        yield group


def _lines(stream: BatchStream) -> Iterator[Line]:
    for batch in stream:
        columns = [
            _cells(_texts(column, field))
            for column, field in zip(batch.columns, stream.schema, strict=True)
        ]
        if columns:
            yield from zip(*columns, strict=True)
        else:
            yield from ((),) * batch.num_rows


def _texts(column: Array, field: Field) -> Sequence[str | None]:
    """A geometry is WKT to people; what another engine stored as one and is none stays bytes."""
    texts: list[str | None] = cell_texts(column).to_pylist()
    if not is_geometry(field):
        return texts
    values = zip(column, texts, strict=True)
    return [text if text is None else _wkt(value.as_py(), text) for value, text in values]


def _wkt(value: bytes, text: str) -> str:
    return str(read_wkb(value)) if why_no_wkb(value) is None else text


def _cells(texts: Sequence[str | None]) -> list[str]:
    return ["NULL" if text is None else visible(text) for text in texts]


def _length(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)  # most texts are, and that is quicker


def _is_number(column: Field) -> bool:
    return kind_of(column.type) in {Kind.NUMBER, Kind.FLOAT}


class _Layout:
    def __init__(
        self, titles: Line, sample: Sequence[Line], width: int | None, numbers: Sequence[bool]
    ) -> None:
        self._titles = titles
        self._numbers = numbers
        self._cut = width is not None
        columns = zip(titles, *sample, strict=True)
        widths = [max(map(_length, column)) for column in columns]
        self._widths = widths if width is None else fitted(widths, width - len(_GAP) * len(widths))

    def header(self) -> bytes:
        return self.row(self._titles) if self._titles else b""

    def row(self, cells: Line) -> bytes:
        placed = zip(cells, self._widths, self._numbers, strict=True)
        return (_GAP.join(self._cell(*place) for place in placed).rstrip() + "\n").encode(
            errors="backslashreplace"
        )

    def _cell(self, text: str, width: int, number: bool) -> str:  # noqa: FBT001  one place calls it
        length = _length(text)
        if length > width:
            return set_cell_size(text, max(width - 1, 0)) + "…" if self._cut else text
        blanks = " " * (width - length)
        return blanks + text if number else text + blanks


def fitted(widths: Sequence[int], room: int) -> list[int]:
    """The widest columns give way first, down to `NARROWEST`; a line may still be too long then."""
    caps = range(max(room, NARROWEST), NARROWEST, -1)
    cap = next((cap for cap in caps if sum(min(w, cap) for w in widths) <= room), NARROWEST)
    return [min(width, cap) for width in widths]
