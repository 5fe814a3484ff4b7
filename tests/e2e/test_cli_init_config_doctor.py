"""The installed program as a user runs it, whole outputs compared."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("lakeport")


def lakeport(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**clean, **variables},
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    done = lakeport("init", "shop", "--example", "shop", folder=tmp_path)
    assert done.returncode == 0
    return tmp_path / "shop"


def test_version(tmp_path: Path) -> None:
    version = importlib.metadata.version("lakeport")
    assert lakeport("--version", folder=tmp_path).stdout == f"lakeport {version}\n"
    shown = lakeport("--version", "--json", folder=tmp_path)
    assert json.loads(shown.stdout) == {"version": version}


def test_init_text(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").touch()
    done = lakeport("init", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"made a project in {tmp_path}\n"
        "  README.md\n"
        "  lakeport.toml\n"
        "  models/demo/greetings.sql\n"
        "  .gitignore (was there, kept)\n"
        "add .lakeport/ to .gitignore: data and state of the embedded catalog live there\n"
        f"next: lakeport doctor --project {tmp_path}\n"
    )


def test_init_json(tmp_path: Path) -> None:
    done = lakeport("init", "new", "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "folder": str(tmp_path / "new"),
        "example": None,
        "written": [".gitignore", "README.md", "lakeport.toml", "models/demo/greetings.sql"],
        "kept": [],
        "loose": [],
    }


def test_init_refuses_a_second_time(project: Path) -> None:
    done = lakeport("init", folder=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"error: {project} is a project already: it has a lakeport.toml\n"
        "hint: name another folder: lakeport init DIR\n"
    )


CONFIG = """\
setting                          value                                      from
catalog.name                     "lake"                                     lakeport.toml:4
catalog.type                     "sql"                                      catalog.uri
catalog.uri                      "postgresql://me:***@db.example.com/lake"  LAKEPORT_CATALOG_URI
catalog.warehouse                "s3://bucket/lake"                         command line
catalog.max_staleness            not set                                    default
catalog.refresh_seconds          5.0                                        default
catalog.durable                  false                                      default
catalog.properties.s3.region     "eu-central-1"                             LAKEPORT_CATALOG_S3__REGION
pipeline.parameters.loyal_after  3                                          lakeport.toml:13
log.level                        "error"                                    command line
log.format                       "text"                                     default
"""


def test_config_shows_values_and_sources(project: Path) -> None:
    done = lakeport(
        *("config", "catalog", "pipeline.parameters", "log", "--log-level", "error"),
        *("--set", "catalog.warehouse=s3://bucket/lake"),
        folder=project / "models",
        LAKEPORT_CATALOG_URI="postgresql://me:hidden@db.example.com/lake",
        LAKEPORT_CATALOG_S3__REGION="eu-central-1",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == CONFIG


def squeezed(table: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in table.splitlines()]


def test_config_json(project: Path) -> None:
    done = lakeport("config", "log", "--json", folder=project, LAKEPORT_LOG_LEVEL="info")
    assert json.loads(done.stdout) == {
        "project": str(project),
        "settings": [
            {
                "name": "log.level",
                "value": "info",
                "source": {"kind": "environment", "where": "LAKEPORT_LOG_LEVEL"},
            },
            {
                "name": "log.format",
                "value": "text",
                "source": {"kind": "default", "where": "default"},
            },
        ],
    }


def test_a_broken_file_stops_every_command_that_reads_it(project: Path) -> None:
    (project / "lakeport.toml").write_text("[server]\ngrcp = 1\n")
    for command in ("config", "doctor"):
        done = lakeport(command, folder=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "error: lakeport.toml:2: there is no setting `server.grcp`\n"
            "hint: did you mean `server.grpc`?\n"
        )


PORTS = ("--set", "server.grpc=127.0.0.1:0", "--set", "server.http=127.0.0.1:0")
CONNECT = ("--set", "pipeline.spark.connect=sc://h:15002")


def pyspark_line() -> tuple[str, str]:
    try:
        return "ok", importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        return "warn", "not installed: serving works, running models does not"


def test_doctor_text(project: Path) -> None:
    done = lakeport("doctor", *PORTS, *CONNECT, folder=project)
    assert (done.returncode, done.stderr) == (0, "")
    state, found = pyspark_line()
    table, *rest = done.stdout.split("\n\n")
    assert squeezed(re.sub(r"[\d,]+\.\d GiB", "N GiB", table)) == [
        ["check", "state", "found"],
        ["project", "ok", str(project)],
        ["python", "ok", f"CPython {platform.python_version()}"],
        ["java", "ok", "not needed here: Spark runs at sc://h:15002"],
        ["pyspark", state, found],
        ["spark jar", "ok", "not needed here: Spark runs at sc://h:15002"],
        ["grpc port", "ok", "127.0.0.1:0: any free one"],
        ["http port", "ok", "127.0.0.1:0: any free one"],
        ["catalog", "ok", "embedded, empty: the first write creates its tables"],
        ["warehouse", "ok", f"{project}/.lakeport/warehouse: the first write creates it"],
        ["disk", "ok", "N GiB free"],
    ]
    warned = [
        'for      do this\npyspark  pip install "lakeport[spark]" (pyspark 4.1.x)',
        "10 checks: 9 ok, 1 warn\n",
    ]
    assert rest == (warned if state == "warn" else ["10 checks: 10 ok\n"])


def test_doctor_exits_1_when_something_fails(project: Path) -> None:
    done = lakeport(
        "doctor", *PORTS, "--set", "catalog.warehouse=/proc/x", "--json", folder=project
    )
    assert done.returncode == 1
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["warehouse"]["state"] == "fail"
    assert checks["warehouse"]["remedy"] == (
        "give this user the right to write there, or set `catalog.warehouse`"
    )
    assert all(set(check) == {"name", "state", "found", "remedy"} for check in checks.values())


def test_piped_output_has_no_control_codes(project: Path) -> None:
    for arguments in (("doctor", *PORTS), ("config",), ("--help",), ("config", "nothing")):
        done = lakeport(*arguments, folder=project, TERM="xterm-256color")
        assert "\x1b" not in done.stdout + done.stderr
        assert not set("│╭╮╰╯─") & set(done.stdout + done.stderr)
