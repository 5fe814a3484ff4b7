"""USING and NATURAL: columns of both sides that become one.

A join has two sides of its own: behind a comma, or in parentheses, the tables before it are none of
them. A side may be a join that merged the column already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.infer import infer
from lakeport.lineage.bind.scope import (
    CONDITIONAL,
    FILTER,
    VALUE,
    Column,
    Merged,
    Ref,
    Relation,
    Scope,
    Source,
)
from lakeport.lineage.issues import IssueCode

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def common_keys(scope: Scope, before: int) -> list[tuple[exp.Expr, str]]:
    """The names that both sides have, in the order of the left one."""
    left = {
        column.key: None
        for source in scope.sources[scope.start : before]
        for column in source.relation.known()
    }
    right = {
        column.key: column
        for source in scope.sources[before:]
        for column in source.relation.known()
    }
    return [
        (exp.Identifier(this=right[key].name, quoted=True), key) for key in left if key in right
    ]


def merge(
    binder: Binder, scope: Scope, before: int, names: list[tuple[exp.Expr, str]], kind: str
) -> None:
    """USING and NATURAL: two columns become one; which side it shows depends on the join."""
    merged: dict[str, Merged] = {}
    for identifier, key in names:
        left, right = _sides(binder, scope, before, identifier, key)
        for ref in (*left, *right):
            scope.indirect.append((replace(ref, role=FILTER), "JOIN"))
        if kind == "RIGHT":
            left, right = right, left
        role = VALUE if kind == "FULL" else CONDITIONAL
        kept = left or right
        other = [] if not left else [replace(ref, role=role) for ref in right]
        if kind == "FULL":
            # COALESCE of both sides.
            kept = [replace(ref, derived=True) for ref in kept]
            other = [replace(ref, derived=True) for ref in other]
        if kind in {"LEFT_SEMI", "LEFT_ANTI"}:
            other = []
        merged[key] = Merged(key, kept, other, kind, scope.start)
        for relation in _merging(scope, [*left, *right]):
            scope.hidden.setdefault(id(relation), set()).add(key)
    # In a star those of the last join come first.
    scope.merged = merged | {key: held for key, held in scope.merged.items() if key not in merged}


def _sides(
    binder: Binder, scope: Scope, before: int, identifier: exp.Expr, key: str
) -> tuple[list[Ref], list[Ref]]:
    """The columns of one name on both sides of a join; either may have been merged already."""
    held = scope.merged.get(key)
    made = [*held.left, *held.right] if held is not None else []
    if held is not None and held.start < scope.start:
        # Another join's, behind a comma: both are shown.
        scope.merged[f"{key}\0{held.start}"] = scope.merged.pop(key)
        made = []
    on_the_right = held is not None and held.start >= before
    left = _parked(scope, before, key) if on_the_right else made
    right = made if on_the_right else []
    return (
        left or _side(binder, scope.sources[scope.start : before], identifier, key),
        right or _side(binder, scope.sources[before:], identifier, key),
    )


def _parked(scope: Scope, before: int, key: str) -> list[Ref]:
    """What a join on the left has merged, before a bracket on the right merged the same name."""
    for name, held in scope.merged.items():
        if name != key and held.key == key and scope.start <= held.start < before:
            del scope.merged[name]
            return [*held.left, *held.right]
    return []


def _merging(scope: Scope, refs: list[Ref]) -> list[Relation]:
    """Whose columns became one; a third relation's column of that name stays visible beside it."""
    owners = [ref.origin.relation for ref in refs if isinstance(ref.origin, Column)]
    known = [relation for relation in owners if relation is not None]
    return known or [source.relation for source in scope.sources]


def _side(binder: Binder, sources: list[Source], identifier: exp.Expr, key: str) -> list[Ref]:
    visible = [source.relation for source in sources if source.visible]
    known = [column for relation in visible if (column := relation.find(key)) is not None]
    if known:
        return [Ref(known[0])]
    unsure = [relation for relation in visible if not relation.complete]
    found = [
        column for relation in unsure if (column := infer(binder, relation, identifier.name, key))
    ]
    if found:
        return [Ref(column, approximate=len(found) > 1) for column in found]
    if visible and binder.span(identifier) is not None:
        binder.report(
            IssueCode.UNKNOWN_COLUMN,
            f"the joined tables do not both have the column `{identifier.name}`",
            at=identifier,
            column=identifier.name,
        )
    return []
