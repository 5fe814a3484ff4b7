"""Pruning 5,000 files against PyIceberg's evaluator, filtering a million rows against DuckDB.

Ratios, not times, are the result: both sides run alternately in one process, each must give the
same answer, and the medians of the rounds are compared.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from pyiceberg.conversions import to_bytes
from pyiceberg.expressions.parser import parse
from pyiceberg.expressions.visitors import _InclusiveMetricsEvaluator
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.arrow import Field
from lakeport.catalog.predicates import (
    And,
    Bounds,
    Compare,
    IsIn,
    Not,
    Op,
    Predicate,
    StartsWith,
    bind,
    describe,
    evaluate,
    possible,
)

FILES = 5_000
ROWS = 1_000_000
ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Measured:
    what: str
    ours: float
    peer: float

    def __str__(self) -> str:
        ratio = self.peer / self.ours
        return f"{self.what:<46}{self.ours:>10.3f}{self.peer:>12.3f}{ratio:>9.1f}x"


def milliseconds(run: Callable[[], object], repeat: int = 1) -> float:
    started = time.perf_counter()
    for _ in range(repeat):
        run()
    return (time.perf_counter() - started) * 1000 / repeat


def race(what: str, ours: Callable[[], object], peer: Callable[[], object]) -> Measured:
    """Medians of alternating rounds, after one to warm up."""
    ours(), peer()
    pairs = [(milliseconds(ours, 5), milliseconds(peer)) for _ in range(ROUNDS)]
    return Measured(
        what,
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
    )


_FIELDS: list[Field] = [
    pa.field("id", pa.int64()),
    pa.field("price", pa.float64()),
    pa.field("name", pa.string()),
]
SCHEMA = pa.schema(_FIELDS)
ICEBERG = Schema(
    NestedField(1, "id", LongType(), required=False),
    NestedField(3, "name", StringType(), required=False),
)


def data_file(low: int, high: int) -> DataFile:
    """File metadata as PyIceberg keeps it: a hundred rows, bounds in Iceberg's own bytes."""

    def bounds(end: int) -> dict[int, bytes]:
        return {1: to_bytes(LongType(), end), 3: to_bytes(StringType(), name(end))}

    return DataFile.from_args(
        record_count=100,
        value_counts={1: 100, 3: 100},
        null_value_counts={1: 0, 3: 0},
        nan_value_counts={},
        lower_bounds=bounds(low),
        upper_bounds=bounds(high),
    )


def shortened(text: str) -> str:
    return text if len(text) <= 44 else text[:43] + "…"


def name(number: int) -> str:
    return f"name-{number:07d}"


def pruning() -> Sequence[Measured]:
    starts = range(0, FILES * 100, 100)
    files = [data_file(start, start + 99) for start in starts]
    zeros = pa.array([0] * FILES, pa.int64())
    rows = pa.array([100] * FILES, pa.int64())
    low, high = pa.array(starts, pa.int64()), pa.array([start + 99 for start in starts], pa.int64())
    names = pa.array([name(start) for start in starts])
    last_names = pa.array([name(start + 99) for start in starts])
    bounds = {"id": Bounds(low, high, zeros), "name": Bounds(names, last_names, zeros)}
    middle = FILES * 50
    wanted = list(range(middle, middle + 20_000, 200))
    equal, above = Compare("id", Op.EQ, pa.scalar(middle)), Compare("id", Op.GT, pa.scalar(middle))
    listed = ", ".join(str(number) for number in wanted)
    cases: list[tuple[str, Predicate]] = [
        (f"id = {middle}", equal),
        (f"id > {middle} AND NOT id = {middle}", And((above, Not(equal)))),
        (f"id IN ({listed})", IsIn("id", pa.array(wanted))),
        ("name LIKE 'name-00012%'", StartsWith("name", "name-00012")),
    ]
    found: list[Measured] = []
    for text, predicate in cases:
        bound = bind(predicate, SCHEMA)
        evaluator = _InclusiveMetricsEvaluator(ICEBERG, parse(text))

        def ours(bound: Predicate = bound) -> pa.BooleanArray:
            return possible(bound, bounds, rows)

        def peer(evaluator: _InclusiveMetricsEvaluator = evaluator) -> list[bool]:
            return [evaluator.eval(file) for file in files]

        if ours().to_pylist() != peer():
            raise AssertionError(text)
        found.append(race(shortened(text), ours, peer))
    return found


def filtering() -> Sequence[Measured]:
    batch = pa.record_batch(
        [
            pa.array(range(ROWS), pa.int64()),
            pa.array([at % 1000 / 7 for at in range(ROWS)], pa.float64()),
            pa.array([f"name-{at % 5000}" for at in range(ROWS)]),
        ],
        schema=SCHEMA,
    )
    predicates: list[Predicate] = [
        Compare("price", Op.GT, pa.scalar(100.0)),
        And((Compare("id", Op.LT, pa.scalar(ROWS // 2)), Compare("price", Op.LE, pa.scalar(50.0)))),
        IsIn("name", pa.array([f"name-{at}" for at in range(0, 5000, 50)])),
        StartsWith("name", "name-12"),
    ]
    found: list[Measured] = []
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("batch", batch)
        for predicate in predicates:
            bound = bind(predicate, SCHEMA)
            text = describe(bound)
            query = f"SELECT ({text}) AS kept FROM batch"

            def ours(bound: Predicate = bound) -> pa.BooleanArray:
                return evaluate(bound, batch)

            def peer(query: str = query) -> pa.Table:
                return connection.execute(query).to_arrow_table()

            if ours().to_pylist() != peer().column(0).to_pylist():
                raise AssertionError(text)
            found.append(race(shortened(text), ours, peer))
    return found


def main() -> None:
    print(f"{'median milliseconds':<46}{'lakeport':>10}{'peer':>12}{'ratio':>10}")
    print(f"-- prune {FILES:,} files; peer: PyIceberg's metrics evaluator, files in memory")
    for measured in pruning():
        print(measured)
    print(f"-- filter {ROWS:,} rows of Arrow; peer: DuckDB {duckdb.__version__}, one thread")
    for measured in filtering():
        print(measured)


if __name__ == "__main__":
    main()
