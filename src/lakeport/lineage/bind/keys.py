"""Candidate foreign keys: what an equality join suggests where nobody declared a key.

One direction only: from the column that refers to the one that identifies a row, which is a primary
key or is called `id`. A join of two such columns, or of none, suggests nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from lakeport.lineage.bind.scope import Column


def note_candidate_key(left: Column, right: Column) -> None:
    """Record on the referring relation where its column seems to point."""
    if _has_declared_key(left) or _has_declared_key(right):
        return
    if _identifies(left) == _identifies(right):
        return
    referring, referred = (right, left) if _identifies(left) else (left, right)
    relation, target = referring.relation, referred.relation
    if relation is None or target is None or relation.local_kind or target.local_kind:
        return
    candidate = {"column": referring.key, "table": dotted(target.name), "referenced": referred.key}
    known = relation.metadata.setdefault("candidateForeignKeys", [])
    if candidate not in known:
        known.append(candidate)


def _has_declared_key(column: Column) -> bool:
    return column.entry is not None and column.entry.foreign_key is not None


def _identifies(column: Column) -> bool:
    primary = column.entry is not None and column.entry.is_primary_key
    return primary or column.key.lower() == "id"
