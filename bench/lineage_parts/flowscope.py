"""FlowScope's WASM package in a process of its own, which is asked for a round whenever it is its turn.

A neighbour on the machine slows down whoever runs beside it: what are set against each other take turns.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from bench.lineage_parts import retail
from bench.lineage_parts.clock import FEW
from bench.lineage_parts.peers import CACHE, Measured, failed

if TYPE_CHECKING:
    from types import TracebackType

VERSION = "@pondpilot/flowscope-core@0.3.1"
# As its package is called, objects in and out; and the function inside, which takes and gives JSON.
Way: TypeAlias = Literal["objects", "text"]
Texts: TypeAlias = Literal["queries", "workload"]


class FlowScope:
    """The least seconds of its rounds so far; where it cannot be run, the reason in their place."""

    def __init__(self, queries: list[str], statements: list[str]) -> None:
        self._best: dict[tuple[Way, Texts], list[float]] = {}
        self._process: subprocess.Popen[str] | None = None
        package, self._skipped = _installed()
        if self._skipped is None:
            program = Path(__file__).with_name("flowscope.mjs")
            self._process = subprocess.Popen(
                ["node", str(program), str(package)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            schema = retail.schema()
            self._say(
                {
                    "queries": [_request(sql, schema) for sql in queries],
                    "workload": _request(";\n".join(statements), None),
                    "few": FEW,
                }
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.communicate()

    def turn(self, what: Texts) -> None:
        """One round of each way over the queries or the workload."""
        for way in ("objects", "text"):
            self._round(way, what)

    def _round(self, way: Way, what: Texts) -> None:
        if self._process is None or self._process.stdout is None:
            return
        self._say({"way": way, "what": what})
        answer = self._process.stdout.readline()
        if not answer:
            self._skipped = f"it ended with exit code {self._process.wait()}"
            self._process = None
            return
        used: list[float] = json.loads(answer)
        before = self._best.get((way, what), used)
        self._best[way, what] = list(map(min, before, used))

    def measured(self, way: Way) -> Measured:
        """The least of every few requests, added up."""
        if self._skipped is not None:
            return Measured(skipped=self._skipped)
        queries, workload = (self._best.get((way, what), [0.0]) for what in ("queries", "workload"))
        return Measured(sum(queries), sum(workload))

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process is not None  # noqa: S101 - the callers have looked
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def _installed() -> tuple[Path, str | None]:
    """The package's folder, and why it is not there if it is not."""
    folder = CACHE / "flowscope"
    package = folder / "node_modules" / "@pondpilot" / "flowscope-core"
    if shutil.which("node") is None or shutil.which("npm") is None:
        return package, "node and npm are not installed"
    if not package.exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--silent", "--no-audit", "--no-fund"]
        reason = failed(["npm", "install", *quiet, "--prefix", str(folder), VERSION])
        if reason:
            return package, f"npm could not install it: {reason}"
    return package, None


def _request(sql: str, schema: dict[str, Any] | None) -> dict[str, Any]:
    # FlowScope 0.3 calls Spark's dialect by its other name.
    return {"sql": sql, "dialect": "databricks", **({"schema": schema} if schema else {})}
