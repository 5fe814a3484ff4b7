"""The guide to other engines is followed with a real server, PyIceberg and DuckDB, and shows what comes."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
from pathlib import Path

import duckdb
import pytest
from duckdb_extensions import import_extension  # type: ignore[import-untyped]  # it has no stubs

from lakeport.app.serve import running
from lakeport.app.settings import load
from lakeport.web.app import build
from tests.cli.served import PROGRAM, environment

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "engines.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
PORTS = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}


def follow(console: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for piece in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, expected = piece.partition("\n")
        words = shlex.split(command)
        if words[0] == "cd":
            monkeypatch.chdir(words[1])
        elif words[0] == "printf":
            Path(words[-1]).write_text(words[1].replace("\\n", "\n"))
        else:
            done = subprocess.run(
                [PROGRAM, *words[1:]],
                capture_output=True,
                text=True,
                check=True,
                env=environment(Path.cwd()),
            )
            if words[1] != "init":
                assert done.stdout == expected


def printed(code: str, names: dict[str, object]) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, names)  # noqa: S102  a block of our own guide
    return said.getvalue()


def rows(sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(config={"threads": 1}) as database:
        for name in ("avro", "httpfs", "iceberg"):
            import_extension(name, con=database)
            database.execute(f"LOAD {name}")
        return database.execute(sql).fetchall()


def test_the_guide_to_other_engines_shows_what_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    outputs: list[str] = []
    (console,) = (text for language, text in BLOCKS if language == "console")
    follow(console, monkeypatch)
    with running(load(flags=PORTS), build) as server:
        for language, text in BLOCKS:
            here = text.replace("http://127.0.0.1:8181", server.http)
            if language == "python":
                outputs.append(printed(here, names))
            elif language == "text":
                assert outputs.pop(0) == text
            elif language == "sql":
                assert rows(here) == [
                    (1, "tea", None),
                    (2, "pot", None),
                    (3, "cup", "from DuckDB"),
                ]
    assert outputs == []


def test_what_the_server_prints_is_what_the_guide_says(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").touch()
    with running(load(project=tmp_path, flags=PORTS), build) as server:
        greeting = server.greeting
        (attachment,) = greeting.attachments()
    text = GUIDE.read_text("utf-8").replace("http://127.0.0.1:8181/iceberg", greeting.iceberg)
    for key, value in attachment.for_spark().items():
        assert f"{key}={value}" in text or "metrics-reporting" in key
    for key, value in attachment.for_trino().items():
        assert f"{key}={value}" in text
