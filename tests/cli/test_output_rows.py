"""Rows for people, sizes, progress: what is drawn, without a lake."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.airport import geometry
from lakeport.catalog.streams import BatchStream
from lakeport.cli.output import rows as rows_module
from lakeport.cli.output.pour import pour
from lakeport.cli.output.progress import counting
from lakeport.cli.output.rows import fitted, table_chunks
from lakeport.cli.output.sizes import counted, size_text
from lakeport.core.errors import NotFoundError, UnavailableError


def drawn(batch: pa.RecordBatch, width: int | None = None) -> list[str]:
    stream = BatchStream(batch.schema, iter([batch]))
    return b"".join(table_chunks(stream, width=width)).decode().splitlines()


def test_wide_characters_take_two_cells() -> None:
    batch = pa.RecordBatch.from_pydict({"名": ["日本", "é"], "n": [1, 10]})
    assert drawn(batch) == ["名     n", "日本   1", "é     10", "2 rows"]


def test_geometries_are_shown_as_text() -> None:
    """One that is none, as another engine may have stored it, is shown as the bytes it is."""
    shapes = geometry.array([geometry.point(1, 2.5), None, b"x"])
    batch = pa.RecordBatch.from_arrays([shapes], schema=pa.schema([geometry.field("g")]))
    assert drawn(batch)[1:3] == ["POINT (1 2.5)", "NULL"]
    assert "POINT" not in drawn(batch)[3]


def test_values_cannot_steer_the_terminal_or_break_the_line() -> None:
    batch = pa.RecordBatch.from_pydict({"a\nb": ["\x1b[31mred\n", None]})
    assert drawn(batch) == ["a\\nb", "\\x1b[31mred\\n", "NULL", "2 rows"]


def test_a_terminal_cuts_the_widest_columns_first() -> None:
    batch = pa.RecordBatch.from_pydict({"id": [1], "text": ["x" * 50], "more": ["y" * 20]})
    assert drawn(batch, 40) == [
        "id  text              more",
        " 1  xxxxxxxxxxxxxxx…  yyyyyyyyyyyyyyy…",
        "1 row",
    ]
    assert drawn(batch)[1] == f" 1  {'x' * 50}  {'y' * 20}"
    assert fitted([4, 100, 9, 100], 10) == [4, 8, 8, 8]
    assert fitted([4, 5], 100) == [4, 5]


def test_later_rows_keep_the_widths_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "MEASURED_ROWS", 1)
    batch = pa.RecordBatch.from_pydict({"a": ["x", "longer"], "b": [1, 2]})
    assert drawn(batch) == ["a  b", "x  1", "longer  2", "2 rows"]


def test_rows_without_columns_are_counted() -> None:
    assert drawn(pa.RecordBatch.from_pydict({"a": [1, 2]}).select([])) == ["", "", "2 rows"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, None),
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (123_456, "123 kB"),
        (999_600, "1.0 MB"),
        (5_400_000_000, "5.4 GB"),
        (10**18, "1000 PB"),
    ],
)
def test_sizes_have_about_three_digits(count: int | None, text: str | None) -> None:
    assert size_text(count) == text


def test_nouns_agree_with_their_number() -> None:
    assert [counted(n, "row") for n in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_waits_a_second_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    moments = iter((0.0, 0.5, 1.2, 1.2, 1.3, 2.0, 2.0))
    with counting("loading s.t", lambda: next(moments)) as tell:
        for number in (10, 2_000, 3_000, 4_000):
            tell(number, 0 if number < 4_000 else 5_600_000)
    assert terminal.getvalue() == (
        "\r\x1b[2Kloading s.t: 2,000 rows\r\x1b[2Kloading s.t: 4,000 rows, 5.6 MB sent\r\x1b[2K"
    )


def test_progress_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with counting("loading s.t", lambda: 100.0) as tell:
        tell(1, 1)
    assert capsys.readouterr().err == ""


def test_progress_is_silent_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with counting("loading s.t", lambda: 100.0, is_shown=False) as tell:
        tell(1, 1)
    assert terminal.getvalue() == ""


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"begun"
        raise NotFoundError("gone")

    target = tmp_path / "out"
    with pytest.raises(NotFoundError):
        pour((chunk for chunk in chunks()), target)
    assert list(tmp_path.iterdir()) == []
    pour((chunk for chunk in [b"a", b"b"]), target)
    assert target.read_bytes() == b"ab"
    with pytest.raises(UnavailableError, match="cannot be written"):
        pour((chunk for chunk in [b"a"]), tmp_path / "nowhere" / "out")
