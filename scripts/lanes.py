"""Runs the lanes of `make test`, `make test-long` and `make check`, as many at once as the machine has room for.

A lane is a few commands under one hard limit: past it the whole process group is killed and the lane
has failed. All lanes run even if one failed, so that one run shows everything: what a lane says comes when
it ends, and the durations at the end. A lane whose outside thing (a browser, a Postgres) is missing is
skipped with the reason, unless LAKEPORT_REQUIRE names that thing: then the skip is a failure.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO, Literal

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

Outcome = Literal["passed", "failed", "skipped", "too slow"]


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    commands: tuple[tuple[str, ...], ...]
    limit: float
    needs: tuple[str, ...] = ()
    width: int = 1
    """How many processes work in it: so much room it takes."""


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


# Workers of lanes with few and long tests. Each starts a Spark, a DuckDB or more: a third costs more than it does.
_WORKERS = 2


def _heavy_tests(*arguments: str) -> tuple[str, ...]:
    """For such lanes: the next test goes to whoever is free, the longest first.

    `tests/together.py` says which stay together; `load` would give the two longest to one worker.
    """
    return _tests("-n", str(_WORKERS), "--dist", "loadgroup", *arguments)


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
    limit=600,
)


def _lane(name: str, which: str, *places: str, limit: float, needs: tuple[str, ...] = ()) -> Lane:
    """Many short tests, in one process: it loads and collects them once."""
    return Lane(name, (_tests("-m", which, *places),), limit, needs)


def _wide(name: str, which: str, *places: str, limit: float, needs: tuple[str, ...] = ()) -> Lane:
    return Lane(name, (_heavy_tests("-m", which, *places),), limit, needs, width=_WORKERS)


_SHORT = "not long"
_UNIT = (
    "tests/catalog",
    "--ignore=tests/catalog/iceberg",
    "tests/app",
    "tests/cli",
    "tests/pipeline",
)
_SPARK = ("spark",)

# A limit is what a lane may take beside others: some five times what it takes on two quiet processors, for on a
# machine whose neighbours were busy lanes took nearly twice as long as beside the same lanes on another day.
LANES: dict[str, tuple[Lane, ...]] = {
    "check": (CHECK,),
    "test": (
        CHECK,
        _lane("unit", _SHORT, "tests/core", *_UNIT, "tests/test_strategies.py", limit=2_550),
        _lane("lake", _SHORT, *_READING, limit=1_360),
        _lane("writing", _SHORT, *_WRITING, limit=1_700),
        _lane("behaviours", _SHORT, "tests/behaviours", limit=1_020),
        _lane("airport", _SHORT, *_DOORS, limit=1_190),
        _lane("changes", _SHORT, *_CHANGES, limit=1_700),
        _lane("functions", _SHORT, "tests/functions", "tests/conformance", limit=600),
        _lane("rest", _SHORT, "tests/rest", limit=450),
        _wide("engines", _SHORT, "tests/engines", limit=1_020, needs=_SPARK),
        _wide("spark", _SHORT, *_PIPELINE, limit=2_550, needs=_SPARK),
        _wide("session", _SHORT, _SESSION, limit=600, needs=_SPARK),
        _lane("lineage", _SHORT, "tests/lineage", limit=360),
        _lane("postgres", _SHORT, "tests/postgres", limit=270, needs=("postgres",)),
        _wide("e2e", _SHORT, "tests/house", "tests/e2e", limit=1_020),
    ),
    "long": (
        _lane("behaviours", "long", "tests/behaviours", *_UNIT, limit=2_210),
        _lane("lake", "long", *_READING, limit=1_360),
        _lane("writing", "long", *_WRITING, limit=1_700),
        _lane("airport", "long", *_DOORS, limit=2_040),
        _lane("changes", "long", *_CHANGES, limit=2_210),
        _lane("rest", "long", "tests/rest", limit=450),
        _wide("engines", "long", "tests/engines", limit=1_020, needs=_SPARK),
        _wide("spark", "long", *_PIPELINE, limit=2_550, needs=_SPARK),
        _wide("session", "long", _SESSION, limit=1_530, needs=_SPARK),
        _lane("lineage", "long", "tests/lineage", limit=1_020),
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
    room: int | None = None,
) -> list[Report]:
    """The reports, in the order of the lanes; `room` is how many processes may work at once."""
    # Two more than there are processors: each waits at times for a process of its own, and with one more
    # an eighth of two processors was idle.
    room = room or (os.cpu_count() or 1) + 2
    waiting, running = _order(lanes), dict[Future[Report], Lane]()
    reports: dict[str, Report] = {}
    runner = _Runner(required, probes, aloud=len(lanes) == 1)
    with ThreadPoolExecutor(len(lanes)) as pool, runner.all_ended():
        while waiting or running:
            for lane in tuple(waiting):
                if _fits(lane, running.values(), room):
                    waiting.remove(lane)
                    running[pool.submit(runner.run, lane)] = lane
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                reports[running.pop(future).name] = future.result()
    return [reports[lane.name] for lane in lanes]


def _order(lanes: Sequence[Lane]) -> list[Lane]:
    """Wide ones as they come; beside them the longest first."""
    return sorted(lanes, key=lambda lane: (-lane.width, -lane.limit if lane.width == 1 else 0))


def _fits(lane: Lane, running: Collection[Lane], room: int) -> bool:
    """Of wide ones there is one at a time: the first Spark leaves an archive of classes for those after it."""
    if lane.width > 1 and any(other.width > 1 for other in running):
        return False
    return not running or lane.width + sum(other.width for other in running) <= room


@dataclass(slots=True)
class _Runner:
    """Runs lanes in threads of their own, and ends all that it started."""

    required: frozenset[str]
    probes: Mapping[str, Callable[[], str | None]]
    aloud: bool
    """Whether a lane's output is shown as it comes."""
    printing: Lock = field(default_factory=Lock)
    starting: Lock = field(default_factory=Lock)
    processes: set[subprocess.Popen[bytes]] = field(default_factory=set)
    over: bool = False

    def run(self, lane: Lane) -> Report:
        started = time.monotonic()
        for need in lane.needs:
            reason = self.probes[need]()
            if reason is not None:
                outcome: Outcome = "failed" if need in self.required else "skipped"
                return Report(lane.name, outcome, time.monotonic() - started, f"{need}: {reason}")
        with self._output(lane) as output:
            return self._commands(lane, started, output)

    def _commands(self, lane: Lane, started: float, output: IO[bytes] | None) -> Report:
        failed = []
        for command in lane.commands:
            left = lane.limit - (time.monotonic() - started)
            code = self._call(command, left, output)
            if code is None:
                return Report(
                    lane.name,
                    "too slow",
                    time.monotonic() - started,
                    f"over {lane.limit:.0f} s in: {_shown(command)}",
                )
            if code != 0:
                failed.append(_shown(command))
        outcome: Outcome = "failed" if failed else "passed"
        return Report(lane.name, outcome, time.monotonic() - started, "; ".join(failed))

    @contextlib.contextmanager
    def _output(self, lane: Lane) -> Iterator[IO[bytes] | None]:
        """Where a lane writes to: of several at once each is shown whole, when it has ended."""
        with self.printing:
            _headline(f"lane {lane.name} (at most {lane.limit:.0f} s)")
        if self.aloud:
            yield None
            return
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            with self.printing:
                _headline(f"lane {lane.name} has ended")
                print(file.read().decode(errors="replace"), end="", flush=True)

    def _call(
        self, command: tuple[str, ...], seconds: float, output: IO[bytes] | None
    ) -> int | None:
        """The exit code, or None when the time was up and everything it started was killed."""
        with self.starting:
            if self.over:
                return None
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            self.processes.add(process)
        try:
            return process.wait(timeout=max(seconds, 0))
        except subprocess.TimeoutExpired:
            return None
        finally:
            # Also after success: no lane leaves a process behind for the next one.
            with self.starting:
                self.processes.remove(process)
                _kill(process)
            process.wait()

    @contextlib.contextmanager
    def all_ended(self) -> Iterator[None]:
        """Whatever happens, Ctrl-C too."""
        try:
            yield
        finally:
            with self.starting:
                self.over = True
                for process in self.processes:
                    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def heed_signals() -> None:
    """Being told to end is an interrupt too, and Ctrl-C is one even if whoever started us ignores it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def _environment() -> dict[str, str]:
    """Ours, but compiled files are kept: hundreds of processes would compile the same modules again."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _shown(command: tuple[str, ...]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


def _headline(text: str) -> None:
    print(f"\n== {text} ==", flush=True)


def summarise(reports: Sequence[Report], seconds: float) -> str:
    """`seconds` is what all took; lanes beside each other took more."""
    width = max(len(report.lane) for report in reports)
    lines = [
        f"{report.lane:<{width}}  {report.outcome:<8}  {report.seconds:7.1f} s"
        + (f"  {report.reason}" if report.reason else "")
        for report in reports
    ]
    return "\n".join([*lines, f"{'':<{width}}  {'total':<8}  {seconds:7.1f} s"])


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
    heed_signals()
    started = time.monotonic()
    try:
        reports = run_lanes(LANES[arguments[0]], required=required)
    except KeyboardInterrupt:
        return 130
    _headline("lanes")
    print(summarise(reports, time.monotonic() - started), flush=True)
    return 0 if all(report.outcome in {"passed", "skipped"} for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
