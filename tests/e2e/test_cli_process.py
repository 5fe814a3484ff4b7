"""How the process behaves: pipes, interrupts, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("lakeport")


def environment(folder: Path, **variables: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), **variables}


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_left_is_no_failure(tmp_path: Path, options: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [PROGRAM, "config", *options],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
            cwd=tmp_path,
            env=environment(tmp_path),
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_a_character_shows_its_number(tmp_path: Path) -> None:
    def shown(*options: str) -> bytes:
        done = subprocess.run(
            [PROGRAM, "config", "catalog.name", "--set", "catalog.name=日", *options],
            capture_output=True,
            check=True,
            cwd=tmp_path,
            env=environment(tmp_path, PYTHONIOENCODING="ascii"),
        )
        return done.stdout

    assert rb'"\u65e5"' in shown()
    assert "日".encode() in shown("--json")


def test_a_working_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'mkdir gone && cd gone && rmdir ../gone && "{PROGRAM}" config'],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "error: the working folder is gone\nhint: change to a folder that exists\n"
    )


def test_an_interrupt_ends_quietly_with_130(tmp_path: Path) -> None:
    # A Java that answers by interrupting whoever asks: the signal comes at a known moment.
    program = tmp_path / "jdk" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nkill -INT $PPID\nexec cat\n")
    program.chmod(0o755)
    # Whoever runs the tests in the background hands down an ignored SIGINT: take it back first.
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from lakeport.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", start, "doctor"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        env=environment(tmp_path, JAVA_HOME=str(tmp_path / "jdk")),
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("lakeport con", ["config", "conformance"]),
        ("lakeport config --pro", ["--project"]),
        ("lakeport init --example ", ["shop"]),
        ("lakeport --log-format j", ["json"]),
    ],
)
def test_the_shell_completes_commands_options_and_choices(
    tmp_path: Path, typed: str, offered: list[str]
) -> None:
    done = subprocess.run(
        [PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment(
            tmp_path,
            _LAKEPORT_COMPLETE="complete_bash",
            COMP_WORDS=typed,
            COMP_CWORD=str(len(typed.split(" ")) - 1),
        ),
    )
    assert done.stdout.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_and_installed(tmp_path: Path, shell: str) -> None:
    # Detection looks at the process above us, which in a test is no shell; so name it.
    variables = environment(tmp_path, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    shown = subprocess.run(
        [PROGRAM, "--show-completion", shell],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=variables,
    )
    assert "_LAKEPORT_COMPLETE" in shown.stdout
    subprocess.run(
        [PROGRAM, "--install-completion", shell],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env=variables,
    )
    assert any(path.is_file() for path in tmp_path.rglob("*lakeport*"))
