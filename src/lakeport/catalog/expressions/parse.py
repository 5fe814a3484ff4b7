"""Text in, a checked expression out.

An `Expression` can only be made here, so whoever holds one knows that it reads its own row alone,
always gives the same answer and ends. Its `sql` is the normalised text: it may be stored, sent to a
replica, and parsed again there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from lakeport.catalog.expressions import engine, tree
from lakeport.catalog.expressions.arrow import no_rows, table_of
from lakeport.catalog.expressions.check import bind
from lakeport.catalog.expressions.expansion import check_expansion
from lakeport.catalog.expressions.growth import Growth, growth
from lakeport.catalog.expressions.program import runnable
from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import NameMap, fold

MAX_TEXT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Expression:
    """One SQL expression over the columns of a schema."""

    sql: str
    columns: frozenset[str]
    program: str
    """What the engine runs: `sql` with a faster form of some operators."""
    growth: Growth


def parse_expression(sql: str, schema: pa.Schema) -> Expression:
    """Refuses what cannot be read, may not run or does not fit the schema's types."""
    # Two schemas are equal to Python when only their metadata differs, which holds DuckDB's types.
    return _parse(sql, schema.serialize().to_pybytes())


@lru_cache(maxsize=512)
def _parse(sql: str, serialized: bytes) -> Expression:
    schema = pa.ipc.read_schema(pa.py_buffer(serialized))
    types = NameMap((column.name, column.type) for column in schema)
    bound = bind(_read(sql), types)
    text = _written(bound, types)
    names = frozenset(
        node["column_names"][0] for node in tree.walk(bound) if node["class"] == "COLUMN_REF"
    )
    nothing = table_of(no_rows(schema), names)
    run = runnable(bound)
    bounds = growth(run, types, lambda node: engine.type_name(tree.text(node), nothing))
    _check_zones(bound, nothing)
    program = text if run == bound else tree.text(run)
    expression = Expression(text, names, program, bounds)
    engine.type_name(expression.program, nothing)
    return expression


def _written(bound: tree.Node, types: NameMap[pa.DataType]) -> str:
    """The text of a checked tree. It must be read back as that very tree, or a replica and the engine
    would run something else than what was checked.
    """
    text = tree.text(bound)
    if bind(tree.parse(text), types) != bound:
        raise InvalidRequestError(
            f"the expression changes when it is written again: {text}",
            hint="write it in a simpler way",
        )
    return text


def _check_zones(bound: tree.Node, nothing: pa.Table) -> None:
    """A time of day in a named zone depends on today's summer time, although DuckDB calls it stable."""
    for node in tree.walk(bound):
        if node["class"] != "FUNCTION" or node["function_name"].lower() != "timezone":
            continue
        if engine.type_name(tree.text(node), nothing) == "TIME WITH TIME ZONE":
            raise InvalidRequestError(
                "a time of day in another time zone gives another answer each half year",
                hint="use a TIMESTAMP WITH TIME ZONE",
            )


def column_names(sql: str) -> frozenset[str]:
    """The columns a text mentions, as it spells them."""
    found = (n for n in tree.walk(_read(sql)) if n["class"] == "COLUMN_REF")
    return frozenset(node["column_names"][0] for node in found)


def rename_column(sql: str, old: str, new: str) -> str:
    """The same expression after its column `old` is called `new`."""
    read = _read(sql)
    for node in tree.walk(read):
        if node["class"] == "COLUMN_REF" and fold(node["column_names"][0]) == fold(old):
            node["column_names"][0] = new
    return tree.text(read)


def replace_columns(sql: str, others: Mapping[str, str]) -> str:
    """The same expression of other values: each column named is the SQL that stands for it."""
    read, known = _read(sql), NameMap(others.items())
    for node in list(tree.walk(read)):
        name = node["column_names"][0] if node["class"] == "COLUMN_REF" else ""
        if name in known:
            other = _read(known[name])
            node.clear()
            node.update(other)
    return tree.text(read)


def _read(sql: str) -> tree.Node:
    try:
        size = len(sql.encode())
    except UnicodeEncodeError:
        raise InvalidRequestError("the expression is no valid Unicode text") from None
    if size > MAX_TEXT:
        raise LimitError(
            f"the expression is longer than {MAX_TEXT // 1024} kB", hint="split it, or use a join"
        )
    if "\0" in sql:
        raise InvalidRequestError("the expression holds a NUL character", hint="use chr(0)")
    check_expansion(sql)
    return tree.parse(sql)
