# ruff: noqa: ARG001  what they do has nothing to do with what they are given
"""Functions that misbehave, each in one way. Loaded by workers, never by a test."""

from __future__ import annotations

import contextlib
import ctypes
import io
import logging
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from lakeport.catalog.ports import ColumnStatistics
from lakeport.core.request import Request
from lakeport.functions import Limits, scalar_function, table_function, table_in_out

QUICK = Limits(seconds=0.5)
KEPT: list[bytearray] = []
NUMBERS = pa.schema([("n", pa.int64())])


@scalar_function
def double(x: int) -> int:
    """Twice."""
    return 2 * x


@scalar_function
def raises(x: int) -> int:
    raise LookupError(f"no {x}")


@scalar_function
def refuses(x: int) -> int:
    raise ValueError("only positive numbers")


@scalar_function
def leaves(x: int) -> int:
    sys.exit(3)


@scalar_function
def ends(x: int) -> int:
    os._exit(3)


@scalar_function
def crashes(x: int) -> int:
    return len(ctypes.string_at(0))


@scalar_function(limits=QUICK)
def loops(x: int) -> int:
    while True:
        x += 1


@scalar_function(limits=QUICK)
def sleeps(x: int) -> int:
    time.sleep(600)
    return x


@scalar_function
def waits(x: int) -> int:
    """Longer than any test does, and not longer than it may."""
    time.sleep(25)
    return x


@scalar_function
def recurses(x: int) -> int:
    return recurses(x) + 1


@scalar_function(limits=Limits(memory=256))
def swells(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


@scalar_function(limits=Limits(output=1))
def pours(megabytes: int) -> str:
    return "x" * (megabytes << 20)


@scalar_function
def lies(x: int) -> int:
    return "text"  # type: ignore[return-value]


@scalar_function
def shortens(x: pa.Int64Array) -> pa.Int64Array:
    return x.slice(1)


@scalar_function
def forks(x: int) -> int:
    if os.fork() == 0:
        return -1
    return x


@scalar_function
def forks_and_ends(x: int) -> int:
    """Its child holds the pipes for longer than it lives."""
    if os.fork() == 0:
        time.sleep(600)
    os._exit(5)


@scalar_function
def prints(x: int) -> int:
    print("printed", x)  # noqa: T201
    logging.getLogger("mine").warning("logged %s", x)
    return x


@scalar_function
def closes_stdout(x: int) -> int:
    os.close(1)
    os.close(2)
    sys.stdout = None
    return x


@scalar_function
def replaces_stdout(x: int) -> int:
    """Two files take the numbers that were stdout's and stderr's."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.stdout = sys.stderr = io.StringIO()
    return x


@scalar_function
def closes_stdout_for_good(x: int) -> int:
    sys.stdout.close()
    sys.stderr.close()
    return x


@scalar_function
def caller(request: Request | None) -> str | None:
    return request.identity if request else None


@scalar_function
def process() -> int:
    return os.getpid()


@table_function(returns=NUMBERS, rows=lambda count: count)
def numbers(count: int, step: int = 1) -> Iterator[pa.Table]:
    for number in range(count):
        yield pa.table({"n": [number * step]})


@table_function(returns=NUMBERS, limits=Limits(seconds=3))
def stalls(after: int) -> Iterator[pa.Table]:
    for number in range(after):
        yield pa.table({"n": [number]})
    time.sleep(600)


@table_function(returns=NUMBERS)
def blocks() -> Iterator[pa.Table]:
    """Longer than any test waits."""
    yield pa.table({"n": [1]})
    time.sleep(25)


@table_function(returns=NUMBERS)
def breaks() -> Any:
    return pa.table({"m": [1]})


@table_function(
    returns=NUMBERS,
    statistics=lambda _: ColumnStatistics(minimum=pa.scalar(0, pa.int64()), has_null=False),
)
def measured() -> Any:
    return []


@scalar_function
def babbles(x: int) -> int:
    """Into every pipe that there is."""
    for number in range(3, 1000):
        with contextlib.suppress(OSError):
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, b"\xff" * 12 + b"\xc1" * 100)
    return x


@scalar_function(limits=Limits(memory=400))
def keeps(megabytes: int) -> int:
    KEPT.append(bytearray(megabytes << 20))
    return os.getpid()


@table_in_out(returns=lambda columns: columns)
def echo(rows: pa.RecordBatch) -> pa.RecordBatch:
    return rows


@table_in_out(returns=pa.schema([("total", pa.int64())]))
class Total:
    def __init__(self, start: int) -> None:
        self.total = start

    def process(self, rows: pa.RecordBatch) -> None:
        self.total += rows.num_rows

    def finish(self) -> list[dict[str, int]]:
        return [{"total": self.total}]
