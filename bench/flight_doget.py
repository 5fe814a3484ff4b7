"""DoGet of TPC-H's lineitem from memory beside a bare pyarrow.flight server that streams the same table.

The servers run at once in processes of their own and are read in turns by the same pyarrow client with
its default allocator, so they meet the same neighbours. The bars are about the medians of those turns;
the server's CPU is shown too, because with two cores client and server share them. Rows per message are
chosen so that a message has 1.4 MB, and once 11 MB, which Lakeport cuts on its way. "At most" is a third
server, on grpcio too, that only sends the same bytes, made before the clock ran.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import get_args

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow.flight as fl

from bench.flight_parts.bare import Kind
from bench.flight_parts.programs import Program, running
from bench.lineage_parts.clock import Line, show

ROWS = 1_500_000  # 254 MB
ROUNDS = 15
SERVER = Path(__file__).parent / "flight_parts" / "bare.py"


@dataclass
class Server:
    program: Program
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)

    def read(self, clients: int) -> None:
        before, start = self.program.cpu(), time.perf_counter()
        threads = [threading.Thread(target=self._read_all) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.walls.append(time.perf_counter() - start)
        self.cpus.append(self.program.cpu() - before)

    def _read_all(self) -> None:
        with fl.connect(self.program.ready) as client:
            reader = client.do_get(fl.Ticket(b""))
            rows = sum(chunk.data.num_rows for chunk in reader if chunk.data is not None)
        if rows != ROWS:
            raise SystemExit(f"{rows} rows arrived instead of {ROWS}")


def race(rows: int, clients: int) -> tuple[float, float, float]:
    """Lakeport as a share of the bare server's speed, its cost against it, and what grpcio allows."""
    with ExitStack() as stack:
        servers = {
            kind: Server(stack.enter_context(running(SERVER, kind, str(ROWS), str(rows))))
            for kind in get_args(Kind)
        }
        for server in servers.values():
            server.read(1)
            server.walls.clear()
            server.cpus.clear()
        for _ in range(ROUNDS):
            for server in servers.values():
                server.read(clients)
        ours, bare = servers["lakeport"], servers["pyarrow.flight"]
        wall = median(bare.walls)
        most = wall / median(servers["grpcio"].walls)
        return wall / median(ours.walls), median(ours.cpus) / median(bare.cpus), most


def main() -> int:
    bars = []
    print(
        f"  {'lakeport against a bare server':<36}{'x speed':>8}{'x server cpu':>14}{'at most':>9}"
    )
    for rows, clients, bar in ((8_192, 1, 0.7), (8_192, 4, 0.7), (65_536, 1, 0.0)):
        speed, cpu, most = race(rows, clients)
        what = f"{rows:,} rows a batch, {clients} client{'s' if clients > 1 else ''}"
        print(f"  {what:<36}{speed:>8.2f}{cpu:>14.2f}{most:>9.2f}", flush=True)
        if bar:
            bars.append(Line(what, speed, bar, at_least=True))
    print()
    return 0 if show(bars) else 1


if __name__ == "__main__":
    sys.exit(main())
