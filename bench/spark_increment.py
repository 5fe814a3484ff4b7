"""10,000 changed rows into a million, warm: our engine beside MERGEs that a person writes.

One JVM, one session, one door for all of them; each has a table of its own with the same rows, and in each
round all of them get the same increment, in an order that changes. The first rounds only warm up. By hand,
as well as it can be done: rows staged once, bounds of their keys asked for, rows marked as deleted beside the
files. As people write it: one MERGE straight from the query, on such a table and on one that is as Iceberg
makes it. In the end all tables must hold the same rows.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.spark_parts import processor
from lakeport.app.lake.lake import Lake
from lakeport.pipeline.session import Session
from lakeport.pipeline.session.own import OwnSpark

ROUNDS, WARM_UP = 7, 3
LOADS = 10
"""That the table is made by, each of the keys that follow: what bounds can leave out are whole files."""
AT_MOST = 1.3
HAND, PEOPLE = "by hand, staged and bounded", "as people write it"
DEFAULT = "the same, table as Iceberg makes it"
OURS = {"lakeport delete_insert": "delete_insert", "lakeport merge": "merge"}

_COLUMNS = "id, customer, amount, placed_at, note"
_MADE = """id, id % 1000 AS customer, CAST(id * 7 % 10000 / 100 AS DECIMAL(9, 2)) AS amount,
    timestamp_micros(1700000000000000 + id * 1000000) AS placed_at, concat('{note} ', id) AS note"""
_MERGE = """MERGE INTO {table} AS t USING {source} AS s ON t.id = s.id{bounds}
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
_TABLE = """CREATE TABLE {table} (id BIGINT, customer BIGINT, amount DECIMAL(9, 2), placed_at TIMESTAMP,
    note STRING) USING iceberg TBLPROPERTIES ('format-version' = '2'{properties})"""
_MERGE_ON_READ = "".join(
    f", 'write.{what}.mode' = 'merge-on-read'" for what in ("delete", "update", "merge")
)
# Of rows in any order; each is there once, or xor would take two for none.
_RESULT = f"SELECT count(*), bit_xor(xxhash64({_COLUMNS})) FROM {{table}}"


@dataclass(slots=True)
class Way:
    table: str
    write: Callable[[], object]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Size:
    rows: int
    changed: int

    def increment(self, number: int) -> str:
        """Half of the rows replace the youngest ones there are, half are new."""
        half = self.changed // 2
        first = self.rows + (number - 1) * half
        made = _MADE.format(note=f"round {number}")
        return f"SELECT {made} FROM range({first}, {first + self.changed})"


def main() -> int:
    size = Size(100_000, 1_000) if is_quick() else Size(1_000_000, 10_000)
    rounds = 2 if is_quick() else ROUNDS
    with _opened() as lake:
        session = lake.spark()
        jvm = _jvm(lake)
        ways = _ways(lake, session)
        _filled(session, ways, size)
        for number in range(WARM_UP + rounds):
            session.sql(f"INSERT OVERWRITE shop.changes {size.increment(number)}").collect()
            turn = list(ways.values())
            for way in turn[number % len(turn) :] + turn[: number % len(turn)]:
                _measure(way, jvm, counts=number >= WARM_UP)
        results = {str(session.sql(_RESULT.format(table=w.table)).collect()) for w in ways.values()}
    if len(results) != 1:
        print("the results differ:", *results, sep="\n")
        return 1
    return _told(ways, size)


@contextmanager
def _opened() -> Iterator[Lake]:
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        Path(folder, "lakeport.toml").touch()
        with lakeport.open(folder) as lake:
            yield lake


def _ways(lake: Lake, session: Session) -> dict[str, Way]:
    query = f"SELECT {_COLUMNS} FROM shop.changes"

    def ours(table: str, strategy: str) -> Callable[[], object]:
        return lambda: lake.write(
            query, into=table, strategy=strategy, unique_key="id", session=session
        )

    def by_hand(table: str) -> Callable[[], object]:
        return lambda: _staged_and_bounded(session, query, table)

    def plainly(table: str) -> Callable[[], object]:
        merge = _MERGE.format(table=table, source=f"({query})", bounds="")
        return lambda: session.sql(merge).collect()

    return {
        **{
            name: Way(f"shop.{strategy}", ours(f"shop.{strategy}", strategy))
            for name, strategy in OURS.items()
        },
        HAND: Way("shop.hand", by_hand("shop.hand")),
        PEOPLE: Way("shop.people", plainly("shop.people")),
        DEFAULT: Way("shop.rewritten", plainly("shop.rewritten")),
    }


def _staged_and_bounded(session: Session, query: str, table: str) -> None:
    """What our engine does to the same end, and nothing else of it."""
    staged = session.sql(query).localCheckpoint()
    staged.createOrReplaceTempView("staged")
    (low, high) = session.sql("SELECT min(id), max(id) FROM staged").collect()[0]
    bounds = f" AND t.id BETWEEN {low} AND {high}"
    session.sql(_MERGE.format(table=table, source="staged", bounds=bounds)).collect()
    session.sql("DROP VIEW staged")


def _filled(session: Session, ways: dict[str, Way], size: Size) -> None:
    session.sql("CREATE NAMESPACE shop")
    for name, way in ways.items():
        modes = "" if name == DEFAULT else _MERGE_ON_READ
        session.sql(_TABLE.format(table=way.table, properties=modes))
        for load in range(LOADS):
            keys = f"range({load * size.rows // LOADS}, {(load + 1) * size.rows // LOADS}, 1, 1)"
            made = _MADE.format(note="first")
            session.sql(f"INSERT INTO {way.table} SELECT {made} FROM {keys}").collect()
    session.sql(_TABLE.format(table="shop.changes", properties=""))


def _jvm(lake: Lake) -> int:
    spark = lake.pipeline().spark()
    if not isinstance(spark, OwnSpark):
        raise TypeError("this bench is about a Spark of our own")
    return spark.process_id


def _measure(way: Way, jvm: int, *, counts: bool) -> None:
    cpu, start = processor.seconds(jvm), time.perf_counter()
    way.write()
    if counts:
        way.wall.append(time.perf_counter() - start)
        way.cpu.append(processor.seconds(jvm) - cpu)


def _told(ways: dict[str, Way], size: Size) -> int:
    hand, people = ways[HAND], ways[PEOPLE]
    print(f"  {size.changed:,} rows into {size.rows:,}, load {os.getloadavg()[0]:.1f}\n")
    print(f"  {'':<36}{'wall ms':>9}{'JVM cpu ms':>12}{'x wall':>8}{'x cpu':>7}")
    for name, way in ways.items():
        wall, cpu = statistics.median(way.wall), statistics.median(way.cpu)
        against = wall / statistics.median(hand.wall), cpu / statistics.median(hand.cpu)
        print(
            f"  {name:<36}{wall * 1e3:>9.0f}{cpu * 1e3:>12.0f}{against[0]:>8.2f}{against[1]:>7.2f}"
        )
    bars = []
    for name in OURS:
        for clock, mine, by_hand, theirs in (
            ("wall", ways[name].wall, hand.wall, people.wall),
            ("CPU", ways[name].cpu, hand.cpu, people.cpu),
        ):
            bars += [
                Line(f"{name} / by hand, {clock}", _ratio(mine, by_hand), AT_MOST),
                Line(f"{name} / as people write it, {clock}", _ratio(mine, theirs), 1.0),
            ]
    return finish(bars)


def _ratio(one: list[float], other: list[float]) -> float:
    """Of rounds, since what was on the machine in one of them has met both."""
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


if __name__ == "__main__":
    sys.exit(main())
