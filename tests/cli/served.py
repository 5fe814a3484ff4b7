"""`lakeport serve` as a process of its own, and what a client needs to reach it."""

from __future__ import annotations

import http.client
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")

PROGRAM = str(Path(sys.executable).with_name("lakeport"))


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[bytes]
    grpc: str
    http: str

    def client(self) -> Any:
        return fl.FlightClient(self.grpc)

    def get(self, path: str, token: str | None = None) -> tuple[int, str]:
        """Status and body."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        connection = http.client.HTTPConnection(self.http.removeprefix("http://"), timeout=30)
        with closing(connection):
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, bytes, bytes]:
        """Exit code and the rest of what it said."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder)}


def lakeport(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        check=False,
        cwd=folder,
        env=environment(folder),
    )


@contextmanager
def serve(folder: Path, *arguments: str) -> Iterator[Served]:
    """Ready when it says so; ended by force if a test did not end it."""
    ports = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
    process = subprocess.Popen(
        [PROGRAM, "serve", *ports, "--json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(folder),
    )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.communicate()
            event = json.loads(line)
            assert event.keys() == {"event", "grpc", "http", "iceberg", "engines"}
            assert event["event"] == "ready"
            yield Served(process, event["grpc"], event["http"])
        finally:
            process.kill()
