"""A table of somebody's own data: read through a function of theirs, changed through their object's methods.

What a table can do follows from what it was given: an object with `insert` takes INSERT, one with `update`
takes UPDATE. Code of theirs may fail in any way; the caller is told that it is theirs (`core.foreign`).
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.airport.library.rows import Fitting, batches_of
from lakeport.airport.library.writing import Changing, Deleting, Inserting, Updating
from lakeport.catalog.definition import ROW_ID_FIELD, Definition
from lakeport.catalog.ports import (
    ColumnStatistics,
    ScanPlan,
    ScanRequest,
    Split,
    TableState,
    WriteContext,
)
from lakeport.catalog.requests import BoundRequest, bind_request
from lakeport.catalog.scan import Scan
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.foreign import each, foreign
from lakeport.core.names import ROW_ID, TableName, fold, quoted

Reader: TypeAlias = Callable[..., Any]
"""Takes a `Scan`, or nothing."""

_SNAPSHOT = 1
_WHOLE = Split(_SNAPSHOT, (0,))
# A table is the same on every replica, and after a restart: a ticket is good there, too.
_FAMILY = uuid.UUID("b1d0f1e6-3f0b-5b0e-8a57-0c1d8f1f5a77")


@dataclass(frozen=True, slots=True)
class Made:
    """What a table is made of. `definition` is asked anew each time: columns may change.

    `row_id` is an int64 column of its own that serves as the row id; without one the reader gives a
    column `rowid` when it is asked for. `target` has the methods that change it, if there are any: a frame
    has an `insert` too, and it is none of these.
    """

    catalog: str
    name: TableName
    definition: Callable[[], Definition]
    read: Reader
    row_id: str | None = None
    rows_known: Callable[[], int] | None = None
    takes_scan: bool = True
    target: object = None


class ReadTable:
    """Read-only, unless a class below adds more."""

    def __init__(self, made: Made) -> None:
        self._made = made
        self._target: Any = made.target

    @property
    def name(self) -> TableName:
        return self._made.name

    @property
    def what(self) -> str:
        return f"table {quoted(str(self.name))}"

    def state(self) -> TableState:
        with foreign(self.what):
            definition = self._made.definition()
        layout = definition.schema.serialize().to_pybytes().hex()
        known = uuid.uuid5(_FAMILY, f"{self._made.catalog} {self.name} {layout}")
        return TableState(str(known), self.name, definition, 0, _SNAPSHOT, 1)

    def plan(self, request: ScanRequest) -> ScanPlan:
        state = self.state()
        bound = self._bound(request, state)
        splits = () if request.limit == 0 else (_WHOLE,)
        is_whole = request.predicate is None and request.expression is None
        rows = None
        if is_whole and self._made.rows_known is not None:
            with foreign(self.what):
                rows = self._made.rows_known()
        return ScanPlan(state, bound.schema, splits, rows, exact=is_whole)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        if split != _WHOLE:
            raise InvalidRequestError("the split names a part that its snapshot does not have")
        bound = self._bound(request, self.state())
        return BatchStream(bound.schema, self._batches(bound, request))

    def _bound(self, request: ScanRequest, state: TableState) -> BoundRequest:
        if request.at is not None:
            raise UnsupportedError(f"{self.what} cannot be read as of an earlier point")
        return bind_request(request, state.definition.schema)

    def _batches(
        self, bound: BoundRequest, request: ScanRequest
    ) -> Generator[pa.RecordBatch, None, None]:
        wanted = bound.schema
        schema = self.state().definition.schema
        fitting = Fitting(str(self.name), self._given(wanted))
        columns = [schema.field(index).name for index in bound.needed]
        row_id = self._made.row_id
        if request.row_ids and row_id is not None and row_id not in columns:
            columns.append(row_id)
        scan = Scan.of(request, tuple(columns), bound.predicate)
        with foreign(self.what):
            found = self._made.read(scan) if self._made.takes_scan else self._made.read()
        typed = pa.schema([*schema, ROW_ID_FIELD]) if request.row_ids else schema
        for batch in each(batches_of(found, typed, self.what), self.what):
            if batch.num_rows:
                yield self._shown(fitting.batch(batch), wanted)

    def _given(self, wanted: pa.Schema) -> pa.Schema:
        """What the reader has to give for it: a column of its own in the place of the row id."""
        row_id = self._made.row_id
        if row_id is None:
            return wanted
        fields = [
            pa.field(row_id, pa.int64(), nullable=False) if fold(each.name) == ROW_ID else each
            for each in wanted
        ]
        return pa.schema(fields)

    def _shown(self, batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
        if batch.schema is wanted or not len(wanted):
            return batch
        return pa.RecordBatch.from_arrays(batch.columns, schema=wanted)


class InsertTable(ReadTable):
    def insert(self, context: WriteContext | None = None) -> Changing:
        del context  # who writes is in `current_request`
        return Inserting(self.state(), self._target.insert, self.what)


class UpdateTable(ReadTable):
    def update(self, context: WriteContext | None = None) -> Changing:
        del context
        return Updating(self.state(), self._target.update, self.what)


class DeleteTable(ReadTable):
    def delete(self, context: WriteContext | None = None) -> Changing:
        del context
        return Deleting(self.state(), self._target.delete, self.what, self)


class MeasuredTable(ReadTable):
    """Nobody but its author knows when rows change, so what they tell is theirs to keep true."""

    statistics_hold = True

    def statistics(self, column: str) -> ColumnStatistics:
        with foreign(self.what):
            found: ColumnStatistics = self._target.statistics(column)
        return found


_ABILITIES: dict[str, type[ReadTable]] = {
    "insert": InsertTable,
    "update": UpdateTable,
    "delete": DeleteTable,
    "statistics": MeasuredTable,
}


def table_of(made: Made) -> ReadTable:
    """With the abilities that its target has methods for."""
    able = tuple(word for word in _ABILITIES if callable(getattr(made.target, word, None)))
    if {"update", "delete"} & set(able):
        _require_row_id(made)
    return _class_of(able)(made)


@cache
def _class_of(able: Sequence[str]) -> type[ReadTable]:
    bases = tuple(_ABILITIES[word] for word in able) or (ReadTable,)
    made: type[ReadTable] = type("ForeignTable", bases, {"__module__": __name__})
    return made


def _require_row_id(made: Made) -> None:
    if made.row_id is None:
        return
    column = made.definition().schema.field(made.row_id)
    if column.type != pa.int64():
        raise InvalidRequestError(
            f"table {quoted(str(made.name))}: the row id {quoted(column.name)} is {column.type}, not int64",
            hint="choose an int64 column, or give a column `rowid` while you read",
        )


def takes_scan(reader: Reader) -> bool:
    """Whether it has a parameter to be told what is wanted."""
    try:
        parameters = inspect.signature(reader).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        parameter.kind in {*kinds, inspect.Parameter.VAR_POSITIONAL} for parameter in parameters
    )
