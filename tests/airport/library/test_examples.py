"""The examples are programs: each prints what its first lines say it prints."""

from __future__ import annotations

import ast
import re
import runpy
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "airport"
NAMES = (
    *("basic", "auth", "tls", "ddl", "dml", "dynamic"),
    *("functions", "filter", "geometry", "multicatalog", "tableref", "timetravel"),
)
BASIC_LINES = 30


def promised(file: Path) -> str:
    """The indented lines of its docstring."""
    told = ast.get_docstring(ast.parse(file.read_text())) or ""
    return textwrap.dedent(told.partition("\n\n")[2]).strip()


@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_what_it_promises(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = EXAMPLES / f"{name}.py"
    runpy.run_path(str(file), run_name="__main__")
    printed = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", capsys.readouterr().out)
    assert printed.strip() == promised(file)


def test_the_basic_server_has_thirty_lines() -> None:
    _, _, code = (EXAMPLES / "basic.py").read_text().partition("annotations\n")
    assert len([line for line in code.splitlines() if line.strip()]) <= BASIC_LINES


def test_every_example_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NAMES)


def test_the_guide_shows_the_basic_server_and_its_output() -> None:
    guide = (ROOT / "docs" / "guides" / "library.md").read_text()
    _, _, code = (EXAMPLES / "basic.py").read_text().partition("annotations\n\n")
    assert f"```python\n# examples/airport/basic.py\n{code}```" in guide
    assert f"$ python examples/airport/basic.py\n{promised(EXAMPLES / 'basic.py')}\n```" in guide


def test_the_table_of_parity_points_to_what_is_there() -> None:
    page = (ROOT / "docs" / "reference" / "parity.md").read_text()
    named = set(re.findall(r"`([a-z_/]+/[a-z0-9_]+\.py)`", page))
    assert len(named) > 40
    places = (ROOT, ROOT / "src" / "lakeport")
    assert not {name for name in named if not any((place / name).exists() for place in places)}
    rows = re.findall(r"^\| (\d+) \| .* \| [●◐○]", page, re.MULTILINE)
    assert [int(number) for number in rows] == list(range(1, 59))
