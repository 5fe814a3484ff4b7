"""A scalar function over a million rows through the wire, beside the same call in this process.

The server is another process. The client is Arrow's own, which is what DuckDB's extension calls functions
with, and keeps in step as that does: a batch goes there, its answer comes back, then the next. DuckDB's
batches have 2,048 rows. In process the same batches are given to the same function.

Beside them stands the bare way: a server on grpcio that answers with bytes made before, calls nothing and reads
nothing. In batches of 2,048 rows the row-by-row function takes 1.15 times its own time. The numpy one has two
speeds, as the scheduler has it: 2.6 to 2.7 times where both processes share a core, as they do beside other work;
2.99 to 3.05 times, mostly missed by a hair, on two idle cores, where every thread that is woken wakes a core as well.
In batches of 16,384 rows it takes 1.6 times. The bare way takes 1.8 and 2.2 times, for the same reason.

Where a batch's time goes, 134 µs in process and 402 on idle cores (before numbers went past Arrow 584, of which the
event engine was some 60): the function 118; ours 13 from the message to the function and 11 from there to the answer;
51 until the answer is sent; the rest is the client, the kernel and gRPC's thread, which reads the message and hands it
to the call's. The client's processor time is 150, the server's 245. On one core 355, 98 and 245.

Some 55 of it are the client's: Arrow's own, with the event engine of its gRPC switched off as well, takes 347, which is
2.6 times. With nothing of ours between the message and the function, no limits, no checks and no request to be seen, 395
are left: 2.95 times. So this is where grpcio ends, and no more than a fiftieth of it is ours to save.

What is left undone: in a bare server the function called by gRPC's own thread saved 35 more, but one that waits would
hold up all other calls. With a completion queue of the call's own nobody would hear of a client that leaves while a
function runs; that was not tried. Windows, frames and read sizes of HTTP/2 and its bandwidth probes changed nothing, with
the event engine or without; nor did, with it, the poller, Python's switch interval, malloc's arenas and huge pages.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import numpy as np
import pyarrow as pa
import pyarrow.flight as fl

from bench.airport_parts import called, echoed
from bench.flight_parts.programs import running
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line

ROWS = 100_000 if is_quick() else 1_000_000
ROUNDS = 1 if is_quick() else 7
VECTOR = 2_048
SIZES = (VECTOR, 16_384, 65_536)
AT_MOST = 3.0
HEADERS = [
    (b"airport-user-agent", b"airport/20250723"),
    (b"airport-operation", b"scalar_function"),
    (b"return-chunks", b"1"),
]


def points() -> pa.RecordBatch:
    rng = np.random.default_rng(0)
    spans = {"lat": 90, "lon": 180, "to_lat": 90, "to_lon": 180}
    return pa.record_batch({name: rng.uniform(-most, most, ROWS) for name, most in spans.items()})


def cut(rows: pa.RecordBatch, size: int) -> list[pa.RecordBatch]:
    return [rows.slice(first, size) for first in range(0, rows.num_rows, size)]


def here(function: Any, batches: list[pa.RecordBatch]) -> int:
    return sum(len(function.call(batch)) for batch in batches)


def there(client: fl.FlightClient, name: str, batches: list[pa.RecordBatch]) -> int:
    descriptor: Any = fl.FlightDescriptor.for_path("geo", name)
    headers: Any = HEADERS
    exchange: Any = client.do_exchange(descriptor, fl.FlightCallOptions(headers=headers))
    writer, reader = exchange
    rows = 0
    with writer:
        writer.begin(batches[0].schema)
        for batch in batches:
            writer.write_batch(batch)
            rows += reader.read_chunk().data.num_rows
        writer.done_writing()
    return rows


def took(work: Callable[[], int]) -> float:
    began = time.perf_counter()
    if work() != ROWS:
        raise AssertionError("rows got lost")
    return time.perf_counter() - began


def main() -> int:
    rows = points()
    bars: list[Line] = []
    print(f"  {ROWS:,} rows, medians of {ROUNDS}, milliseconds of wall time")
    print(
        f"  {'function':<10}{'batches of':>12}{'in process':>12}{'bare way':>10}{'wire':>10}{'x':>8}"
    )
    with (
        running(Path(called.__file__)) as server,
        running(Path(echoed.__file__)) as bare,
        fl.connect(server.ready) as client,
        fl.connect(bare.ready) as other,
    ):
        for name, function in called.FUNCTIONS.items():
            for size in SIZES:
                batches = cut(rows, size)
                works = (
                    partial(here, function, batches),
                    partial(there, other, name, batches),
                    partial(there, client, name, batches),
                )
                runs = [[took(work) for work in works] for _ in range(ROUNDS + 1)][1:]
                own, way, wire = (
                    statistics.median(column) * 1e3 for column in zip(*runs, strict=True)
                )
                print(
                    f"  {name:<10}{size:>12,}{own:>12.1f}{way:>10.1f}{wire:>10.1f}{wire / own:>8.2f}",
                    flush=True,
                )
                if size == VECTOR and name != "arrow":
                    bars.append(
                        Line(f"{name}, as DuckDB sends it, through the wire", wire / own, AT_MOST)
                    )
    return finish(bars)


if __name__ == "__main__":
    raise SystemExit(main())
