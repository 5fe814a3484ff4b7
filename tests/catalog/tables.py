"""Short ways to write down schemas, definitions and rows in tests of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lakeport.catalog.definition import Check, Constraint, Definition
from lakeport.catalog.evolution.define import define


def columns(**types: pa.DataType) -> pa.Schema:
    return pa.schema(list(types.items()))


def table(*constraints: Constraint | str, **types: pa.DataType) -> Definition:
    """A checked definition; a text among the constraints is a CHECK."""
    named = tuple(Check(c, "") if isinstance(c, str) else c for c in constraints)
    return define(Definition(columns(**types), named))


def rows(schema: pa.Schema, *values: Sequence[Any]) -> pa.RecordBatch:
    """One tuple per row, in the order of the columns."""
    arrays = [pa.array([row[at] for row in values], field.type) for at, field in enumerate(schema)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
