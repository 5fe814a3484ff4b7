"""INSERT, UPDATE and DELETE through an object's methods: rows are gathered, and the method is called once.

    insert(rows: pa.Table)
    update(row_ids: pa.Int64Array, rows: pa.Table)   rows are new values of the columns they name
    delete(row_ids: pa.Int64Array)

A method that raises has changed nothing, as far as its caller is told; it may say how many rows it changed.
What arrives was validated, has the declared types, and no NULL where none may be.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import ScanRequest, TableState, Written
from lakeport.catalog.reading import read
from lakeport.catalog.rows.conform import conform_delete, conform_insert, conform_update
from lakeport.catalog.rows.constraints import check_rows
from lakeport.catalog.rows.received import as_received
from lakeport.catalog.staging import Staging
from lakeport.core.foreign import foreign

if TYPE_CHECKING:
    from lakeport.airport.library.table import ReadTable


class Changing(Staging):
    def __init__(self, state: TableState, method: Callable[..., Any], what: str) -> None:
        self._state = state
        self._method = method
        self._what = what
        self._rows = 0

    def commit(self) -> Written:
        self._require_open()
        self._is_open = False
        if not self._rows:
            return Written(0, None, self._state.version)
        with foreign(self._what):
            told = self._method(*self._arguments())
        is_count = isinstance(told, int) and not isinstance(told, bool)
        return Written(told if is_count else self._rows, None, self._state.version)

    def _undo(self) -> None:
        self._rows = 0

    @abstractmethod
    def _arguments(self) -> tuple[Any, ...]: ...


class Inserting(Changing):
    def __init__(self, state: TableState, method: Callable[..., Any], what: str) -> None:
        super().__init__(state, method, what)
        self._batches: list[pa.RecordBatch] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch:
        del returning
        rows = conform_insert(batch, self._state.definition)
        check_rows(rows, self._state.definition)
        self._batches.append(rows)
        self._rows += rows.num_rows
        return rows

    def _arguments(self) -> tuple[Any, ...]:
        return (pa.Table.from_batches(self._batches, self._state.definition.schema),)


class Updating(Changing):
    def __init__(self, state: TableState, method: Callable[..., Any], what: str) -> None:
        super().__init__(state, method, what)
        self._ids: list[pa.Int64Array] = []
        self._values: list[pa.RecordBatch] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        assignment = conform_update(batch, self._state.definition)
        check_rows(assignment.values, Definition(assignment.values.schema))
        self._ids.append(assignment.row_ids)
        self._values.append(assignment.values)
        self._rows += len(assignment.row_ids)
        return as_received(batch, assignment) if returning else None

    def _arguments(self) -> tuple[Any, ...]:
        return pa.concat_arrays(self._ids), pa.Table.from_batches(self._values)


class Deleting(Changing):
    def __init__(
        self, state: TableState, method: Callable[..., Any], what: str, table: ReadTable
    ) -> None:
        super().__init__(state, method, what)
        self._table = table
        self._ids: list[pa.Int64Array] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        ids = conform_delete(batch)
        self._ids.append(ids)
        self._rows += len(ids)
        return self._shown(ids) if returning else None

    def _arguments(self) -> tuple[Any, ...]:
        return (pa.concat_arrays(self._ids),)

    def _shown(self, ids: pa.Int64Array) -> pa.RecordBatch:
        """The rows that are about to go, in the order of their ids: the table is read for them."""
        with read(self._table, ScanRequest(row_ids=True)) as stream:
            rows = stream.read_all()
        known = rows.column(rows.num_columns - 1)
        chosen = rows.take(pc.index_in(ids, known)).drop_columns([rows.schema.names[-1]])
        return chosen.combine_chunks().to_batches()[0]
