"""The filters that DuckDB's client really sent, each with the SQL it was made from.

`filters.jsonl` is a recording: 477 conditions, the columns of their scan, and the exact text. `judge`
runs one over rows that hold every interesting value and compares with DuckDB's own answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa

from lakeport.airport.pushdown import Pushed, parse_filters
from lakeport.catalog.conditions import accepted
from tests.airport.pushdown.samples import rows

_FILE = Path(__file__).with_name("filters.jsonl")

# The client had put its clock into these.
_AT_RECORDING = {
    "tz > now() - interval 1 day": "tz > timestamptz '2026-11-14 20:17:50.119147+00'",
    "dt > current_date": "dt > date '2026-11-15'",
    "ts > now()::timestamp": "ts > timestamp '2026-11-15 20:17:58.204032'",
}


@dataclass(frozen=True, slots=True)
class Recorded:
    condition: str
    columns: tuple[tuple[str, str], ...]
    text: str

    @property
    def was_pushed(self) -> bool:
        """Conditions on other tables, and constants, never leave the client."""
        return bool(json.loads(self.text)["filters"])


@cache
def recordings() -> tuple[Recorded, ...]:
    found = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        columns = tuple((column["name"], column["type"]) for column in entry["columns"])
        condition = _AT_RECORDING.get(entry["condition"], entry["condition"])
        found.append(Recorded(condition, columns, entry["json"]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Row numbers. Where DuckDB raises an error, `failing` has the row."""

    pushed: Pushed
    total: int
    kept: frozenset[int]
    wanted: frozenset[int]
    failing: frozenset[int]


def judge(text: str, condition: str, table: pa.Table) -> Verdict:
    pushed = parse_filters(text, table.schema)
    wanted, failing = answer(condition, table)
    return Verdict(pushed, table.num_rows, kept(pushed, table), wanted, failing)


def kept(pushed: Pushed, table: pa.Table) -> frozenset[int]:
    batch = table.combine_chunks().to_batches()[0]
    mask = accepted(pushed.predicate, pushed.expression, batch)
    if mask is None:
        return frozenset(range(batch.num_rows))
    return frozenset(at for at, keeps in enumerate(mask.to_pylist()) if keeps)


def answer(condition: str, table: pa.Table) -> tuple[frozenset[int], frozenset[int]]:
    """The rows for which DuckDB finds the condition true, and those for which it fails."""
    connection = _oracle()
    connection.register("given", table)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE types AS SELECT row_number() OVER () - 1 AS at_, * FROM given"
    )
    try:
        found = connection.execute(f"SELECT at_ FROM types WHERE ({condition})").fetchall()
    except (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException):
        return _row_by_row(condition, table.num_rows)
    return frozenset(row for (row,) in found), frozenset()


def _row_by_row(condition: str, count: int) -> tuple[frozenset[int], frozenset[int]]:
    wanted, failing = set(), set()
    for row in range(count):
        connection = _oracle()
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE one AS SELECT * FROM types WHERE at_ = {row}"
        )
        try:
            if connection.execute(f"SELECT 1 FROM one AS types WHERE ({condition})").fetchall():
                wanted.add(row)
        except (
            duckdb.ConversionException,
            duckdb.OutOfRangeException,
            duckdb.InvalidInputException,
        ):
            failing.add(row)
    return frozenset(wanted), frozenset(failing)


@cache
def _oracle() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": "1"})
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def rows_for(recorded: Recorded) -> pa.Table:
    """Only the columns that the condition reads vary; a scan brings one more along."""
    names = set(re.findall(r"[^\W\d]\w*|\"[^\"]+\"", recorded.condition))
    mentioned = [c for c in recorded.columns if names & {c[0], f'"{c[0]}"'}]
    return rows(mentioned or recorded.columns[:1], recorded.condition)
