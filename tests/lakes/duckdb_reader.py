"""Asks DuckDB's Iceberg reader for rows, and survives it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

_ROOT = Path(__file__).parents[2]


class RefusedError(Exception):
    """DuckDB cannot read this table; the message is its own."""


class DuckDBReader:
    def __init__(self, folder: Path) -> None:
        self._out = folder / "answer.arrow"
        self._process: subprocess.Popen[str] | None = None

    def rows(
        self,
        metadata_location: str,
        columns: str = "*",
        where: str = "TRUE",
        snapshot_id: int | None = None,
    ) -> pa.Table:
        point = "" if snapshot_id is None else f", snapshot_from_id => {snapshot_id}"
        sql = f"SELECT {columns} FROM iceberg_scan('{metadata_location}'{point}) WHERE {where}"
        answer = self._ask(json.dumps({"sql": sql, "out": str(self._out)}))
        if answer != "ok":
            raise RefusedError(answer or "crashed")
        with pa.OSFile(str(self._out), "rb") as source:
            return pa.ipc.open_file(source).read_all()

    def _ask(self, request: str) -> str:
        process = self._started()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the worker was started without pipes")
        process.stdin.write(request + "\n")
        process.stdin.flush()
        answer = process.stdout.readline().strip()
        if not answer:
            self.close()
        return answer

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.lakes.duckdb_worker"],
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with process:  # closes the pipes, which ends the worker, and waits
                pass
