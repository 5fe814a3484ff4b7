from __future__ import annotations

import io
import re
import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from lakeport.cli.output.text import Page

if typing.TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.cli.output.text import Cell


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(titles: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    stream = io.StringIO()
    Page(stream).table(titles, rows)
    return stream.getvalue()


def test_numbers_stand_right_and_text_left() -> None:
    rows = [("orders", 12_408, 1.5, True), ("年", 3, None, False)]
    assert drawn(("table", "rows", "share", "live"), rows) == (
        "table     rows  share  live\norders  12,408    1.5  yes\n年           3         no\n"
    )


def test_an_empty_table_is_its_titles() -> None:
    assert drawn(("a", "b"), []) == "a  b\n"


def test_marks_that_look_like_markup_are_text() -> None:
    stream = io.StringIO()
    Page(stream).line("[red]x[/red] :smile: ", Page.name("[b]"))
    assert stream.getvalue() == "[red]x[/red] :smile: [b]\n"


def test_control_characters_are_shown_not_sent() -> None:
    stream = io.StringIO()
    page = Page(stream)
    page.line("two\nlines \x1b[31m", page.bad("\x07"))
    page.table(("a", "b"), [("x\ny\t", "\u2028\x9b")])
    assert stream.getvalue() == ("two\nlines \\x1b[31m\\x07\na       b\nx\\ny\\t  \\u2028\\x9b\n")


def test_long_lines_are_whole_in_a_pipe() -> None:
    stream = io.StringIO()
    page = Page(stream)
    page.line("x" * 5000)
    page.table(("a", "b"), [("y" * 5000, "z")])
    assert max(map(len, stream.getvalue().splitlines())) >= 5000


words = st.text(st.characters(categories=["L", "N"], codec="utf-8"), max_size=12)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.lists(st.tuples(words, words), max_size=5))
def test_a_pipe_never_gets_control_codes_nor_trailing_blanks(rows: list[tuple[str, str]]) -> None:
    shown = drawn(("one", "two"), [(Page.bad(left), Page.good(right)) for left, right in rows])
    assert "\x1b" not in shown
    lines = shown.split("\n")[:-1]
    assert all(line == line.rstrip(" ") for line in lines)
    widest = max((cell_len(left) for left, _ in rows), default=0)
    assert cell_len(lines[0]) == max(widest, 3) + 2 + 3


def test_a_terminal_gets_colour_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = Terminal(), Terminal()
    Page(coloured).line(Page.bad("no"))
    monkeypatch.setenv("NO_COLOR", "1")
    Page(plain).line(Page.bad("no"))
    assert coloured.getvalue() == "\x1b[31mno\x1b[0m\n"
    assert plain.getvalue() == "no\n"


def test_a_terminal_gets_cells_folded_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    Page(stream).table(("k", "v"), [("a", "x" * 40)])
    lines = re.sub(r"\x1b\[\d*m", "", stream.getvalue()).splitlines()
    assert max(map(len, lines)) <= 20
    assert "".join(line.replace("a", "").strip() for line in lines[1:]) == "x" * 40
