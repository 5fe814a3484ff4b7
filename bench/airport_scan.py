"""Scans over the wire: SF1 lineitem from Iceberg beside a bare pyarrow.flight server that has it in memory.

Both servers run at once in processes of their own; one client reads them in turns, the airport's as
DuckDB does: `endpoints`, then DoGet of each. `x speed` is the median of the bare server's times over the
airport's. Client and servers share the machine's cores, so what reading Parquet costs shows in full:
`at most` is what a server would reach that decodes with pyarrow's least CPU seconds, costs nothing of its
own beyond the bare server, and keeps every core busy. Latencies are those of a server that is idle.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.airport_parts.client import Client, started
from bench.airport_parts.limits import decoding, framing
from bench.airport_parts.server import THREE
from bench.iceberg_parts import lineitem
from bench.iceberg_parts.lake import MANY_FILES, ROWS_PER_FILE
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick, prepared
from bench.lineage_parts.clock import Line

ROUNDS = 5
# Of something short, to tell a twentieth from noise.
MANY_ROUNDS = 25
STREAMS = 16
EVERY = [*range(len(lineitem.SCHEMA))]
SOME = [lineitem.SCHEMA.names.index(name) for name in THREE]
QUIET_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Work:
    """`run` answers how many rows it found; CPU is the client's and the server's."""

    client: Client
    run: Callable[[], int]

    def cpu(self) -> float:
        own = resource.getrusage(resource.RUSAGE_SELF)
        return self.client.server.cpu() + own.ru_utime + own.ru_stime


@dataclass(frozen=True, slots=True)
class Seconds:
    wall: float
    cpu: float


def race(
    *works: Work, rounds: int = ROUNDS, before: Callable[[], None] = lambda: None
) -> list[Seconds]:
    """The medians of each, in turns, after one that does not count. None may come back empty."""
    found: list[list[Seconds]] = [[] for _ in works]
    for _ in range(2 if is_quick() else rounds + 1):
        for work, seconds in zip(works, found, strict=True):
            before()
            cpu, start = work.cpu(), time.perf_counter()
            if not work.run():
                raise SystemExit("a scan found nothing")
            wall = time.perf_counter() - start
            seconds.append(Seconds(wall, work.cpu() - cpu))
    return [
        Seconds(median(one.wall for one in kept), median(one.cpu for one in kept))
        for kept in (seconds[1:] for seconds in found)
    ]


def speeds(ours: Client, bare: Client, folder: str) -> list[Line]:
    bars = []
    print(f"  {'':<28}{'wall s':>9}{'cpu s':>8}{'bare':>9}{'cpu s':>8}{'x speed':>9}{'at most':>9}")
    for what, table, columns, ticket, bar in (
        ("full", "lineitem", EVERY, b"full", 0.40),
        ("3 columns", "lineitem", SOME, b"three", 0.40),
        ("full, 1 % deleted", "lineitem_deleted", EVERY, b"full", 0.35),
    ):
        own, other = race(
            Work(ours, lambda table=table, columns=columns: _whole(ours, table, columns)),  # type: ignore[misc]
            Work(bare, lambda ticket=ticket: bare.rows(ticket)),  # type: ignore[misc]
        )
        decoded = decoding(folder, table, "full scan" if columns is EVERY else "3 columns")
        cores = len(os.sched_getaffinity(0))
        most = other.wall * cores / (decoded + other.cpu)
        print(
            f"  {what:<28}{own.wall:>9.2f}{own.cpu:>8.2f}{other.wall:>9.2f}{other.cpu:>8.2f}"
            f"{other.wall / own.wall:>9.2f}{most:>9.2f}",
            flush=True,
        )
        bars.append(Line(what, other.wall / own.wall, bar, at_least=True))
    print(f"  framing all of it takes {framing():.2f} s by itself, one copy into gRPC another")
    return bars


def travel(ours: Client) -> Line:
    """The newest version by its number: the same rows by the way of time travel."""
    newest = str(lineitem.FILES)
    now, then = race(
        Work(ours, lambda: _whole(ours, "lineitem", SOME)),
        Work(ours, lambda: _whole(ours, "lineitem", SOME, newest)),
        rounds=MANY_ROUNDS,
    )
    return Line("time travel / current", then.wall / now.wall, 1.05)


def planning(ours: Client) -> Line:
    pushed = _above(MANY_FILES * ROWS_PER_FILE // 2)
    (planned,) = race(Work(ours, lambda: len(ours.endpoints("many", [0], pushed))))
    return Line(f"endpoints, filter on {MANY_FILES:,} files, ms", planned.wall * 1000, 20)


def latencies(ours: Client) -> list[Line]:
    """Of a server that has nothing else to do, not even to stop the scan before."""
    tickets = ours.endpoints("lineitem", EVERY)
    first, limit = race(
        Work(ours, lambda: ours.first(tickets[0])),
        Work(ours, lambda: ours.first(ours.endpoints("lineitem", EVERY)[0])),
        rounds=MANY_ROUNDS,
        before=lambda: _settle(ours),
    )
    return [
        Line("first batch, ms (a goal)", first.wall * 1000, 50),
        Line("LIMIT 10, ms (a goal)", limit.wall * 1000, 40),
    ]


def memory(ours: Client) -> Line:
    """Streams of which nobody reads on; those of the warm-up have been closed."""
    tickets = ours.endpoints("lineitem", EVERY)
    before = ours.resident()
    readers = [ours.open(tickets[place % len(tickets)]) for place in range(STREAMS)]
    for reader in readers:
        reader.read_chunk()
    most, quiet = ours.resident(), 0
    while quiet < 10:  # until it has not grown for a second
        time.sleep(0.1)
        now = ours.resident()
        quiet = 0 if now > most else quiet + 1
        most = max(most, now)
    for reader in readers:
        reader.cancel()
    return Line(f"MiB of each of {STREAMS} idle streams", (most - before) / STREAMS, 80)


def _whole(ours: Client, table: str, columns: list[int], version: str = "") -> int:
    return ours.rows(*ours.endpoints(table, columns, version=version))


def _settle(ours: Client) -> None:
    """Until the server has done nothing for a moment."""
    before = -1.0
    while (now := ours.server.cpu()) != before:
        before = now
        time.sleep(QUIET_SECONDS)


def _above(key: int) -> str:
    bigint = {"id": "BIGINT", "type_info": None}
    column = {
        "expression_class": "BOUND_COLUMN_REF",
        "type": "BOUND_COLUMN_REF",
        "return_type": bigint,
        "binding": {"table_index": 0, "column_index": 0},
        "depth": 0,
    }
    constant = {
        "expression_class": "BOUND_CONSTANT",
        "type": "VALUE_CONSTANT",
        "value": {"type": bigint, "is_null": False, "value": key},
    }
    comparison = {
        "expression_class": "BOUND_COMPARISON",
        "type": "COMPARE_GREATERTHAN",
        "left": column,
        "right": constant,
    }
    names = [lineitem.SCHEMA.names[0]]
    return json.dumps({"filters": [comparison], "column_binding_names_by_index": names})


def main() -> int:
    folder = str(prepared().folder)
    rows = QUICK_ROWS if is_quick() else lineitem.SCALE_ONE
    with ExitStack() as stack:
        ours = stack.enter_context(started("airport", folder, rows))
        with started("bare", folder, rows) as bare:
            bars = speeds(ours, bare, folder)
        bars += [travel(ours), planning(ours), *latencies(ours), memory(ours)]
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())
