"""The whole of SF1 lineitem over the wire: Lakeport, from Iceberg, beside Quack and ROAPI.

Quack copies a table from one DuckDB into another (CREATE TABLE AS); Lakeport's stream is copied into the
same DuckDB by a standard Flight client, once as DuckDB is set by default, once without keeping the order
of rows, which is most of what copying a stream of small batches costs it. ROAPI's answer, by Flight SQL
and its usual client, is taken batch by batch, and so is ours. That is kind to the peers: Quack serves a
table of DuckDB that lies in memory, ROAPI the same Parquet files without knowing Iceberg, and once, as a
measure without a bar, rows that it loaded into memory when it started: it decodes nothing then. One peer
runs at a time; rounds take turns.

The peers live in an environment of their own; `--install` makes it, without it they are skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.airport_parts import peers
from bench.airport_parts.client import started
from bench.flight_parts.programs import Program
from bench.iceberg_parts import lineitem
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick, prepared
from bench.iceberg_parts.readers import data_paths
from bench.lineage_parts.clock import Line

ROUNDS = 3
ANY_ORDER = "preserve_insertion_order = false"


def race(*clients: Program) -> list[float]:
    """The median seconds of each, in turns; the first round does not count."""
    times: list[list[float]] = [[] for _ in clients]
    for _ in range(1 if is_quick() else ROUNDS + 1):
        for client, found in zip(clients, times, strict=True):
            seconds, rows = client.ask().split()
            if int(rows) != _rows():
                raise SystemExit(f"{rows} rows arrived instead of {_rows()}")
            found.append(float(seconds))
    return [median(found[1:] or found) for found in times]


def compare(what: str, *clients: AbstractContextManager[Program]) -> Line:
    """Lakeport's client first, then the peer's."""
    with ExitStack() as stack:
        mine, theirs = race(*(stack.enter_context(client) for client in clients))
    print(f"  {what:<36}{theirs:>9.2f}{mine:>10.2f}{theirs / mine:>8.2f}", flush=True)
    return Line(f"{what} / lakeport", theirs / mine, 1.0, at_least=True)


def copies(ours: str, paths: list[str]) -> Iterator[Line]:
    with peers.quack(paths) as quack:
        for how, settings in (("", ()), (", in any order", (ANY_ORDER,))):
            yield compare(
                f"Quack, CTAS{how}",
                peers.client("flight to duckdb", ours, *settings),
                peers.client("quack", quack, *settings),
            )


def streams(ours: str, paths: list[str], *, in_memory: bool) -> Line:
    with peers.roapi(paths, in_memory=in_memory) as roapi:
        return compare(
            f"ROAPI, from {'memory' if in_memory else 'files'}",
            peers.client("flight", ours),
            peers.client("flight sql", roapi),
        )


def _rows() -> int:
    return QUICK_ROWS if is_quick() else lineitem.SCALE_ONE


def main() -> int:
    if "--install" in sys.argv[1:]:
        peers.install()
    if not peers.are_installed():
        print("  skipped: Quack and ROAPI are not here; `python bench/airport_peers.py --install`")
        print(f"  fetches {', '.join(peers.PACKAGES)}")
        return 0
    lake = prepared()
    paths = data_paths(lake, "bench.lineitem")
    print(f"  {'full read of lineitem':<36}{'seconds':>9}{'lakeport':>10}{'x':>8}")
    with started("airport", str(lake.folder), _rows()) as server:
        ours = server.server.ready
        bars = [*copies(ours, paths), streams(ours, paths, in_memory=False)]
        streams(ours, paths, in_memory=True)  # no bar: it reads no file
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())
