"""How long the airport's small calls take over a lake of a thousand tables: p50 and p99 against the contracts.

The server is `lakeport serve` with its audit and tokens; see callers.py for the clients, which share the
machine's cores with it. Cold is the first call of a client that starts once a fresh server is ready, which
reads its tables meanwhile. With four scans of lineitem running, only p50 is held to the contracts: there are
fewer cores than scans. "Bare" is a server on grpcio that has nothing to do but to send the same bytes. ListActions for 32
clients beside four scans is out of reach on two cores: the bare server, with the scans in another process, has a p50
of 82 to 117 ms. Neither a shorter switch interval of Python's nor a lower priority of the scans' threads moved ours.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import msgspec
import pyarrow.flight as fl

from bench.airport_parts import bare, callers, thousand
from bench.airport_parts.callers import Asked, Took
from bench.flight_parts.programs import running
from bench.iceberg_parts.lake import Lake
from bench.iceberg_parts.race import finish, is_quick, prepared
from bench.lineage_parts.clock import Line

SERVE = [str(Path(sys.executable).with_name("lakeport")), "serve", "--json"]
PORTS = ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"]
BARE = Path(bare.__file__)
LIMITS = {"GetFlightInfo": 100, "ListActions": 50, "GetSchemas": 500, "GetTables": 500}
PEER_KNOWS = ("GetFlightInfo", "ListActions")
MANY = 32
SCANS = 4
CALLS = 20 if is_quick() else 640


@contextmanager
def served(lake: Lake) -> Iterator[str]:
    settings = {"LAKEPORT_CATALOG_URI": lake.uri, "LAKEPORT_CATALOG_WAREHOUSE": lake.warehouse}
    with TemporaryDirectory() as project:
        (Path(project) / "lakeport.toml").touch()
        with subprocess.Popen(
            [*SERVE, *PORTS],
            cwd=project,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            if process.stdout is None:
                raise SystemExit("the server has no pipe")
            try:
                yield json.loads(process.stdout.readline())["grpc"]
            finally:
                process.terminate()


@contextmanager
def scanning(address: str) -> Iterator[None]:
    """Whole tables, one after the other, by as many clients."""
    over = threading.Event()

    def scan() -> None:
        with fl.connect(address) as client:
            info = client.get_flight_info(fl.FlightDescriptor.for_path("bench", "lineitem"))
            while not over.is_set():
                for endpoint in info.endpoints:
                    for _ in client.do_get(endpoint.ticket):
                        if over.is_set():
                            return

    threads = [threading.Thread(target=scan) for _ in range(SCANS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def ask(address: str, what: str, clients: int, calls: int) -> Took:
    asked = msgspec.json.encode(Asked(address, what, clients, calls)).decode()
    done = subprocess.run(
        [sys.executable, callers.__file__, asked], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the clients failed:\n{done.stderr}")
    return msgspec.json.decode(done.stdout, type=Took)


def cold(lake: Lake) -> list[Line]:
    """Once each: whoever comes first to a fresh server. Its own start is not counted."""
    lines = []
    for what in ("GetTables", "list_schemas"):
        with served(lake) as address:
            took = ask(address, what, 1, 1).seconds[0] * 1e3
        print(f"  first {what} of a fresh server: {took:.0f} ms", flush=True)
        lines.append(Line(f"first {what}, ms", took, 500))
    return lines


def cut(took: Took, percent: int) -> float:
    """In milliseconds: so many of a hundred calls were quicker."""
    return 1e3 * statistics.quantiles(took.seconds, n=100)[percent - 1]


def measured(address: str, peer: str, clients: int, *, busy: bool) -> list[Line]:
    """Beside scans the peer is not asked: it has none of its own, and cores are short."""
    lines = []
    company = f"{clients} client{'s' * (clients > 1)}" + f", {SCANS} scans" * busy
    held = 50 if busy else 99
    print(
        f"\n  {company:<24}{'p50 ms':>9}{'p99 ms':>9}{'calls/s':>9}{'client CPU':>12}{'contract':>10}"
        + ("" if busy else f"{'bare p99':>10}")
    )
    for what, limit in LIMITS.items():
        calls = max(1, (CALLS // (4 if busy else 1)) // clients)
        took = ask(address, what, clients, calls)
        known = ""
        if what in PEER_KNOWS and not busy:
            known = f"{cut(ask(peer, what, clients, calls), 99):.1f}"
        print(
            f"  {what:<24}{cut(took, 50):>9.1f}{cut(took, 99):>9.1f}"
            f"{len(took.seconds) / took.wall:>9.0f}{took.cpu / took.wall:>11.0%} {limit:>9}{known:>10}",
            flush=True,
        )
        lines.append(Line(f"{what}, {company}, p{held} ms", cut(took, held), limit))
    return lines


def main() -> int:
    lake = thousand.ready(prepared())
    bars = cold(lake)
    with ExitStack() as stack:
        address = stack.enter_context(served(lake))
        peer = stack.enter_context(running(BARE, address)).ready
        for clients in (1, MANY):
            bars += measured(address, peer, clients, busy=False)
        stack.enter_context(scanning(address))
        began = time.perf_counter()
        ask(address, "ListActions", 1, 1)  # the scans are under way
        print(f"\n  scans under way after {time.perf_counter() - began:.1f} s")
        for clients in (1, MANY):
            bars += measured(address, peer, clients, busy=True)
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())
