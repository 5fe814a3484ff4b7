"""VALUES: rows that are written out, as a query or in a FROM clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.generators import (
    alias_names,
    generated,
    labelled_relation,
    put_in_scope,
)
from lakeport.lineage.types import Field, SqlType, read_type, star_fields

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Ref, Scope

# Where `ROW(…)` in a VALUES list is the row itself.
_WRITE_ROW = frozenset({"mysql", "doris", "starrocks", "trino", "presto", "athena"})


def values_columns(
    binder: Binder, node: exp.Expr, scope: Scope
) -> list[tuple[str, list[Ref], SqlType | None]]:
    """The columns of a VALUES list, with the common type of each."""
    return _columns_of_rows(binder, [_cells(binder, row) for row in node.expressions], scope)


def _columns_of_rows(
    binder: Binder, rows: list[list[exp.Expr]], scope: Scope
) -> list[tuple[str, list[Ref], SqlType | None]]:
    width = max((len(row) for row in rows), default=0)
    columns: list[tuple[str, list[Ref], SqlType | None]] = []
    for position in range(width):
        cells = [row[position] for row in rows if position < len(row)]
        cells = [
            cell.this if isinstance(cell, exp.Alias | exp.PropertyEQ) else cell for cell in cells
        ]
        refs: list[Ref] = []
        for cell in cells:
            if not isinstance(cell, exp.Literal):
                refs += collect(binder, cell, scope)
        kind = binder.types.common([binder.types.of(cell) for cell in cells[:64]])
        columns.append((binder.values_name(position), refs, kind))
    return columns


def _cells(binder: Binder, row: exp.Expr) -> list[exp.Expr]:
    """What a row holds; MySQL and Trino may write the word before it: `ROW(1, 2)`."""
    cells = row.expressions if isinstance(row, exp.Tuple) else [row]
    if len(cells) == 1 and binder.dialect.name in _WRITE_ROW:
        only = cells[0]
        if isinstance(only, exp.Struct) or (
            isinstance(only, exp.Anonymous) and only.name.upper() == "ROW"
        ):
            return list(only.expressions)
    if binder.dialect.name == "clickhouse":
        return [_unwrapped(cell) for cell in cells]
    return list(cells)


def _unwrapped(cell: exp.Expr) -> exp.Expr:
    """ClickHouse's values as its parser gives them: each in a tuple of its own."""
    alone = isinstance(cell, exp.Tuple) and len(cell.expressions) == 1
    return cell.expressions[0] if alone else cell


def _listed_rows(binder: Binder, node: exp.Expr) -> tuple[list[list[exp.Expr]], tuple[Field, ...]]:
    """ClickHouse's function `VALUES('a Int32, b String', (1, 'x'), …)`: its rows, and the columns it lists.

    Its arguments are rows, which the parser takes for the cells of one.
    """
    rows = list(node.expressions[0].expressions)
    first = _unwrapped(rows[0]) if rows else None
    listed: tuple[Field, ...] = ()
    if isinstance(first, exp.Literal) and first.is_string and " " in first.name:
        listed = star_fields(read_type(f"Tuple({first.name})", "clickhouse"))
    return [_cells(binder, row) for row in (rows[1:] if listed else rows)], listed


def add_values(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    """`VALUES (…), (…) AS t(a, b)` in a FROM clause."""
    alias = node.args.get("alias")
    relation, identifier = labelled_relation(binder, alias, "values")
    relation.local_kind = "derived"
    names = alias_names(alias)
    if binder.dialect.name == "clickhouse" and len(node.expressions) == 1 and not names:
        rows, listed = _listed_rows(binder, node)
        columns = _columns_of_rows(binder, rows, scope)
        for place, field in enumerate(listed[: len(columns)]):
            columns[place] = (field.name, columns[place][1], field.type)
    else:
        columns = values_columns(binder, node, scope)
    generated(binder, relation, columns, names)
    put_in_scope(binder, scope, relation, identifier)
