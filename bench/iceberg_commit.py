"""Small commits: one row into a young table and into old ones, by many threads, by many processes.

Lakeport's appends go through its statements, with all checks; PyIceberg loads the table and appends, as
its users do. Times are medians of wall time; the two take turns. Threads of PyIceberg share a lock, as
they would lose most of their races otherwise; its processes are as they come.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts import appenders
from bench.iceberg_parts.appenders import Writer, appender, count, history, locked, new_lake
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line

THREADS, APPENDS_PER_THREAD = 8, 50
PROCESSES, APPENDS_PER_PROCESS = 8, 10
# Commits before the first that is measured, and measured ones of each writer.
AGES = {"young": (0, 30), "300 commits": (300, 20), "3,000 commits": (3_000, 5)}
BARS = {"young": 1.0, "300 commits": 5.0}


def main() -> int:
    bars = []
    for age, (commits, repeats) in AGES.items():
        ours, durable, theirs = one_row(*((5, 2) if is_quick() else (commits, repeats)))
        print(
            f"  1-row append, {age:<14} lakeport {ours * 1e3:7.1f} ms, durable {durable * 1e3:7.1f} ms,"
            f" pyiceberg {theirs * 1e3:8.1f} ms, {theirs / ours:6.1f}x",
            flush=True,
        )
        if age in BARS:
            bars.append(Line(f"1-row append, {age}", theirs / ours, BARS[age], at_least=True))
    bars += [many_threads(), *many_processes()]
    return finish(bars)


def one_row(commits: int, repeats: int) -> tuple[float, float, float]:
    """Median seconds of each writer, on tables with the same history."""
    writers: tuple[Writer, ...] = ("lakeport", "lakeport durable", "pyiceberg")
    return tuple(_seconds(writer, commits, repeats) for writer in writers)  # type: ignore[return-value]


def _seconds(writer: Writer, commits: int, repeats: int) -> float:
    found = []
    with new_lake() as folder:
        history(folder, commits)
        with appender(writer, folder) as append:
            append(0)  # imports, connections, and the first look at the history
            for number in range(repeats):
                start = time.perf_counter()
                append(number)
                found.append(time.perf_counter() - start)
        if count(folder) != commits + 1 + repeats:
            raise AssertionError(f"{writer} lost rows")
    return statistics.median(found)


def many_threads() -> Line:
    appends = 4 if is_quick() else APPENDS_PER_THREAD
    rates = []
    for writer in ("lakeport", "pyiceberg"):
        with new_lake() as folder, appender(writer, folder) as append:
            append(0)
            work = append if writer == "lakeport" else locked(append)
            start = time.perf_counter()
            with ThreadPoolExecutor(THREADS) as pool:
                list(pool.map(work, range(THREADS * appends)))
            seconds = time.perf_counter() - start
            if count(folder) != 1 + THREADS * appends:
                raise AssertionError(f"{writer} lost rows")
        rates.append(THREADS * appends / seconds)
        print(
            f"  {THREADS} threads x {appends} appends: {writer:<10} {rates[-1]:8.1f} per second",
            flush=True,
        )
    return Line(f"{THREADS} threads x {appends}", rates[0] / rates[1], 10.0, at_least=True)


def many_processes() -> list[Line]:
    appends = 2 if is_quick() else APPENDS_PER_PROCESS
    bars = []
    for writer in ("lakeport", "pyiceberg"):
        with new_lake() as folder:
            succeeded, slowest, seconds = _race(writer, folder, appends)
            if count(folder) != succeeded:
                raise AssertionError(f"{writer} says {succeeded} and has {count(folder)}")
        print(
            f"  {PROCESSES} processes x {appends} appends: {writer:<10} {succeeded} succeed,"
            f" {seconds:.1f} s in all, the slowest {slowest:.1f} s",
            flush=True,
        )
        if writer == "lakeport":
            wanted = PROCESSES * appends
            bars.append(
                Line(
                    f"{PROCESSES} processes x {appends}, succeed", succeeded, wanted, at_least=True
                )
            )
    return bars


def _race(writer: str, folder: Path, appends: int) -> tuple[int, float, float]:
    """How many succeeded, the seconds of the slowest, and of all together."""
    program = [sys.executable, appenders.__file__, writer, str(folder)]
    with ExitStack() as stack:
        running = [
            stack.enter_context(_started([*program, str(place * appends), str(appends)]))
            for place in range(PROCESSES)
        ]
        for _, output in running:
            output.readline()
        start = time.perf_counter()
        for given, _ in running:
            given.write("go\n")
            given.flush()
        answers = [output.readline().split() for _, output in running]
        seconds = time.perf_counter() - start
    return sum(int(answer[0]) for answer in answers), max(float(a[1]) for a in answers), seconds


@contextmanager
def _started(command: list[str]) -> Iterator[tuple[IO[str], IO[str]]]:
    """What it is told by, and what it says; its complaints about lost races are not wanted."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("there are pipes")
        yield process.stdin, process.stdout


if __name__ == "__main__":
    sys.exit(main())
