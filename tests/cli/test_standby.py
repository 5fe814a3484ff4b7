"""A command that a process does which has loaded everything already looks like one that was done by itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import pytest

from lakeport.cli.standby.wire import SOCKET

FRONT = (
    "import sys; from lakeport.cli.standby.front import handed_over\n"
    "code = handed_over(sys.argv[1:])\n"
    "assert 'typer' not in sys.modules and 'msgspec' not in sys.modules\n"
    "sys.exit(99 if code is None else code)"
)
BY_ITSELF = 99
PATIENCE = 60.0


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    """Of a short name: those of sockets are."""
    folder = Path(tempfile.mkdtemp(prefix="lakeport-standby-"))
    (folder / "lakeport.toml").touch()
    (folder / "models" / "a").mkdir(parents=True)
    (folder / "models" / "a" / "b.sql").write_text("SELECT 1 AS x")
    (folder / ".lakeport" / "daemon").mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[subprocess.Popen[bytes]]:
    folder = project / ".lakeport" / "daemon"
    line = [sys.executable, "-m", "lakeport.cli.standby.server", str(folder)]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read() == b""  # to its end, when it is ready
        yield process
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    assert not (folder / SOCKET).exists()


def eventually(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def begun(
    project: Path,
    words: tuple[str, ...],
    variables: Mapping[str, str],
    out: IO[bytes] | int = subprocess.PIPE,
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", FRONT, *words],
        cwd=project,
        env={**os.environ, **variables},
        text=True,
        stdout=out,
        stderr=subprocess.PIPE,
    )


def answer(project: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    process = begun(project, words, variables)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def children(process: int) -> list[int]:
    told = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(each) for each in told.split()]


def hears(process: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    (caught,) = [line.split()[1] for line in lines if line.startswith("SigCgt")]
    return bool(int(caught, 16) >> (number - 1) & 1)


@pytest.mark.usefixtures("server")
def test_folder_variables_and_streams_are_those_of_whoever_typed_it(project: Path) -> None:
    code, out, err = answer(project / "models", "plan", "--json")
    assert (code, err) == (0, "")
    assert [model["model"] for model in json.loads(out)["models"]] == ["a.b"]
    code, out, _ = answer(project.parent, "plan", "--project", project.name)
    assert code == 0
    assert "a.b" in out
    code, out, err = answer(project, "plan", LAKEPORT_LOG_LEVEL="loud")
    assert (code, out) == (2, "")
    assert "LAKEPORT_LOG_LEVEL" in err


@pytest.mark.usefixtures("server")
def test_the_exit_code_is_the_commands(project: Path) -> None:
    assert answer(project, "plan", "--check")[0] == 1
    assert answer(project, "plan", "--chekc")[0] == 2


@pytest.mark.usefixtures("server")
def test_who_differs_in_what_cannot_be_handed_over_does_it_by_itself(project: Path) -> None:
    assert answer(project, "plan", PYTHONHASHSEED="7")[0] == BY_ITSELF
    assert answer(project, "plan", "--no-daemon")[0] == BY_ITSELF
    assert answer(project, "tables")[0] == BY_ITSELF
    assert answer(project.parent, "plan")[0] == BY_ITSELF


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_both(
    project: Path, server: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    # It cannot end before somebody reads what it says.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with open(reading, "rb"), open(writing, "wb", buffering=0) as full:  # noqa: PTH123  numbers
        while full.write(b"x" * 4096):
            pass
        os.set_blocking(writing, True)
        with begun(project, ("plan",), {}, full) as process:
            eventually(lambda: children(server.pid) and hears(process.pid, signal.SIGTERM))
            (working,) = children(server.pid)
            process.send_signal(number)
            assert process.wait(PATIENCE) == -number
            eventually(lambda: not children(server.pid))
            assert not Path(f"/proc/{working}").exists()


def test_one_that_is_gone_is_not_missed(project: Path) -> None:
    folder = project / "other" / ".lakeport" / "daemon"
    folder.mkdir(parents=True)
    (project / "other" / "lakeport.toml").touch()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / SOCKET))
    assert answer(project / "other", "plan")[0] == BY_ITSELF
