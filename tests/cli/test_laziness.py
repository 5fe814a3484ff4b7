from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "pyarrow",
    "duckdb",
    "pyiceberg",
    "sqlglot",
    "pyspark",
    "sqlalchemy",
    "numpy",
    "requests",
    "jinja2",
}


def loaded_by(*arguments: str, folder: Path) -> set[str]:
    """The top-level modules that one command line loads."""
    program = (
        "import json, sys; from lakeport.cli.main import run; run(sys.argv[1:]); "
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("config", "--json"), ("init", "new", "--json")]
)
def test_light_commands_load_no_heavy_library(arguments: tuple[str, ...], tmp_path: Path) -> None:
    loaded = loaded_by(*arguments, folder=tmp_path)
    assert loaded & HEAVY == set()
    assert "rich" not in loaded


@pytest.mark.parametrize("command", ["tables", "show", "history", "read", "load"])
def test_help_opens_no_lake(command: str, tmp_path: Path) -> None:
    loaded = loaded_by(command, "--help", folder=tmp_path)
    assert loaded & {"duckdb", "pyiceberg", "sqlalchemy", "sqlglot", "pyspark"} == set()


def test_text_needs_rich_and_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_by("config", folder=tmp_path)
    assert loaded & HEAVY == set()
    assert "rich" in loaded
