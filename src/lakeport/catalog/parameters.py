"""What a function takes: Arrow fields whose metadata says how each is given.

The flags are DuckDB's own (Airport's `is_named_parameter`, `is_any_type`, `is_table_type`): any text that
is not empty sets one. A named parameter that is left out arrives as NULL.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Field

NAMED = b"is_named_parameter"
ANY = b"is_any_type"
TABLE = b"is_table_type"
_SET = b"true"


def parameter(name: str, data_type: pa.DataType, *, named: bool = False) -> Field:
    """Named ones are for table functions alone: `f(3, step := 5)`."""
    field: Field = pa.field(name, data_type)
    return field.with_metadata({NAMED: _SET}) if named else field


def any_parameter(name: str, *, named: bool = False) -> Field:
    """Of whatever type the caller has: it is told by the arguments."""
    flags = {ANY: _SET, NAMED: _SET} if named else {ANY: _SET}
    field: Field = pa.field(name, pa.null(), metadata=flags)
    return field


def table_parameter(name: str) -> Field:
    """The rows that a function takes, of any columns. Exactly one, and only where it takes rows."""
    field: Field = pa.field(name, pa.null(), metadata={TABLE: _SET})
    return field


def is_named(field: Field) -> bool:
    return _has(field, NAMED)


def is_any(field: Field) -> bool:
    return _has(field, ANY)


def is_table(field: Field) -> bool:
    return _has(field, TABLE)


def _has(field: Field, flag: bytes) -> bool:
    return bool((field.metadata or {}).get(flag))
