"""A scan request held against the schema it reads: names become indices, constants get types.

Every storage does this first, when it plans and again when it opens a split, so that a bad request
is refused with the same words everywhere and before anything was opened.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.conditions import columns_read
from lakeport.catalog.definition import ROW_ID_FIELD, require_column
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Predicate, bind
from lakeport.core.errors import InvalidRequestError


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """`output` are the columns shown, in their order; `needed` these and the conditions', sorted.

    `predicate` has the schema's spelling and types. `schema` is what a stream of this request
    carries, the row id last.
    """

    request: ScanRequest
    predicate: Predicate | None
    output: tuple[int, ...]
    needed: tuple[int, ...]
    schema: pa.Schema

    @property
    def places(self) -> list[int]:
        """Where the columns of the output stand among those needed."""
        known = {index: place for place, index in enumerate(self.needed)}
        return [known[index] for index in self.output]


def bind_request(request: ScanRequest, schema: pa.Schema) -> BoundRequest:
    if request.limit is not None and request.limit < 0:
        raise InvalidRequestError(f"a limit cannot be negative, got {request.limit}")
    if request.columns is None:
        output = tuple(range(len(schema)))
    else:
        output = tuple(require_column(schema, name) for name in request.columns)
    predicate = None if request.predicate is None else bind(request.predicate, schema)
    read = columns_read(predicate, request.expression)
    needed = {*output, *(require_column(schema, name) for name in read)}
    fields = [schema.field(index) for index in output]
    if request.row_ids:
        fields.append(ROW_ID_FIELD)
    return BoundRequest(
        request,
        predicate,
        output,
        tuple(sorted(needed)),
        pa.schema(fields).with_metadata(schema.metadata),
    )
