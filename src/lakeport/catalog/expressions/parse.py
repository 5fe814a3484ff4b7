"""Text in, a checked expression out.

An `Expression` can only be made here, so whoever holds one knows that it reads its own row alone,
always gives the same answer and ends. Its `sql` is the normalised text: it may be stored, sent to a
replica, and parsed again there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from lakeport.catalog.expressions import engine, tree
from lakeport.catalog.expressions.arrow import table_of
from lakeport.catalog.expressions.check import bind
from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import NameMap, fold

MAX_TEXT = 64 * 1024
MAX_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Expression:
    """One SQL expression over the columns of a schema."""

    sql: str
    columns: frozenset[str]


def parse_expression(sql: str, schema: pa.Schema) -> Expression:
    """Refuses what cannot be read, may not run or does not fit the schema's types."""
    return _parse(sql, schema)


@lru_cache(maxsize=1024)
def _parse(sql: str, schema: pa.Schema) -> Expression:
    bound = bind(_read(sql), NameMap((column.name, column.type) for column in schema))
    nodes = [node for node in tree.walk(bound) if node["class"] != "CONSTANT"]
    if len(nodes) > MAX_NODES:
        raise LimitError(
            f"the expression has {len(nodes):,} parts", hint=f"at most {MAX_NODES:,} are allowed"
        )
    text = tree.text(bound)
    names = frozenset(n["column_names"][0] for n in nodes if n["class"] == "COLUMN_REF")
    expression = Expression(text, names)
    engine.type_name(text, table_of(schema.empty_table(), expression.columns))
    return expression


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


def _read(sql: str) -> tree.Node:
    if len(sql.encode(errors="replace")) > MAX_TEXT:
        raise LimitError(
            f"the expression is longer than {MAX_TEXT // 1024} kB", hint="split it, or use a join"
        )
    if "\0" in sql or any("\ud800" <= character <= "\udfff" for character in sql):
        raise InvalidRequestError("the expression holds a character that SQL text cannot have")
    return tree.parse(sql)
