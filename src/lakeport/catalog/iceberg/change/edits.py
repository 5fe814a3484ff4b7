"""What an UPDATE sets: which rows of which files, and the values that count in the end.

Values are kept as they would be stored, in plain types that a temporary file can hold, and become what
users see again when they are put into rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.definition import require_column
from lakeport.catalog.iceberg.change.addresses import Addresses, Met, Origins
from lakeport.catalog.iceberg.change.values import ValueLog
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.types import Column, from_logical, to_logical
from lakeport.catalog.iceberg.write.follow import follow
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import InvalidRequestError


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """The rows of one data file that change: ascending positions, each with its values' number."""

    met: Met
    positions: Numbers
    numbers: Numbers


def last_edits(origins: Origins, named: Addresses) -> list[Edit]:
    """Each row once, with the values given last; files in the order of their paths, as they are read."""
    ranks = _by_path(origins)[named.files]
    order = np.lexsort((named.positions, ranks))  # stable: later mentions come later
    rank, position = ranks[order], named.positions[order]
    is_last = np.ones(len(order), np.bool_)
    is_last[:-1] = (rank[1:] != rank[:-1]) | (position[1:] != position[:-1])
    order, rank, position = order[is_last], rank[is_last], position[is_last]
    starts = np.flatnonzero(np.diff(rank, prepend=-1)).tolist()
    return [
        Edit(origins.files[int(named.files[order[start]])], position[start:end], order[start:end])
        for start, end in pairwise([*starts, len(order)])
    ]


def _by_path(origins: Origins) -> Numbers:
    """A rank for the number of each file: one file met in two snapshots has two numbers, and one rank."""
    paths = [met.file.path.encode() for met in origins.files]
    ranks = {path: rank for rank, path in enumerate(sorted(set(paths)))}
    return np.array([ranks[path] for path in paths], np.int64)


class NewValues:
    """`schema` has the columns that are set, as the table called them when the statement began."""

    def __init__(self, schema: pa.Schema, columns: Sequence[Column]) -> None:
        known = pa.schema([column.arrow for column in columns])
        self._schema = schema
        self._since = columns
        self._set = [columns[require_column(known, name)] for name in schema.names]
        self._ids = {column.field.field_id for column in self._set}
        self._stored = pa.schema([pa.field(c.arrow.name, c.stored) for c in self._set])
        self._log = ValueLog(self._stored)

    def add(self, values: pa.RecordBatch) -> None:
        if values.schema.names != self._schema.names:
            raise InvalidRequestError(
                "all batches of an UPDATE must set the same columns",
                hint="send the columns of the first batch, or use two statements",
            )
        stored = [
            from_logical(array, column)
            for array, column in zip(values.columns, self._set, strict=True)
        ]
        self._log.add(with_columns(stored, self._stored, values.num_rows))

    def finish(self) -> None:
        self._log.finish()

    def close(self) -> None:
        self._log.close()

    def sets(self, column: Column) -> bool:
        """Whether it is one of the columns, whatever it is called by now."""
        return column.field.field_id in self._ids

    def at(self, numbers: Numbers, source: Source) -> pa.RecordBatch:
        """Values under the names of this state; `ConflictError` when a column is gone or retyped."""
        stored = self._log.rows(numbers)
        shown = [
            to_logical(array, column)
            for array, column in zip(stored.columns, self._set, strict=True)
        ]
        return follow(with_columns(shown, self._schema, len(numbers)), self._since, source)
