"""How DuckDB spells a column's type: what a person would write in CREATE TABLE."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.expressions import engine
from lakeport.catalog.expressions.arrow import no_rows, readable_type, table_of

_COLUMN = "value"


def type_text(column: Field) -> str:
    """`DECIMAL(9,2)`, `STRUCT(a INTEGER)[]`, `TIMESTAMP WITH TIME ZONE`…"""
    # Metadata counts: GEOMETRY is known by it alone.
    return _type_text(pa.schema([column.with_name(_COLUMN)]).serialize().to_pybytes())


@lru_cache(maxsize=512)
def _type_text(serialized: bytes) -> str:
    column = pa.ipc.read_schema(pa.py_buffer(serialized)).field(0)
    readable = column.with_type(readable_type(column.type)).with_nullable(nullable=True)
    return engine.type_name(_COLUMN, table_of(no_rows(pa.schema([readable])), {_COLUMN}))
