"""TOML with the lines of its keys and of the elements of its lists."""

from __future__ import annotations

import pytest

from lakeport.core.toml import TomlError, read


def test_keys_have_lines_that_count_from_where_the_text_begins() -> None:
    text = """a = 1
b = [
  1,
]

[c.d]
e = { f = 2 }
"""
    document = read(text, first=10)
    assert [document.line(*key) for key in (("a",), ("b",), ("c", "d"), ("c", "d", "e", "f"))] == [
        10,
        11,
        15,
        16,
    ]
    assert document.line("c", "d", "unknown") == 15
    assert document.line("unknown") == 10


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = [{a = 1}, {a = 2}]", [1, 1]),
        ("x = [\n  {a = 1},\n  {a = 2}, {a = 3},\n]", [2, 3, 3]),
        ('x = [\n  {a = ["b",\n    "c"]},\n  {a = 2},\n]', [2, 4]),
        ('x = [\n  {a = """one\ntwo"""},\n  {a = 2},\n]', [2, 4]),
        ("[[x]]\na = 1\n\n[[x]]\na = 2", [1, 4]),
        ("x = [\n  # words\n\n  3,\n]", [1]),
        ("x = 3", []),
    ],
)
def test_elements_of_a_list_have_lines(text: str, lines: list[int]) -> None:
    assert read(text).items("x") == lines


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a = 1\nb = \n", 2, 5), ("a = [1,\n2", 2, None), ("a = 1\na = 2", 2, None)],
)
def test_what_is_no_toml_has_a_place(text: str, line: int, column: int | None) -> None:
    with pytest.raises(TomlError) as caught:
        read(text)
    assert (caught.value.line, caught.value.column) == (line, column)
