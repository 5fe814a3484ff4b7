"""The other servers of the comparison, in a virtual environment of their own beside the bench's lakes.

They come from the package registry with exact versions and never into the project's environment: Quack is an
extension of DuckDB 1.5.5 (a wheel with the signed file inside; it calls by `httpfs`), ROAPI a program in
a wheel, read with ADBC's Flight SQL driver as its users do.
"""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.flight_parts.programs import Program, running
from bench.iceberg_parts.lake import CACHE

PACKAGES = (
    "duckdb==1.5.5",
    "duckdb-extensions==1.5.5",
    "duckdb-extension-httpfs==1.5.5",
    "duckdb-extension-quack==1.5.5",
    "roapi==0.12.7",
    "adbc-driver-flightsql==1.13.0",
    "adbc-driver-manager==1.13.0",
    "pyarrow==26.0.1",
)
_HOME = CACHE / f"peers-{hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:12]}"
_PYTHON = _HOME / "bin" / "python"
_PROGRAM = Path(__file__).parent / "peer.py"
_START_SECONDS = 60.0


def are_installed() -> bool:
    return (_HOME / "done").exists()


def install() -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(_HOME)], check=True)
    subprocess.run([str(_PYTHON), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    (_HOME / "done").touch()


@contextmanager
def client(kind: str, address: str, *settings: str) -> Iterator[Program]:
    """Reads the whole table once for each line it is given, and answers with the seconds.

    Settings are DuckDB's, for the kinds that copy into it.
    """
    with running(_PYTHON, _PROGRAM, kind, address, *settings) as program:
        yield program


@contextmanager
def quack(paths: list[str]) -> Iterator[str]:
    """Serves a table of DuckDB that lies in memory: nothing is decoded there."""
    address = f"quack:localhost:{_free_port()}"
    with running(_PYTHON, _PROGRAM, "quack server", address, *paths):
        yield address


@contextmanager
def roapi(paths: list[str], *, in_memory: bool) -> Iterator[str]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        port = _free_port()
        _configure(folder, paths, port, in_memory=in_memory)
        log = stack.enter_context((folder / "log").open("w"))
        command = [str(_HOME / "bin" / "roapi"), "-c", str(folder / "roapi.yml")]
        process = stack.enter_context(subprocess.Popen(command, stdout=log, stderr=log))
        stack.callback(process.kill)
        _wait(port, process)
        yield f"grpc://127.0.0.1:{port}"


def _configure(folder: Path, paths: list[str], port: int, *, in_memory: bool) -> None:
    files = folder / "lineitem"
    files.mkdir()
    for path in paths:
        (files / Path(path).name).symlink_to(path)
    (folder / "roapi.yml").write_text(f"""
addr:
  http: 127.0.0.1:{_free_port()}
  postgres: 127.0.0.1:{_free_port()}
  flight_sql: 127.0.0.1:{port}
tables:
  - name: lineitem
    uri: "{files}/"
    option:
      format: parquet
      use_memory_table: {str(in_memory).lower()}
""")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("ROAPI did not start")
