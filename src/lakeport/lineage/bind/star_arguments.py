"""The type of a star among the arguments of a function: `coalesce(*)`, `struct(t.*)`.

A struct takes its fields; every other function sees as many arguments, of which the type that they
have in common tells as much as all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.types import common_of, struct_of

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item


def type_star(binder: Binder, star: exp.Expr, items: list[Item]) -> None:
    """Note the type of what a star stands for, if all of it is known."""
    columns = [item for item in items if isinstance(item, Column)]
    if not columns or len(columns) < len(items):
        return
    types = binder.types
    parts = [(column.name, types.of_column(column)) for column in columns]
    if isinstance(star.parent, exp.Struct):
        types.memo[id(star)] = struct_of(parts)
    else:
        types.memo[id(star)] = common_of([kind for _, kind in parts], binder.dialect.name)
