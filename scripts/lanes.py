"""Runs the lanes of `make test`, `make test-long` and `make check` one after the other.

A lane is a few commands under one hard limit: past it the whole process group is killed and the lane
has failed. All lanes run even if one failed, so that one run shows everything; the durations come at
the end. A lane whose outside thing (a browser, a Postgres) is missing is skipped with the reason,
unless LAKEPORT_REQUIRE names that thing: then the skip is a failure.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

Outcome = Literal["passed", "failed", "skipped", "too slow"]


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    commands: tuple[tuple[str, ...], ...]
    limit: float
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    lane: str
    outcome: Outcome
    seconds: float
    reason: str = ""


def _tool(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(BIN / name), *arguments)


def _tests(*arguments: str) -> tuple[str, ...]:
    return _tool("python", "-m", "pytest", "-q", *arguments)


def _shared_tests(*arguments: str, workers: int = 2) -> tuple[str, ...]:
    """For lanes of many independent tests: each worker takes from the others when it is idle."""
    return _tests("-n", str(workers), "--dist", "worksteal", *arguments)


# Of workers whose tests wait for processes of their own: two left a third of two cores idle.
_WAITING = 3


def _heavy_tests(*arguments: str, workers: int = _WAITING) -> tuple[str, ...]:
    """For lanes of fewer and longer ones: the next goes to whoever is free, the longest first.

    `tests/together.py` says which stay together; `load` would give the two longest to one worker.
    """
    return _tests("-n", str(workers), "--dist", "loadgroup", *arguments)


# Each worker of it starts a Spark and a DuckDB: a third costs more than it does.
_ENGINES = 2

# How Iceberg tables are written has lanes of its own, beside reading them.
_WRITING = tuple(
    f"tests/catalog/iceberg/{folder}"
    for folder in ("alter", "change", "commit", "faults", "readback", "upkeep", "write")
)
_READING = ("tests/catalog/iceberg", *(f"--ignore={folder}" for folder in _WRITING))

# The network door and who may come in, and beside it what changes the lake through that door.
_CHANGES = tuple(
    f"tests/airport/{folder}"
    for folder in (
        "crowds",
        "ddl",
        "exchange",
        "kills",
        "malformed",
        "programs",
        "readback",
        "types",
    )
)
_DOORS = (
    *("tests/access", "tests/airport", "tests/flight", "tests/state", "tests/system"),
    *(f"--ignore={folder}" for folder in _CHANGES),
)

# Writing by Spark takes one JVM for each worker; how Spark is started and reached has many of its own.
_SESSION = "tests/spark/session"
_PIPELINE = ("tests/spark", f"--ignore={_SESSION}")

CHECK = Lane(
    "check",
    (
        _tool("ruff", "format", "--check", "--quiet", "."),
        _tool("ruff", "check", "--quiet", "."),
        _tool("mypy", "--no-error-summary"),
        _tool("lint-imports", "--no-logo"),
        _tool("python", "scripts/check_docs.py"),
    ),
    limit=300,
)

LANES: dict[str, tuple[Lane, ...]] = {
    "check": (CHECK,),
    "test": (
        CHECK,
        Lane(
            "unit",
            (
                _shared_tests(
                    "-m",
                    "not long",
                    "tests/core",
                    "tests/catalog",
                    "--ignore=tests/catalog/iceberg",
                    "tests/app",
                    "tests/cli",
                    "tests/pipeline",
                    "tests/test_strategies.py",
                ),
            ),
            540,
        ),
        Lane("lake", (_shared_tests("-m", "not long", *_READING),), 420),
        Lane("writing", (_shared_tests("-m", "not long", *_WRITING),), 540),
        Lane("behaviours", (_shared_tests("-m", "not long", "tests/behaviours"),), 420),
        Lane("airport", (_shared_tests("-m", "not long", *_DOORS),), 360),
        Lane("changes", (_shared_tests("-m", "not long", *_CHANGES, workers=_WAITING),), 540),
        Lane(
            "functions",
            (_shared_tests("-m", "not long", "tests/functions", "tests/conformance"),),
            300,
        ),
        Lane("rest", (_shared_tests("-m", "not long", "tests/rest"),), 300),
        Lane(
            "engines",
            (_heavy_tests("-m", "not long", "tests/engines", workers=_ENGINES),),
            300,
            needs=("spark",),
        ),
        Lane("spark", (_heavy_tests("-m", "not long", *_PIPELINE),), 900, needs=("spark",)),
        Lane("session", (_heavy_tests("-m", "not long", _SESSION),), 240, needs=("spark",)),
        Lane("lineage", (_shared_tests("-m", "not long", "tests/lineage"),), 240),
        Lane(
            "postgres",
            (_shared_tests("-m", "not long", "tests/postgres"),),
            120,
            needs=("postgres",),
        ),
        Lane("e2e", (_heavy_tests("-m", "not long", "tests/house", "tests/e2e"),), 420),
    ),
    "long": (
        Lane(
            "behaviours",
            (
                _shared_tests(
                    "-m",
                    "long",
                    "tests/behaviours",
                    "tests/catalog",
                    "--ignore=tests/catalog/iceberg",
                    "tests/app",
                    "tests/cli",
                    "tests/pipeline",
                ),
            ),
            480,
        ),
        Lane("lake", (_shared_tests("-m", "long", *_READING),), 420),
        Lane("writing", (_shared_tests("-m", "long", *_WRITING),), 480),
        Lane("airport", (_shared_tests("-m", "long", *_DOORS),), 420),
        Lane("changes", (_shared_tests("-m", "long", *_CHANGES, workers=_WAITING),), 720),
        Lane("rest", (_shared_tests("-m", "long", "tests/rest"),), 240),
        Lane(
            "engines",
            (_heavy_tests("-m", "long", "tests/engines", workers=_ENGINES),),
            360,
            needs=("spark",),
        ),
        Lane("spark", (_heavy_tests("-m", "long", *_PIPELINE),), 900, needs=("spark",)),
        Lane("session", (_heavy_tests("-m", "long", _SESSION),), 600, needs=("spark",)),
        Lane("lineage", (_shared_tests("-m", "long", "tests/lineage"),), 360),
    ),
}


def _without_postgres() -> str | None:
    # Debian keeps the server's programs out of the path.
    places = [*os.environ.get("PATH", "").split(os.pathsep), *map(str, _DEBIAN.glob("*/bin"))]
    if any((Path(place) / "initdb").exists() for place in places):
        return None
    return "no initdb found; install a PostgreSQL server"


_DEBIAN = Path("/usr/lib/postgresql")


def _without_spark() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if (home and (Path(home) / "bin" / "java").exists()) or shutil.which("java"):
        return None
    return "no java found; install Java 17"


# What a lane may need from outside: a name for LAKEPORT_REQUIRE and a probe that says why it is missing.
PROBES: dict[str, Callable[[], str | None]] = {
    "postgres": _without_postgres,
    "spark": _without_spark,
}


def run_lanes(
    lanes: Sequence[Lane],
    *,
    required: frozenset[str] = frozenset(),
    probes: Mapping[str, Callable[[], str | None]] = PROBES,
) -> list[Report]:
    return [_run(lane, required, probes) for lane in lanes]


def _run(
    lane: Lane, required: frozenset[str], probes: Mapping[str, Callable[[], str | None]]
) -> Report:
    started = time.monotonic()
    for need in lane.needs:
        reason = probes[need]()
        if reason is not None:
            outcome: Outcome = "failed" if need in required else "skipped"
            return Report(lane.name, outcome, time.monotonic() - started, f"{need}: {reason}")
    _headline(f"lane {lane.name} (at most {lane.limit:.0f} s)")
    failed = []
    for command in lane.commands:
        left = lane.limit - (time.monotonic() - started)
        code = _call(command, left)
        if code is None:
            return Report(
                lane.name,
                "too slow",
                time.monotonic() - started,
                f"over {lane.limit:.0f} s in: {_shown(command)}",
            )
        if code != 0:
            failed.append(_shown(command))
    outcome = "failed" if failed else "passed"
    return Report(lane.name, outcome, time.monotonic() - started, "; ".join(failed))


def _call(command: tuple[str, ...], seconds: float) -> int | None:
    """The exit code, or None when the time was up and everything it started was killed."""
    process = subprocess.Popen(command, cwd=ROOT, env=_environment(), start_new_session=True)
    try:
        return process.wait(timeout=max(seconds, 0))
    except subprocess.TimeoutExpired:
        return None
    finally:
        # Also after success or Ctrl-C: no lane leaves a process behind for the next one.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _environment() -> dict[str, str]:
    """Ours, but compiled files are kept: hundreds of processes would compile the same modules again."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _shown(command: tuple[str, ...]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


def _headline(text: str) -> None:
    print(f"\n== {text} ==", flush=True)


def summarise(reports: Sequence[Report]) -> str:
    width = max(len(report.lane) for report in reports)
    lines = [
        f"{report.lane:<{width}}  {report.outcome:<8}  {report.seconds:7.1f} s"
        + (f"  {report.reason}" if report.reason else "")
        for report in reports
    ]
    total = sum(report.seconds for report in reports)
    return "\n".join([*lines, f"{'':<{width}}  {'total':<8}  {total:7.1f} s"])


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in LANES:
        print(f"usage: lanes.py {'|'.join(LANES)}", file=sys.stderr)
        return 2
    required = frozenset(filter(None, os.environ.get("LAKEPORT_REQUIRE", "").split(",")))
    unknown = required - PROBES.keys()
    if unknown:
        print(
            f"LAKEPORT_REQUIRE names what no lane needs: {', '.join(sorted(unknown))}",
            file=sys.stderr,
        )
        return 2
    try:
        reports = run_lanes(LANES[arguments[0]], required=required)
    except KeyboardInterrupt:
        return 130
    _headline("lanes")
    print(summarise(reports), flush=True)
    return 0 if all(report.outcome in {"passed", "skipped"} for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
