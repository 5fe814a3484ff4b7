"""DuckDB's `unnest(struct)` in a select list: a column for each field, as deep as the call says.

Lists and structs are levels alike: `unnest(list_of_structs, max_depth := 2)` opens both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.types import star_fields

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Ref, Scope
    from lakeport.lineage.types import SqlType

_Made: TypeAlias = "list[tuple[str, list[Ref], SqlType | None]]"
# Deeper than types go.
_ALL = 64


def unnested_fields(binder: Binder, function: exp.Expr, scope: Scope) -> _Made | None:
    """The columns that the fields of a struct become; None if what is unnested shows none."""
    depth, keeps = 1, False
    for option in function.expressions:
        if isinstance(option, exp.PropertyEQ):
            name, value = option.this.name.lower(), option.expression
            on = isinstance(value, exp.Boolean) and bool(value.this)
            if name == "recursive" and on:
                depth = _ALL
            elif name == "max_depth" and isinstance(value, exp.Literal) and value.name.isdigit():
                depth = int(value.name)
            elif name == "keep_parent_names":
                keeps = on
    found = _written(binder, function.this, scope, depth)
    if found is None:
        refs = collect(binder, function.this, scope)
        found = _typed(refs, binder.types.of(function.this), "", depth, keeps=keeps)
    return None if [name for name, _, _ in found] == [""] else found


def _written(binder: Binder, node: exp.Expr, scope: Scope, depth: int) -> _Made | None:
    """A struct whose fields stand in the call: each has values of its own."""
    if not isinstance(node, exp.Struct) or depth != 1:
        return None
    fields = [item for item in node.expressions if isinstance(item, exp.PropertyEQ)]
    return [
        (
            field.this.name,
            collect(binder, field.expression, scope),
            binder.types.of(field.expression),
        )
        for field in fields
    ]


def _typed(refs: list[Ref], kind: SqlType | None, name: str, depth: int, *, keeps: bool) -> _Made:
    """The columns of a value of that type, called `name` if it is one."""
    if depth and kind is not None and kind.element is not None:
        return _typed(refs, kind.element, name, depth - 1, keeps=keeps)
    fields = star_fields(kind) if depth else ()
    if not fields:
        return [(name, refs, kind)]
    return [
        column
        for field in fields
        for column in _typed(
            refs,
            field.type,
            f"{name}.{field.name}" if keeps and name else field.name,
            depth - 1,
            keeps=keeps,
        )
    ]
