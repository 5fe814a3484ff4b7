"""What a system table is made of: columns, and a function that makes rows of what a caller may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.system.view import View

_PIECE = 1_000

MOMENT = pa.timestamp("us", tz="UTC")
"""DuckDB has none finer with a zone."""

Column: TypeAlias = tuple[str, pa.DataType]

PLACE: tuple[Column, ...] = (("namespace", pa.string()), ("table", pa.string()))

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Callable[[View], Iterator[Row]]


@dataclass(frozen=True, slots=True)
class Known:
    """One system table. A column that a row does not name is NULL in it."""

    definition: Definition
    rows: Rows

    def batches(self, view: View) -> Iterator[pa.RecordBatch]:
        rows = self.rows(view)
        while piece := list(islice(rows, _PIECE)):
            yield pa.RecordBatch.from_pylist(piece, schema=self.definition.schema)


def known(comment: str, columns: Iterable[Column], rows: Rows) -> Known:
    return Known(Definition(pa.schema(list(columns)), comment=comment), rows)


def moment(nanoseconds: int) -> int:
    return nanoseconds // 1_000
