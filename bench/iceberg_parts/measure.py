"""One reader in one fresh process: run as a program by `race`, prints what it measured as JSON.

The reader first answers the query on a tiny table, so that nobody pays for imports and first calls,
unless the task wants exactly that. CPU seconds count all threads. Memory is what the kernel says of
this process: anonymous pages and mapped file pages together, because both must fit the machine.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import msgspec

from bench.iceberg_parts import readers
from bench.iceberg_parts.lake import Lake

MEBIBYTE_IN_KIBIBYTES = 1024
_STEADY_SECONDS = 1.0
_LONGEST_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Task:
    """Answers of one query one after the other: `rehearsals` that do not count, then `runs`.

    `prepared` by a tiny table; `first_only` closes each answer after its first batch; `stall`
    takes one batch and waits.
    """

    reader: readers.Reader
    folder: str
    table: str
    query: readers.Query
    runs: int = 1
    rehearsals: int = 0
    prepared: bool = True
    first_only: bool = False
    stall: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    wall: float
    first: float
    cpu: float
    rows: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Growth in MiB since before the query: all, its anonymous part, and the peak of all."""

    resident: float
    anonymous: float
    peak: float


@dataclass(frozen=True, slots=True)
class Report:
    runs: tuple[Run, ...]
    memory: Memory


def main() -> None:
    task = msgspec.json.decode(sys.argv[1], type=Task)
    lake = Lake(Path(task.folder))
    if task.prepared:
        for _ in readers.opened(task.reader, lake, _tiny(task.table))(_anywhere(task.query)):
            pass
    answer = readers.opened(task.reader, lake, task.table)
    before = _memory()
    runs: tuple[Run, ...] = ()
    if task.stall:
        batches = answer(task.query)
        next(batches)
        _settle()
    else:
        timed = [_timed(answer, task) for _ in range(task.rehearsals + task.runs)]
        runs = tuple(timed[task.rehearsals :])
    after = _memory()
    grown = Memory(
        after.resident - before.resident,
        after.anonymous - before.anonymous,
        after.peak - before.resident,
    )
    print(json.dumps(asdict(Report(runs, grown))), flush=True)


def _tiny(table: str) -> str:
    return table.replace("lineitem", "tiny") if table.startswith("lineitem") else "tiny"


def _anywhere(query: readers.Query) -> readers.Query:
    return dataclasses.replace(query, snapshot=None) if query.snapshot else query


def _timed(answer: readers.Answer, task: Task) -> Run:
    cpu, start = time.process_time(), time.perf_counter()
    first, rows = 0.0, 0
    with closing(answer(task.query)) as batches:
        for count in batches:
            first = first or time.perf_counter() - start
            rows += count
            if task.first_only:
                break
    return Run(time.perf_counter() - start, first, time.process_time() - cpu, rows)


def _settle() -> None:
    """Wait until memory has not grown for a second: whoever reads ahead has read what it wants."""
    deadline = time.monotonic() + _LONGEST_SECONDS
    most, since = 0.0, time.monotonic()
    while time.monotonic() - since < _STEADY_SECONDS and time.monotonic() < deadline:
        resident = _memory().resident
        if resident > most + 1:
            most, since = resident, time.monotonic()
        time.sleep(0.05)


def _memory() -> Memory:
    found = {}
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in {"VmRSS", "RssAnon", "VmHWM"}:
            found[name] = int(value.split()[0]) / MEBIBYTE_IN_KIBIBYTES
    return Memory(found["VmRSS"], found["RssAnon"], found["VmHWM"])


if __name__ == "__main__":
    main()
