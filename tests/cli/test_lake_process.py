"""The lake's commands as processes of their own: pipes, standard input, the memory they take."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROGRAM = str(Path(sys.executable).with_name("lakeport"))
ROWS = 100_000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one table of 100,000 rows, loaded from Parquet over standard input."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "lakeport.toml").write_text("")
    sink = io.BytesIO()
    table = pa.table({"k": range(ROWS), "text": [f"row number {k}" for k in range(ROWS)]})
    pq.write_table(table, sink)
    done = run(folder, "load", "s.t", "-", "--format", "parquet", stdin=sink.getvalue())
    assert done.stdout == b"loaded 100,000 rows from 1 file, made s.t, now version 1\n"
    return folder


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        check=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )


def test_arrow_and_csv_hold_every_row(project: Path) -> None:
    arrow = run(project, "read", "s.t", "--format", "arrow", "--where", "k >= 75000")
    with pa.ipc.open_stream(arrow.stdout) as reader:
        assert sum(batch.num_rows for batch in reader) == ROWS - 75_000
    assert run(project, "read", "s.t", "--format", "csv").stdout.count(b"\n") == ROWS + 1


@pytest.mark.parametrize("output", ["table", "json", "arrow"])
def test_a_reader_that_leaves_ends_it_quietly(project: Path, output: str) -> None:
    reader, writer = os.pipe()
    started = subprocess.Popen(
        [PROGRAM, "read", "s.t", "--format", output],
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(project)},
    )
    os.close(writer)
    os.read(reader, 10)
    os.close(reader)
    _, said = started.communicate()
    assert (started.returncode, said) == (0, b"")
