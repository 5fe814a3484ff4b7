"""Backward inference inside a statement: columns of partly known relations, deduced from their use.

A column behind an open tail is looked for in the relations the tail stands for, hop by hop, down to
the base tables; several possible origins are a guess and say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.bind.scope import Column, Ref, Relation

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_MAX_HOPS = 20


def infer(binder: Binder, relation: Relation, name: str, key: str, hops: int = 0) -> Column | None:
    """A column of a partly known relation, deduced from its use, down to the base tables."""
    known = relation.find(key)
    if known is not None:
        return known
    if relation.complete or hops > _MAX_HOPS:
        return None
    column = Column(name, key)
    column.inferred = True
    column.identity = True
    if relation.tails:
        column.refs = _through_tails(binder, relation, name, key, hops)
        column.approximate = any(ref.approximate for ref in column.refs)
        if not column.refs:
            return None
    elif relation.arguments:
        column.refs = relation.arguments
        column.identity = False
    return relation.add(column)


def _through_tails(binder: Binder, relation: Relation, name: str, key: str, hops: int) -> list[Ref]:
    """Where a column behind a relation's open tails may come from; several origins are a guess."""
    if key in relation.inferring:
        return []
    relation.inferring = {*relation.inferring, key}
    origins = [
        infer(binder, tail.relation, name, key, hops + 1)
        for tail in relation.tails
        if key not in tail.excluded
    ]
    relation.inferring -= {key}
    found = [origin for origin in origins if origin is not None]
    return [Ref(origin, approximate=origin.approximate or len(found) > 1) for origin in found]
