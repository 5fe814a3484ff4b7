"""Batches that were made for a request, with its conditions and its limit applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from lakeport.catalog.arrays.selection import chosen, take_rows, with_columns
from lakeport.catalog.conditions import accepted
from lakeport.catalog.requests import BoundRequest


def apply_request(
    bound: BoundRequest, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The batches have the columns that the request needs, in the order of the schema."""
    left = bound.request.limit
    if left == 0:
        return
    for batch in batches:
        mask = accepted(bound.predicate, bound.request.expression, batch)
        found = (batch if mask is None else take_rows(batch, chosen(mask))).slice(0, left)
        if found.num_rows:
            columns = [found.column(place) for place in bound.places]
            yield with_columns(columns, bound.schema, found.num_rows)
        if left is not None:
            left -= found.num_rows
            if left == 0:
                return
