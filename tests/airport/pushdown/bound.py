"""Filters made by DuckDB itself: its binder and optimiser, and the serialiser its client uses.

`json_serialize_plan` writes the plan of a query over a table of the given columns; what stands in its
filter is what the client would send.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import count
from typing import Any

import duckdb
import pyarrow as pa

# Else the filter goes into the scan, in another form, or an empty table makes it go away.
_OFF = "filter_pushdown,statistics_propagation,empty_result_pullup,in_clause"


@cache
def _binder() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": "1"})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET disabled_optimizers = '{_OFF}'")
    return connection


def pushed_text(condition: str, schema: pa.Schema) -> str:
    """The document for a condition over a table with these columns."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in schema.names)
    table = _table_of(schema.serialize().to_pybytes())
    return _pushed_text(f"SELECT {columns} FROM {table} WHERE {condition}")


@cache
def _table_of(columns: bytes) -> str:
    """By the bytes of a schema: equal ones may still differ in metadata, which names DuckDB's own types."""
    schema, connection = pa.ipc.read_schema(pa.py_buffer(columns)), _binder()
    name = f"t{next(_NUMBERS):04}"  # all of one length: places in the query are told, too
    connection.register("empty", pa.Table.from_batches([], schema))
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM empty")
    return name


_NUMBERS = count()


@cache  # catalogs of several kinds are asked the same
def _pushed_text(query: str) -> str:
    answer = (
        _binder().execute("SELECT json_serialize_plan(?, optimize := true)", [query]).fetchone()
    )
    assert answer is not None
    plan = json.loads(answer[0])
    assert not plan["error"], plan
    return json.dumps(
        {
            "filters": _filters(plan["plans"]),
            "column_binding_names_by_index": _scanned(plan["plans"]),
        }
    )


def _filters(found: Any) -> list[Any]:
    if isinstance(found, list):
        return [inner for part in found for inner in _filters(part)]
    if not isinstance(found, dict):
        return []
    if found.get("type") == "LOGICAL_FILTER":
        return [_with_columns(expression) for expression in found["expressions"]]
    return _filters(found.get("children", []))


def _with_columns(found: Any) -> Any:
    """A finished plan counts the columns of its scan; the client sends names with bindings instead."""
    if isinstance(found, list):
        return [_with_columns(part) for part in found]
    if not isinstance(found, dict):
        return found
    if found.get("expression_class") == "BOUND_REF":
        kind = {"expression_class": "BOUND_COLUMN_REF", "type": "BOUND_COLUMN_REF", "depth": 0}
        return {**found, **kind, "binding": {"table_index": 0, "column_index": found["index"]}}
    # A lambda counts its own parameters, inside its function's data.
    return {
        key: part if key == "function_data" else _with_columns(part) for key, part in found.items()
    }


def _scanned(found: Any) -> list[str]:
    """The names of the columns the scan reads, in its order."""
    if isinstance(found, list):
        return [name for part in found for name in _scanned(part)]
    if found.get("type") == "LOGICAL_GET":
        names: list[str] = found["names"]
        return [names[column["index"]] for column in found["column_indexes"]]
    return _scanned(found.get("children", []))
