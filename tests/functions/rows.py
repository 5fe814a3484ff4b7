"""Arguments and rows for functions, as a caller sends them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.catalog.functions import InOutFunction, ScalarFunction, TableFunction
from lakeport.catalog.ports import ScanRequest


def nothing(rows: int = 1) -> pa.RecordBatch:
    """Without a column, and still with rows."""
    empty: Any = pa.array([{}] * rows, pa.struct([]))
    return pa.RecordBatch.from_struct_array(empty)


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.record_batch(columns) if columns else nothing()


def called(function: ScalarFunction, **columns: Any) -> list[Any]:
    return function.call(batch(**columns)).to_pylist()


def read(
    function: TableFunction, request: ScanRequest | None = None, **arguments: Any
) -> list[Any]:
    """Arguments are single values; None is one that was left out."""
    given = {
        field.name: pa.array([arguments[field.name]], field.type)
        for field in function.signature.parameters
    }
    bound = function.bind(batch(**given))
    with bound.open(request or ScanRequest()) as stream:
        return stream.read_all().to_pylist()


def poured(
    function: InOutFunction, *batches: pa.RecordBatch, **arguments: Any
) -> tuple[list[list[Any]], list[Any]]:
    """What came for each batch, and at the end."""
    call = function.start(
        batch(**{k: pa.array([v]) for k, v in arguments.items()}), batches[0].schema
    )
    try:
        each = [[row for made in call.process(one) for row in made.to_pylist()] for one in batches]
        return each, [row for made in call.finish() for row in made.to_pylist()]
    finally:
        call.close()
