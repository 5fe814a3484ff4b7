"""Writes of every shape, each into a table of its own: what a program is killed in at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa

from lakeport import Definition, PrimaryKey

RUN = "killed"
ROWS = 900

FIRST = f"SELECT CAST(id AS INT) AS k, DATE '2026-01-01' + CAST(id % 60 AS INT) AS day FROM range({ROWS})"
"""What all of them begin with."""

_EVERY_THIRD = f"SELECT CAST(id * 3 AS INT) AS k, 'x' AS new FROM range({ROWS // 2})"
_FIELDS: list[pa.Field[pa.DataType]] = [pa.field("k", pa.int32()), pa.field("day", pa.date32())]
_KEYED = Definition(pa.schema(_FIELDS), (PrimaryKey(("k",), "pk"),))


@dataclass(frozen=True)
class Task:
    """`definition` is of a table that is made before anything is written to it."""

    query: str
    settings: dict[str, Any]
    first: dict[str, Any]
    definition: Definition | None = None


_RANGE = {"time_column": "day", "range": (date(2026, 1, 10), date(2026, 1, 20))}
_IN_RANGE = "SELECT CAST(-id AS INT) AS k, DATE '2026-01-15' AS day, id AS new FROM range(500)"

TASKS = {
    "append": Task(_EVERY_THIRD, {"strategy": "append"}, {}),
    "delete_insert": Task(_EVERY_THIRD, {"unique_key": "k"}, {}),
    "rewritten": Task(_EVERY_THIRD, {"unique_key": "k", "write_mode": "cow"}, {}),
    "merge": Task(_EVERY_THIRD, {"unique_key": "k", "strategy": "merge"}, {}),
    "keyed": Task(_EVERY_THIRD, {"unique_key": "k"}, {}, _KEYED),
    "cut": Task(
        _IN_RANGE, {"strategy": "time_range", **_RANGE}, {"partitioned_by": ["month(day)"]}
    ),
    "full": Task(_EVERY_THIRD, {"strategy": "full"}, {}),
}


def twin(table: str) -> str:
    """The table that the same is written to by somebody whom nothing happens to."""
    return f"{table}_twin"
