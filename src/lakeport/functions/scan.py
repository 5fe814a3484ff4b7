"""What of a table function's rows is asked for. Who takes it may do less work; nobody has to."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Predicate


@dataclass(frozen=True, slots=True)
class Scan:
    """A function with a parameter `scan: Scan` gets it.

    `columns` are the names to give, in the schema's spelling; others may be left out. Rows that
    `predicate` refuses may be left out. After `limit` rows nothing is read any more; None is no limit.
    """

    columns: tuple[str, ...]
    predicate: Predicate | None = None
    limit: int | None = None


def scan_of(request: ScanRequest, schema: pa.Schema) -> Scan:
    """A limit counts rows that the conditions keep, so it is told only where there are none."""
    columns = tuple(schema.names) if request.columns is None else request.columns
    is_free = request.predicate is None and request.expression is None
    return Scan(columns, request.predicate, request.limit if is_free else None)
