"""The examples run, and end by saying so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENDS = {
    "tour": "Nothing was lost: every version above can still be read, by any engine that reads Iceberg.",
    "client": "DuckDB attaches to the same port: see docs/guides/serve.md.",
}


@pytest.mark.parametrize("name", sorted(ENDS))
def test_an_example_runs_to_its_end(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"examples.{name}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == ENDS[name]


def test_every_example_is_run() -> None:
    there = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert there == {*ENDS, "shop", "telling"}  # `shop` is `make demo`
