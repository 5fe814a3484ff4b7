"""The guide to serving is followed with a real server, and shows what comes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from lakeport.app.settings import load
from tests.cli.served import PROGRAM, environment

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "serve.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
LAST_LINE = "Ctrl-C stops the server.\n"
_END = "-- end of block --\n"


def masked(text: str) -> str:
    """Ports and tokens differ from one run to the next, and so do spaces at the ends of lines."""
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
    return re.sub(r" +$", "", re.sub(r"lp_[\w-]{43}", "TOKEN", text), flags=re.MULTILINE)


class Follower:
    """Does what the guide says, in the order of the guide, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        inherited = environment(folder)
        path = os.pathsep.join([str(Path(PROGRAM).parent), inherited.get("PATH", "")])
        self.environment = {**inherited, "PATH": path, "COLUMNS": "200"}
        self.places: dict[str, str] = {}
        self.printed: list[str] = []
        self.servers: list[subprocess.Popen[str]] = []

    def here(self, text: str) -> str:
        """The guide's ports as those of the server that runs."""
        for guides, ours in self.places.items():
            text = text.replace(guides, ours)
        return text

    def console(self, text: str) -> None:
        for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = piece.partition("\n")
            word, _, rest = command.partition(" ")
            if word == "cd":
                self.folder /= rest
                continue
            shown = self.done(command)
            if not command.startswith("lakeport init"):
                assert masked(shown) == masked(expected), command

    def done(self, command: str) -> str:
        if command == "lakeport serve":
            return self.serve()
        fetched = re.fullmatch(r"curl -s (http://\S+)", command)
        if fetched is None:
            return self.run(command)
        with urlopen(self.here(fetched[1])) as answer:  # noqa: S310  not every machine has curl
            return f"{answer.read().decode()}\n"

    def run(self, command: str) -> str:
        done = subprocess.run(  # noqa: S602  a line of our own guide
            self.here(command),
            shell=True,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        return done.stdout

    def serve(self) -> str:
        ports = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
        server = subprocess.Popen(
            [PROGRAM, "serve", *ports],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.servers.append(server)
        assert server.stdout is not None
        said = ""
        for line in server.stdout:
            said += line
            if line == LAST_LINE:
                break
        ports_found = re.findall(r"127\.0\.0\.1:\d+", said)
        self.places = dict(zip(("127.0.0.1:8815", "127.0.0.1:8181"), ports_found, strict=False))
        return said

    def python(self, code: list[str]) -> list[str]:
        """What each block prints, when they run one after the other in one process."""
        done = subprocess.run(
            [
                sys.executable,
                "-W",
                "error",
                "-c",
                "\n".join(f"{self.here(one)}\nprint({_END!r}, end='')" for one in code),
            ],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.stdout.split(_END)[:-1]


@contextmanager
def following(folder: Path) -> Iterator[Follower]:
    follower = Follower(folder)
    try:
        yield follower
    finally:
        for server in follower.servers:
            server.terminate()
            with server:
                server.communicate(timeout=60)


def test_the_guide_shows_what_comes(tmp_path: Path) -> None:
    code = [text for language, text in BLOCKS if language == "python"]
    outputs = [text for language, text in BLOCKS if language == "text"]
    consoles = [text for language, text in BLOCKS if language == "console"]
    # The first token ends what needs none: whatever is below it in the guide is no call.
    before = [text for text in consoles if "$ lakeport token" not in text]
    with following(tmp_path) as follower:
        for text in before:
            follower.console(text)
        assert follower.python(code) == outputs
        for text in consoles:
            if text not in before:
                follower.console(text)
    assert len(code) == 3
    assert all(server.returncode == 0 for server in follower.servers)


def test_its_settings_are_settings(tmp_path: Path) -> None:
    examples = [text for language, text in BLOCKS if language == "toml"]
    for number, text in enumerate(examples):
        project = tmp_path / str(number)
        project.mkdir()
        (project / "lakeport.toml").write_text(text)
        settings = load(project=project, variables={})
        assert settings.sources
    assert len(examples) == 3
