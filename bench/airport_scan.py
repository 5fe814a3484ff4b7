"""Scans over the wire: SF1 lineitem from Iceberg beside a bare pyarrow.flight server that has it in memory.

Both servers run at once in processes of their own; one client reads them in turns, the airport's as
DuckDB does: `endpoints`, then DoGet of each. `x speed` is the median of the bare server's times over the
airport's. Client and servers share the machine's cores, so what reading Parquet costs shows in full.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow.flight as fl

from bench.airport_parts.server import THREE
from bench.iceberg_parts import lineitem
from bench.iceberg_parts.lake import MANY_FILES, ROWS_PER_FILE
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick, prepared
from bench.lineage_parts.clock import Line
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint

SERVER = Path(__file__).parent / "airport_parts" / "server.py"
ROUNDS = 5
STREAMS = 16
NO_FILTER = '{"filters":[],"column_binding_names_by_index":[]}'
HEADERS = [(b"airport-user-agent", b"airport/20250723")]
COLUMNS = range(len(lineitem.SCHEMA))


@dataclass
class Client:
    flight: fl.FlightClient
    pid: int

    def endpoints(
        self, table: str, columns: list[int], filters: str = NO_FILTER, version: str = ""
    ) -> list[bytes]:
        body = {
            "descriptor": FlightDescriptor(path=("bench", table)).encode(),
            "parameters": {
                "json_filters": filters,
                "column_ids": columns,
                "at_unit": "VERSION" if version else "",
                "at_value": version,
            },
        }
        action = fl.Action("endpoints", msgpack.packb(body))
        (result,) = self.flight.do_action(action, self._options())
        return [FlightEndpoint.decode(each).ticket for each in msgpack.unpackb(bytes(result.body))]

    def open(self, ticket: bytes) -> fl.FlightStreamReader:
        return self.flight.do_get(fl.Ticket(ticket), self._options())

    def rows(self, *tickets: bytes) -> int:
        batches = (chunk.data for ticket in tickets for chunk in self.open(ticket))
        return sum(batch.num_rows for batch in batches if batch is not None)

    def first(self, ticket: bytes) -> int:
        """The first batch alone, as a LIMIT does."""
        reader = self.open(ticket)
        batch = reader.read_chunk().data
        reader.cancel()
        return 0 if batch is None else batch.num_rows

    def resident(self) -> float:
        """The server's memory in MiB, without what it shares with the page cache."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
        return 0.0

    def _options(self) -> fl.FlightCallOptions:
        return fl.FlightCallOptions(headers=HEADERS)  # type: ignore[arg-type] # bytes, whatever the stubs say


@contextmanager
def started(kind: str, folder: str, rows: int) -> Iterator[Client]:
    command = [sys.executable, str(SERVER), kind, folder, str(rows)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise SystemExit("the server has no pipes")
        with fl.connect(process.stdout.readline().strip()) as client:
            yield Client(client, process.pid)
        process.stdin.close()


def race(*works: Callable[[], int]) -> list[float]:
    """The median seconds of each, in turns, after one that does not count. None may come back empty."""
    times: list[list[float]] = [[] for _ in works]
    for attempt in range(ROUNDS + 1):
        for place, work in enumerate(works):
            start = time.perf_counter()
            if not work():
                raise SystemExit("a scan found nothing")
            if attempt:
                times[place].append(time.perf_counter() - start)
    return [median(each) for each in times]


def speeds(ours: Client, bare: Client) -> list[Line]:
    names = lineitem.SCHEMA.names
    three = [names.index(name) for name in THREE]
    bars = []
    print(f"  {'the airport against a bare server':<36}{'seconds':>8}{'bare':>8}{'x speed':>8}")
    for what, table, columns, ticket, bar in (
        ("full", "lineitem", [*COLUMNS], b"full", 0.40),
        ("3 columns", "lineitem", three, b"three", 0.40),
        ("full, 1 % deleted", "lineitem_deleted", [*COLUMNS], b"full", 0.35),
    ):
        own, other = race(
            lambda table=table, columns=columns: ours.rows(*ours.endpoints(table, columns)),  # type: ignore[misc]
            lambda ticket=ticket: bare.rows(ticket),  # type: ignore[misc]
        )
        print(f"  {what:<36}{own:>8.2f}{other:>8.2f}{other / own:>8.2f}", flush=True)
        bars.append(Line(what, other / own, bar, at_least=True))
    return bars


def travel(ours: Client) -> Line:
    """The newest version by its number: the same rows by the way of time travel."""
    newest = str(lineitem.FILES)
    now, then = race(
        lambda: ours.rows(*ours.endpoints("lineitem", [*COLUMNS])),
        lambda: ours.rows(*ours.endpoints("lineitem", [*COLUMNS], version=newest)),
    )
    return Line("time travel / current", then / now, 1.05)


def planning(ours: Client) -> Line:
    pushed = _above(MANY_FILES * ROWS_PER_FILE // 2)
    (seconds,) = race(lambda: len(ours.endpoints("many", [0], pushed)))
    return Line(f"endpoints, filter on {MANY_FILES:,} files, ms", seconds * 1000, 20)


def latencies(ours: Client) -> None:
    tickets = ours.endpoints("lineitem", [*COLUMNS])
    first, limit = race(
        lambda: ours.first(tickets[0]),
        lambda: ours.first(ours.endpoints("lineitem", [*COLUMNS])[0]),
    )
    print(f"  first batch {first * 1000:.0f} ms, LIMIT 10 {limit * 1000:.0f} ms (goals 50, 40)")


def memory(ours: Client) -> Line:
    """Streams of which nobody reads on; those of the warm-up have been closed."""
    tickets = ours.endpoints("lineitem", [*COLUMNS])
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
            bars = speeds(ours, bare)
        bars += [travel(ours), planning(ours)]
        latencies(ours)
        bars.append(memory(ours))
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())
