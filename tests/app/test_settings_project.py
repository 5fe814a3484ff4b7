from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from lakeport.app.settings import load
from lakeport.app.settings.project import find, read

BROKEN_OVER_LINES = [
    '"""\n# no comment\n[no.table]\nx = 1\n"""',
    "[\n  1, # one\n\n  2,\n]",
    "'''\na\n'''",
]
values = st.sampled_from(['"text"', "1", "[1, 2]", "{ inner = 1 }", *BROKEN_OVER_LINES])
fillers = st.sampled_from(["", "\n", "# a comment\n", "  # [not.a.table]\n\n"])
tables = st.lists(
    st.tuples(fillers, st.lists(st.tuples(fillers, values), max_size=4)), min_size=1, max_size=4
)


@examples(derandomize=True, deadline=None)
@given(tables)
def test_each_key_is_placed_on_the_line_it_starts_on(
    tmp_path_factory: pytest.TempPathFactory, document: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    text, expected = "", {}

    def place(path: tuple[str, ...], filler: str, statement: str) -> None:
        nonlocal text
        text += filler
        expected[path] = f"lakeport.toml:{text.count(chr(10)) + 1}"
        text += statement + "\n"

    for index, (before_table, keys) in enumerate(document):
        table = ("section", f"t{index}")
        place(table, before_table, f"[section.t{index}]")
        for number, (before, value) in enumerate(keys):
            place((*table, f"k{number}"), before, f"k{number} = {value}")
    tomllib.loads(text)
    path = tmp_path_factory.mktemp("project") / "lakeport.toml"
    path.write_text(text)
    written = read(path)
    assert {key: written.place(key) for key in expected} == expected


def test_quoted_dotted_and_inline_keys_are_placed(tmp_path: Path) -> None:
    path = tmp_path / "lakeport.toml"
    path.write_text('a."b.c".d = 1\nx = { y = { z = 1 } }\n[[list.of]]\nk = 1\n')
    written = read(path)
    assert written.place(("a", "b.c", "d")) == "lakeport.toml:1"
    assert written.place(("x", "y", "z")) == "lakeport.toml:2"
    assert written.place(("list", "of", "k")) == "lakeport.toml:4"
    assert written.place(("never",)) == "lakeport.toml"


def test_line_ends_of_windows_do_not_move_lines(tmp_path: Path) -> None:
    path = tmp_path / "lakeport.toml"
    path.write_bytes(b"[log]\r\n# c\r\nlevel = 'info'\r\n")
    assert read(path).place(("log", "level")) == "lakeport.toml:3"


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lakeport.toml"
    path.write_text("log.level = 'info'\n", encoding="utf-8-sig")
    assert read(path).values == {"log": {"level": "info"}}


def test_the_project_is_found_upward(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "lakeport.toml").touch()
    assert find(inner) == tmp_path / "lakeport.toml"
    (tmp_path / "a" / "lakeport.toml").touch()
    assert find(inner) == tmp_path / "a" / "lakeport.toml"


def test_a_named_project_wins_over_the_one_around(tmp_path: Path) -> None:
    for name in ("here", "there", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lakeport.toml").touch()
    here, there, elsewhere = (tmp_path / name for name in ("here", "there", "elsewhere"))
    by_variable = {"LAKEPORT_PROJECT": str(there)}
    assert load(folder=here, variables={}).root == here
    assert load(folder=here, variables=by_variable).root == there
    assert load(folder=here, variables=by_variable, project=elsewhere).root == elsewhere
    assert load(folder=here, variables={}, project=there / "lakeport.toml").root == there


def test_without_a_project_the_working_folder_is_the_root(tmp_path: Path) -> None:
    settings = load(folder=tmp_path, variables={})
    assert (settings.file, settings.root) == (None, tmp_path)
