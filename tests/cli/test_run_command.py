"""`lakeport run`: what is refused before Spark is asked for anything, and how a run reads."""

from __future__ import annotations

import io
import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from lakeport.cli.output.live import Board, Lines
from lakeport.cli.output.run import show_run
from lakeport.cli.output.text import Page
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from lakeport.pipeline.growth import Field, plan_growth
from lakeport.pipeline.growth.model import LONG, STRING
from lakeport.pipeline.running.events import (
    ModelBegan,
    ModelEnded,
    ModelReached,
    ModelWaits,
    RunBegan,
    Stopping,
)
from lakeport.pipeline.running.result import ModelResult, RunResult
from lakeport.pipeline.writing import Outcome as Written
from lakeport.pipeline.writing import Point, Progress
from tests.cli.conftest import Run

SECOND = 1_000_000_000


def model_file(folder: Path, name: str, text: str) -> None:
    file = folder / "models" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_problems_are_told_with_file_and_line_and_exit_code_2(
    lakeport: Run, tmp_path: Path
) -> None:
    (tmp_path / "lakeport.toml").write_text("")
    model_file(tmp_path, "t/a.sql", "SELECT 1 AS id\nFROM raw.missing\n")
    model_file(tmp_path, "t/b.sql", "/* lakeport\nmaterialised = 'table'\n*/\nSELECT 1 AS id\n")
    done = lakeport("run")
    assert done.code == 2
    assert "models/t/a.sql:2:6: there is no table `raw.missing`" in done.err
    assert "models/t/b.sql:2" in done.err
    assert "`materialized`" in done.err
    told = json.loads(lakeport("run", "--json").out)
    assert {each["path"] for each in told["error"]["problems"]} == {
        "models/t/a.sql",
        "models/t/b.sql",
    }


def test_a_folder_without_a_project_is_told_so(lakeport: Run) -> None:
    done = lakeport("run")
    assert done.code == 1
    assert "`lakeport init` makes a project" in done.err


def test_a_catalog_that_does_not_answer_is_exit_code_3_with_its_address(
    lakeport: Run, tmp_path: Path
) -> None:
    with socket.socket() as nobody:  # bound, so that nobody else answers there, but nobody listens
        nobody.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{nobody.getsockname()[1]}/iceberg"
        (tmp_path / "lakeport.toml").write_text(f'[catalog]\nuri = "{uri}"\n')
        model_file(tmp_path, "t/a.sql", "SELECT 1 AS id\n")
        done = lakeport("run", "--set", "pipeline.java_home=/nowhere")
    assert done.code == 3
    assert uri in done.err


def test_words_that_contradict_each_other(lakeport: Run, tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text("")
    model_file(tmp_path, "t/a.sql", "SELECT 1 AS id\n")
    done = lakeport("run", "--retry", "--select", "a")
    assert done.code == 2
    assert "leave them out, or run without --retry" in done.err
    assert "there was no run yet" in lakeport("run", "--retry").err
    assert lakeport("run", "--from", "2026-02-01", "--to", "2026-01-01").code == 2
    assert "did you mean" in lakeport("run", "--select", "t.b").err
    assert lakeport("run", "--jobs", "0").code == 2


# -- as text -------------------------------------------------------------------------------------


def result_of(name: str, status: str, **more: object) -> ModelResult:
    table = TableName.parse(name)
    assert table is not None
    facts = {"started_ns": 0, "ended_ns": 1_500_000_000, **more}
    path = f"models/{name.replace('.', '/')}.sql"
    return ModelResult(table, table, path, "incremental", status, **facts)  # type: ignore[arg-type]


def written(name: str, rows: int, **more: object) -> Written:
    table = TableName.parse(name)
    assert table is not None
    return Written(table, name, "r", "append", rows, 7, 3, **more)  # type: ignore[arg-type]


GROWN = plan_growth(
    (Field("id", LONG), Field("region", STRING)), (Field("id", LONG), Field("note", STRING))
)
RESULT = RunResult(
    "3f2c",
    "failed",
    None,
    "direct",
    0,
    9 * SECOND,
    (
        result_of(
            "t.a", "succeeded", strategy="append", outcome=written("t.a", 1200, created=True)
        ),
        result_of("t.b", "succeeded", strategy="merge", outcome=written("t.b", 30, growth=GROWN)),
        result_of("t.c", "failed", error=InvalidRequestError("models/t/c.sql:2:1: no", hint="yes")),
        result_of("t.d", "blocked", blocked_by=TableName("t", "c"), started_ns=None),
    ),
)


def test_a_run_as_a_person_reads_it() -> None:
    page = io.StringIO()
    show_run(RESULT, Page(page))
    assert page.getvalue() == (
        "model  result    rows  time\n"
        "t.a    created  1,200  1.5 s\n"
        "t.b    merged      30  1.5 s  + note string; keeps region, NULL in new rows\n"
        "t.c    failed          1.5 s\n"
        "t.d    blocked                t.c failed\n"
        "\n"
        "error: t.c: models/t/c.sql:2:1: no\n"
        "hint: yes\n"
        "\n"
        "4 models: 2 done, 1 failed, 1 blocked; 1,230 rows in 9.0 s  run 3f2c\n"
        "hint: `lakeport run --retry` goes on with what is left\n"
    )


@pytest.mark.parametrize("status", ["failed", "stopped"])
def test_the_way_on_is_that_of_the_environment(status: Literal["failed", "stopped"]) -> None:
    page = io.StringIO()
    show_run(replace(RESULT, status=status, environment="dev"), Page(page))
    assert page.getvalue().endswith(
        "hint: `lakeport run --env dev --retry` goes on with what is left\n"
    )


def test_a_run_as_a_program_reads_it_is_complete() -> None:
    told = RESULT.as_dict()
    assert told["status"] == "failed"
    models = told["models"]
    assert isinstance(models, list)
    assert models[0]["rows"] == 1200
    assert models[2]["error"] == {
        "code": "invalid_request",
        "message": "models/t/c.sql:2:1: no",
        "hint": "yes",
    }
    assert models[3]["blocked_by"] == "t.c"


A = TableName("t", "a")
EVENTS = (
    RunBegan("3f2c", (A, TableName("t", "b")), "direct", 2, resumed=False),
    ModelBegan(A),
    ModelWaits(A, A, "run 1, process 2 on host"),
    ModelReached(A, Progress(Point.STAGED, A, "3f2c")),
)


def test_a_log_gets_a_line_for_each_model() -> None:
    log = io.StringIO()
    lines = Lines(log)
    for event in (*EVENTS, ModelEnded(RESULT.models[0]), Stopping()):
        lines(event)
    assert log.getvalue() == (
        "t.a waits: t.a is written by run 1, process 2 on host\n"
        "1/2 t.a succeeded, 1,200 rows in 1.5 s\n"
        "stopping; press Ctrl-C again to end at once\n"
    )


def test_a_terminal_shows_what_runs_now() -> None:
    now = 10.0
    board = Board(lambda: now)
    for event in EVENTS:
        board(event)
    now = 12.5
    console = Console(file=io.StringIO(), width=80)
    with console.capture() as shown:
        console.print(board)
    assert "0 of 2 models" in shown.get()
    assert "t.a  checking rows  2.5 s" in shown.get()
    board(ModelEnded(RESULT.models[2]))
    with console.capture() as shown:
        console.print(board)
    assert "1 of 2 models, 1 failed" in shown.get()
