"""Queries that are values: what flows out of them into the expression around them, and in which role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from lakeport.lineage.bind.scope import Column, Ref
from lakeport.lineage.bind.struct_fields import makes_structs, struct_type
from lakeport.lineage.bind.unasked import leave_unnamed

if TYPE_CHECKING:
    from sqlglot import exp

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Scope

# Added to a role while inside a function that hides what it is given.
MASK = 16


def stronger(role: int, other: int) -> int:
    """A role replaces VALUE only: what is a condition outside stays one inside."""
    masked, plain = role & MASK, role & ~MASK
    return masked | (plain or other)


def bound_subquery(binder: Binder, node: exp.Expr, scope: Scope) -> list[Item]:
    """What a query in an expression yields."""
    leave_unnamed(binder, node)
    output = binder.query(node, scope, scope.ctes)
    first = output.items[0] if len(output.items) == 1 else None
    if makes_structs(node):
        binder.struct_rows[id(node)] = output.items
        binder.types.memo[id(node)] = struct_type(binder, output.items)
    elif isinstance(first, Column):
        # Known from binding even where the select list is a star.
        binder.types.memo[id(node)] = binder.types.of_column(first)
    # Its own filters decide about the value, so they decide about the row that shows it.
    scope.indirect += output.indirect
    return output.items


def flow(items: list[Item], role: int, refs: list[Ref]) -> None:
    """Add what a query's columns are made of to what an expression reads."""
    plain = role & ~MASK
    for item in items:
        if isinstance(item, Column):
            refs.extend(
                replace(ref, role=stronger(plain, ref.role), masking=ref.masking or role >= MASK)
                for ref in item.refs
            )
        else:
            refs.append(Ref(item.relation, plain, approximate=True))
