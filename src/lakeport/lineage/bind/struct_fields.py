"""Fields of structs that an expression puts together itself: `STRUCT(a, b).b`, `(SELECT AS STRUCT …).b`.

What the other fields are made of does not flow into the one that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.types import SqlType, struct_of

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item

_CASTS = (exp.Cast, exp.TryCast)
# Queries whose rows are structs, or are taken apart like them.
_ROWS = frozenset({"STRUCT", "VALUE"})


class Part(NamedTuple):
    """A field of a struct and the expression of its value."""

    name: str
    value: exp.Expr


def written_parts(binder: Binder, node: exp.Expr | None) -> list[Part] | None:
    """The fields of a struct that is written out; None for any other expression."""
    names: list[str] | None = None
    while node.__class__ is exp.Paren or isinstance(node, _CASTS):
        if node.__class__ is not exp.Paren and names is None:
            kind = node.args["to"]
            if not isinstance(kind, exp.DataType) or not kind.is_type(exp.DataType.Type.STRUCT):
                return None
            names = [part.name for part in kind.expressions]
        node = node.this
    if node.__class__ is not exp.Struct:
        return None
    spark = binder.dialect.naming == "spark"
    parts = [_part(item, place, spark=spark) for place, item in enumerate(node.expressions, 1)]
    if names is None:
        return parts
    if binder.dialect.name == "duckdb" and {part.name for part in parts} >= {*names}:
        # DuckDB matches the fields of two structs by name.
        return parts
    values = [part.value for part in parts]
    return [Part(*pair) for pair in zip(names, values, strict=False)]


def _part(item: exp.Expr, place: int, *, spark: bool) -> Part:
    if isinstance(item, exp.PropertyEQ):
        return Part(item.this.name, item.expression)
    if isinstance(item, exp.Alias):
        return Part(item.alias, item.this)
    if isinstance(item, exp.Column | exp.Dot):
        return Part(item.name, item)
    return Part(f"col{place}" if spark else "", item)


def part_named(binder: Binder, parts: list[Part], name: str) -> Part | None:
    """The only field of that name."""
    key = binder.folding.column(name)
    found = [part for part in parts if binder.folding.column(part.name) == key]
    return found[0] if len(found) == 1 else None


def query_inside(node: exp.Expr | None) -> exp.Expr | None:
    """The query whose row a value is: `(SELECT …)`, `ARRAY(SELECT …)[OFFSET(0)]`."""
    while isinstance(node, exp.Paren | exp.Bracket):
        node = node.this
    if isinstance(node, exp.Array) and len(node.expressions) == 1:
        node = node.expressions[0]
    return node if isinstance(node, exp.Query) else None


def makes_structs(query: exp.Expr) -> bool:
    """`SELECT AS STRUCT a, b` and `SELECT AS VALUE STRUCT(a, b)`: the row is the value."""
    while query.__class__ is exp.Subquery:
        query = query.args["this"]
    return query.args.get("kind") in _ROWS


def struct_type(binder: Binder, items: list[Item]) -> SqlType | None:
    """The type of a row as a struct."""
    columns = [item for item in items if isinstance(item, Column)]
    if len(columns) < len(items):
        return None
    return struct_of((column.name, binder.types.of_column(column)) for column in columns)


def row_field(binder: Binder, query: exp.Expr | None, name: str) -> Column | None:
    """A field of the rows of a query that is bound already; None if they are no structs."""
    key = binder.folding.column(name)
    held = binder.struct_rows.get(id(query)) if query is not None else None
    found = [item for item in held or () if isinstance(item, Column) and item.key == key]
    return found[0] if len(found) == 1 else None
