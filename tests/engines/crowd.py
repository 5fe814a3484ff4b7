"""Four engines that write to one table at the same time, and what each was told it had done.

Every writer has keys of its own, and all but PyIceberg count up one shared row. A statement that was
refused must have done nothing; one that was acknowledged must have happened once. So the rows are the
sum of what was acknowledged, the shared row is the number of counts, and so many commits there were.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import grpc
import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import CommitFailedException

from tests.airport.attached import ROW_ID, Attached
from tests.airport.exchange.talk import descriptor_of
from tests.engines.apart import RefusedError
from tests.engines.duck import Duck
from tests.engines.plain import Row, in_order
from tests.engines.spark import Spark

SHARED = 0
TABLE = "crowded"
MADE = (
    f"""CREATE TABLE {TABLE} (k BIGINT, v BIGINT) USING iceberg TBLPROPERTIES (
        'write.merge.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read',
        'commit.retry.num-retries' = '10', 'commit.retry.min-wait-ms' = '10')""",
    f"INSERT INTO {TABLE} VALUES ({SHARED}, 0)",
)
COUNT = f"UPDATE {TABLE} SET v = v + 1 WHERE k = {SHARED}"

_REFUSALS = (RefusedError, CommitFailedException, grpc.RpcError)
_SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])


@dataclass
class Ledger:
    """What one writer was told: rows of its own, counts of the shared row, commits."""

    rows: dict[int, int] = field(default_factory=dict)
    counts: int = 0
    commits: int = 0
    refusals: list[str] = field(default_factory=list)

    def attempt(self, statement: Callable[[], object]) -> bool:
        try:
            statement()
        except _REFUSALS as refused:
            self.refusals.append(str(refused))
            return False
        self.commits += 1
        return True

    def count(self, statement: Callable[[], object]) -> None:
        self.counts += self.attempt(statement)


def with_spark(spark: Spark, ledger: Ledger, rounds: int) -> Iterator[None]:
    for number in range(rounds):
        new, old = 1_000 + number, 999 + number
        merge = f"""MERGE INTO {TABLE} t USING (
            SELECT * FROM VALUES ({new}L, {number}L), ({old}L, -{number}L) AS s (k, v)) s
            ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v
            WHEN NOT MATCHED AND s.k = {new} THEN INSERT *"""
        if ledger.attempt(partial(spark.sql, merge)):
            if old in ledger.rows:
                ledger.rows[old] = -number
            ledger.rows[new] = number
        yield
        ledger.count(partial(spark.sql, COUNT))
        yield


def over_airport(airport: Attached, ledger: Ledger, rounds: int) -> Iterator[None]:
    table = descriptor_of("shop", TABLE)

    def look(key: int) -> tuple[int, int]:
        """The value and the row id of a row."""
        found = airport.read(table)
        at = found["k"].to_pylist().index(key)
        return found["v"][at].as_py(), found[ROW_ID][at].as_py()

    for number in range(rounds):
        key = 2_000 + number
        row = pa.table({"k": [key], "v": [number]}, schema=_SCHEMA)
        if ledger.attempt(partial(airport.insert, table, row)):
            ledger.rows[key] = number
        yield
        value, row_id = look(SHARED)
        more = pa.table({"v": pa.array([value + 1]), ROW_ID: pa.array([row_id])})
        ledger.count(partial(airport.update, table, more))
        yield
        doomed = min(ledger.rows, default=None)
        if number % 2 and doomed is not None:
            _, row_id = look(doomed)
            if ledger.attempt(partial(airport.delete, table, [row_id])):
                del ledger.rows[doomed]
            yield


def with_pyiceberg(client: RestCatalog, ledger: Ledger, rounds: int) -> Iterator[None]:
    for number in range(2 * rounds):
        key = 3_000 + number
        row = pa.table({"k": [key], "v": [number]}, schema=_SCHEMA)
        if ledger.attempt(partial(client.load_table(("shop", TABLE)).append, row)):
            ledger.rows[key] = number
        yield


def with_duckdb(duck: Duck, ledger: Ledger, rounds: int) -> Iterator[None]:
    for number in range(rounds):
        key = 4_000 + number
        if ledger.attempt(partial(duck.sql, f"INSERT INTO {TABLE} VALUES ({key}, {number})")):
            ledger.rows[key] = number
        yield
        ledger.count(partial(duck.sql, COUNT))
        yield


def take_turns(programs: Iterable[Iterator[None]], seed: int) -> None:
    """One statement after the other, in an order that the seed decides."""
    rng = random.Random(seed)  # noqa: S311  repeatable, not secret
    running = list(programs)
    while running:
        program = rng.choice(running)
        try:
            next(program)
        except StopIteration:
            running.remove(program)


def run_together(programs: Sequence[Iterator[None]]) -> None:
    """Each on a thread of its own; what goes wrong in one is raised here."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(programs))

    def work(program: Iterator[None]) -> None:
        start.wait()
        try:
            for _ in program:
                pass
        except BaseException as failure:  # noqa: BLE001  a thread's failure is the test's to raise
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(program,)) for program in programs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def expected(ledgers: Sequence[Ledger]) -> list[Row]:
    rows = {SHARED: sum(ledger.counts for ledger in ledgers)}
    for ledger in ledgers:
        rows |= ledger.rows
    return in_order(rows.items())
