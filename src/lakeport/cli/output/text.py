"""Answers as text for people: lines and tables, in colour on a terminal and plain everywhere else.

Nothing is said by colour alone. A pipe gets whole lines, however long, without trailing blanks; a
terminal gets cells folded to its width. NO_COLOR is honoured (by rich).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TextIO

# A pipe has no width; rich wants one, and any table of ours is narrower than this.
_UNBOUNDED = 100_000


class Styled(NamedTuple):
    text: str
    style: str


# Names and rows come from anybody: a control character must not steer the reader's terminal.
_VISIBLE = {
    code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
}
_VISIBLE_BUT_LINES = {code: shown for code, shown in _VISIBLE.items() if chr(code) not in "\n\t"}


def visible(text: str) -> str:
    """A text on one line that cannot steer a terminal."""
    return text if text.isprintable() else text.translate(_VISIBLE)


Cell: TypeAlias = str | int | float | Styled | None


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to `output/pipe.py`; rich would end the process with an exit code of its own."""
        raise BrokenPipeError


class Page:
    """Where text goes; stdout unless told otherwise."""

    def __init__(self, stream: TextIO | None = None) -> None:
        target = stream or sys.stdout
        self._console = _Output(
            file=target,
            width=None if target.isatty() else _UNBOUNDED,
            highlight=False,
            markup=False,
            emoji=False,
        )

    @staticmethod
    def good(text: str) -> Styled:
        return Styled(text, "green")

    @staticmethod
    def bad(text: str) -> Styled:
        return Styled(text, "red")

    @staticmethod
    def doubtful(text: str) -> Styled:
        return Styled(text, "yellow")

    @staticmethod
    def name(text: str) -> Styled:
        return Styled(text, "cyan")

    @staticmethod
    def faint(text: str) -> Styled:
        return Styled(text, "dim")

    def line(self, *parts: Cell) -> None:
        """One line made of its parts, which bring their own blanks."""
        shown = (_text(part, _VISIBLE_BUT_LINES) for part in parts)
        self._console.print(Text.assemble(*shown), soft_wrap=True)

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        """Numbers to the right, everything else to the left, no box, a row per line."""
        body = [tuple(row) for row in rows]
        numeric = [
            bool(body) and all(_is_number(row[index]) for row in body)
            for index, _ in enumerate(titles)
        ]
        if not self._console.is_terminal:
            # Nothing to fold or to colour, and rich takes seconds for a list of 10,000 tables.
            self._console.file.write(_aligned(titles, body, numeric))
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for title, is_numeric in zip(titles, numeric, strict=True):
            table.add_column(title, justify="right" if is_numeric else "left", overflow="fold")
        for row in body:
            table.add_row(*(_text(cell, _VISIBLE) for cell in row))
        for line in self._console.render_lines(table, pad=False):
            self._console.print(Text.assemble(*_without_trailing_blanks(line)), soft_wrap=True)


def _is_number(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def _text(cell: Cell, visible: dict[int, str]) -> Text:
    return Text(_plain(cell, visible), style=cell.style if isinstance(cell, Styled) else "")


def _plain(cell: Cell, visible: dict[int, str]) -> str:
    match cell:
        case None:
            return ""
        case Styled(text, _):
            return text.translate(visible)
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:,.6g}"
        case str():
            return cell.translate(visible)


def _aligned(titles: Sequence[str], rows: list[tuple[Cell, ...]], numeric: list[bool]) -> str:
    lines = [tuple(titles), *(tuple(_plain(cell, _VISIBLE) for cell in row) for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    return "".join(_line(line, widths, numeric) for line in lines)


def _line(cells: tuple[str, ...], widths: list[int], numeric: list[bool]) -> str:
    placed = (
        " " * (width - cell_len(cell)) + cell if right else cell + " " * (width - cell_len(cell))
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return "  ".join(placed).rstrip() + "\n"


def _without_trailing_blanks(line: list[Segment]) -> list[Text]:
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        last = kept[-1]
        kept[-1] = Segment(last.text.rstrip(), last.style)
    return [Text(segment.text, style=segment.style or "") for segment in kept]
