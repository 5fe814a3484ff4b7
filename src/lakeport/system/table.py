"""A table that is made while it is read. It has no past, no row ids, and nobody writes to it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.arrays.selection import chosen, take_rows, with_columns
from lakeport.catalog.conditions import accepted
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import ScanPlan, ScanRequest, Split, TableState
from lakeport.catalog.requests import BoundRequest, bind_request
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import TableName, quoted

_SNAPSHOT = 1
WHOLE = Split(_SNAPSHOT, (0,))

# Every server of every lake knows these tables under the same id, so a ticket is good on any replica.
_FAMILY = uuid.UUID("4f0f3d53-6c0e-5b7b-9a7e-6f2f0d6b9c11")


@dataclass(frozen=True, slots=True)
class SystemTable:
    """`produce` gives batches of the whole schema, and starts anew for each read."""

    name: TableName
    definition: Definition
    produce: Callable[[], Iterator[pa.RecordBatch]]

    def state(self) -> TableState:
        # The layout is part of the id: a client that holds an older one is told so.
        layout = self.definition.schema.serialize().to_pybytes().hex()
        return TableState(
            str(uuid.uuid5(_FAMILY, f"{self.name} {layout}")),
            self.name,
            self.definition,
            schema_id=0,
            snapshot_id=_SNAPSHOT,
            version=1,
        )

    def plan(self, request: ScanRequest) -> ScanPlan:
        splits = () if request.limit == 0 else (WHOLE,)
        return ScanPlan(self.state(), self._bind(request).schema, splits)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        if split != WHOLE:
            raise InvalidRequestError("the split names a part that its snapshot does not have")
        bound = self._bind(request)
        return BatchStream(bound.schema, self._batches(bound))

    def _bind(self, request: ScanRequest) -> BoundRequest:
        if request.at is not None or request.row_ids:
            missing = "be read as of an earlier point" if request.at else "give row ids"
            raise UnsupportedError(f"table {quoted(str(self.name))} cannot {missing}")
        return bind_request(request, self.definition.schema)

    def _batches(self, bound: BoundRequest) -> Iterator[pa.RecordBatch]:
        left = bound.request.limit
        for batch in self.produce():
            wanted = _matching(bound, batch).slice(0, left)
            if wanted.num_rows:
                yield with_columns(
                    [wanted.column(index) for index in bound.output], bound.schema, wanted.num_rows
                )
            if left is not None:
                left -= wanted.num_rows
            if left == 0:
                return


def _matching(bound: BoundRequest, batch: pa.RecordBatch) -> pa.RecordBatch:
    mask = accepted(bound.predicate, bound.request.expression, batch)
    return batch if mask is None else take_rows(batch, chosen(mask))
