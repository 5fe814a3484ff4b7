"""Names that an engine gives to columns without one, where they are shown as `_col_N`.

A query around may use them: `SELECT "MAX(A)" FROM (SELECT max(a) FROM t)`. Asked only for names that
nothing else has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.bind.scope import Column

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation


def called_by_engine(binder: Binder, relations: list[Relation], key: str) -> Column | None:
    """The unnamed column that the engine calls so."""
    if binder.dialect.unnamed is None:
        return None
    for relation in relations:
        for position, column in enumerate(relation.columns):
            if column.generated:
                name = _name(binder.dialect.unnamed, column, position)
                if binder.folding.column(name, quoted=True) == key:
                    return column
    return None


def tell_apart(relation: Relation) -> None:
    """DuckDB calls the second `a` of a query in FROM `a_1`."""
    taken = {column.key for column in relation.columns}
    seen: set[str] = set()
    for column in relation.columns:
        if column.key in seen:
            number = 1
            while f"{column.key}_{number}" in taken:
                number += 1
            column.name, column.key = f"{column.name}_{number}", f"{column.key}_{number}"
            taken.add(column.key)
            # Nowhere is it written so.
            column.span = None
            relation.index[column.key] = column
        seen.add(column.key)
    relation.duplicates = frozenset()


def name_columns(binder: Binder, relation: Relation) -> None:
    """Give the unnamed columns of what is stored the names that Hive stores: `_c0`, `_c1`, by position."""
    if binder.dialect.unnamed != "_c":
        return
    for column in relation.columns:
        first = column
        while first.identity and not first.generated and len(first.refs) == 1:
            origin = first.refs[0].origin
            if not isinstance(origin, Column):
                break
            first = origin
        if first.generated and column.key == first.key:
            relation.index.pop(column.key, None)
            column.name = column.key = f"_c{first.name.removeprefix('_col_')}"
            relation.index.setdefault(column.key, column)


def _name(style: str, column: Column, position: int) -> str:
    text = (column.text or "").upper()
    if style == "text":
        return text
    if style == "count_star()":
        return style if "".join(text.split()) in {"COUNT(*)", "COUNT()"} else ""
    return "".join(text.split()) if style == "squeezed" else f"{style}{position}"
