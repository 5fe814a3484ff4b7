from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


def loaded_by(*lines: tuple[str, ...], folder: Path) -> set[str]:
    """The top-level modules that command lines load, one after the other in one new process."""
    program = (
        "import json, sys; from lakeport.cli.main import run\n"
        "for line in json.loads(sys.argv[1]): run(line)\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(lines)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_light_commands_load_no_heavy_library(tmp_path: Path) -> None:
    lines = (("--version",), ("--help",), ("config", "--json"), ("init", "new", "--json"))
    loaded = loaded_by(*lines, folder=tmp_path)
    assert loaded & HEAVY == set()
    assert "rich" not in loaded


def test_help_opens_no_lake(tmp_path: Path) -> None:
    lines = ((command, "--help") for command in ("tables", "show", "history", "read", "load"))
    loaded = loaded_by(*lines, folder=tmp_path)
    assert loaded & {"duckdb", "pyiceberg", "sqlalchemy", "sqlglot", "pyspark"} == set()


def test_loading_reads_no_project_that_declares_no_sources(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").touch()
    (tmp_path / "ships.csv").write_text("name\nCalypso\n")
    loaded = loaded_by(("load", "raw.ships", "ships.csv", "--json"), folder=tmp_path)
    assert "pyiceberg" in loaded
    assert loaded & {"sqlglot", "jinja2", "pyspark"} == set()


def test_text_needs_rich_and_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_by(("config",), folder=tmp_path)
    assert loaded & HEAVY == set()
    assert "rich" in loaded


def test_garbage_is_not_looked_for_when_a_command_has_ended(tmp_path: Path) -> None:
    program = (
        "import atexit, gc, sys; from lakeport.cli.main import main\n"
        "@atexit.register\n"
        "def tell(): print(gc.get_freeze_count() > len(gc.get_objects()), file=sys.stderr)\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "config", "--json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stderr == "True\n"


def test_the_package_itself_can_be_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lakeport", "nonsense"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr.partition("\n")[0]) == (
        2,
        "error: no such command 'nonsense'",
    )
