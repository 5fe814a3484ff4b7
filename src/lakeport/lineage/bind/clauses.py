"""GROUP BY, HAVING, QUALIFY, ORDER BY, DISTINCT ON: no value flows, but tables and conditions matter.

Which select aliases a clause sees, and whether before or after the sources, depends on the dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.filters import bind_filter
from lakeport.lineage.bind.grouped import check_grouped
from lakeport.lineage.bind.scope import FILTER, Column, Item, Ref, Scope

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


# How a select item that is a grouping key takes part in the grouping.
_KEY = (True, None, False)
_SORTS = ("order", "sort", "cluster", "distribute")
_BEHIND_GROUPS = frozenset({"having", "qualify", *_SORTS})


def bind_clauses(binder: Binder, node: exp.Select, scope: Scope, items: list[Item]) -> None:
    """GROUP BY, HAVING, QUALIFY, ORDER BY: no value flows, but tables and conditions do matter."""
    args = node.args
    if "group" in args and args["group"] is not None:
        seen, lateral = binder.registry.settings.group_by_aliases, scope.aliases
        scope.late_aliases = binder.dialect.group_by_aliases and seen
        scope.aliases = lateral if seen else {}
        shown, repeated = scope.projection, scope.repeated
        if binder.dialect.naming == "spark":
            # Here, unlike in the clauses behind, the first of two outputs is meant.
            scope.repeated = frozenset()
            if scope.generated:
                scope.projection = {k: c for k, c in shown.items() if k not in scope.generated}
        _bind_group(binder, node, scope, items)
        scope.aliases, scope.projection, scope.repeated = lateral, shown, repeated
    if not _BEHIND_GROUPS.isdisjoint(args):
        _bind_behind_groups(binder, node, scope, items)
    distinct = args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        # DISTINCT ON names columns the way ORDER BY does.
        _see_outputs(scope, items)
        scope.prefers_projection = True
        scope.indirect += [
            (ref, "FILTER") for ref in collect(binder, distinct.args["on"], scope, FILTER)
        ]
        scope.prefers_projection = False


def _bind_behind_groups(binder: Binder, node: exp.Select, scope: Scope, items: list[Item]) -> None:
    """HAVING, QUALIFY and ORDER BY: what they name must have survived the grouping."""
    args = node.args
    having = args.get("having")
    if having is not None:
        scope.late_aliases = binder.dialect.having_aliases
        scope.outputs_decide = binder.dialect.naming == "spark"
        texts = binder.fragments.conjuncts(node, "HAVING")
        bind_filter(binder, having.this, scope, "HAVING", texts)
        scope.outputs_decide = False
    qualify = args.get("qualify")
    if qualify is not None:
        scope.late_aliases = True
        texts = binder.fragments.conjuncts(node, "QUALIFY")
        bind_filter(binder, qualify.this, scope, "QUALIFY", texts)
    bind_order(binder, node, items, scope)
    check_grouped(binder, node, scope, items)


def _bind_group(  # noqa: C901 - every form of a key, in one piece
    binder: Binder, node: exp.Select, scope: Scope, items: list[Item]
) -> None:
    parts = node.args["group"].args
    keys: list[exp.Expr] = list(parts.get("expressions") or ())
    texts: list[str] | None = None
    for name in ("grouping_sets", "cube", "rollup"):
        keys += [item for item in parts.get(name) or () if isinstance(item, exp.Expr)]
    if parts.get("all"):
        for item in items:
            if isinstance(item, Column) and item.aggregation is None:
                item.aggregation = _KEY
                scope.indirect += _deciding(item, "GROUP_BY")
    copies, wants_indirect = _copies(items), binder.wants_indirect
    for place, key in enumerate(keys):
        if key.__class__ is exp.Literal and not key.is_string and key.name.isdigit():
            _mark_position(int(key.name) - 1, scope, items)
            continue
        refs = collect(binder, key, scope, FILTER)
        if wants_indirect:
            scope.indirect += [(ref, "GROUP_BY") for ref in refs]
        if key.__class__ is exp.Column:
            if refs:
                _mark_column(binder, key, refs[0], scope, copies)
        elif binder.wants_text:
            if texts is None:
                texts = binder.fragments.keys(node)
            if len(texts) == len(keys):
                _mark_text(texts[place], items)


def _mark_position(position: int, scope: Scope, items: list[Item]) -> None:
    """`GROUP BY 2`: the second select item."""
    chosen = items[position] if 0 <= position < len(items) else None
    if isinstance(chosen, Column):
        chosen.aggregation = _KEY
        scope.indirect += _deciding(chosen, "GROUP_BY")


def _deciding(item: Item, subtype: str) -> list[tuple[Ref, str]]:
    """What an output is made of, where a clause means it."""
    if not isinstance(item, Column):
        return []
    return [(replace(ref, role=FILTER), subtype) for ref in item.refs]


def sorting(binder: Binder, node: exp.Expr, items: list[Item]) -> list[tuple[Ref, str]]:
    """What `(query) ORDER BY …` sorts by, which can be outputs alone."""
    shown = {item.key: item for item in items if isinstance(item, Column)}
    found: list[tuple[Ref, str]] = []
    for key in node.args["order"].expressions:
        inner = key.this if isinstance(key, exp.Ordered) else key
        if isinstance(inner, exp.Literal):
            found += _sorting_by_position(inner, items)
        for column in inner.find_all(exp.Column):
            named = shown.get(binder.key(column.this))
            found += _deciding(named, "SORT") if named is not None else []
    return found


def _sorting_by_position(key: exp.Expr, items: list[Item]) -> list[tuple[Ref, str]]:
    if key.is_string or not key.name.isdigit() or not 0 < int(key.name) <= len(items):
        return []
    return _deciding(items[int(key.name) - 1], "SORT")


def _copies(items: list[Item]) -> dict[int, list[Column]]:
    """The select items that show plain columns, by the identity of what they show."""
    found: dict[int, list[Column]] = {}
    for item in items:
        if item.__class__ is Column and item.identity and (refs := item.refs):
            found.setdefault(id(refs[0].origin), []).append(item)
    return found


def _mark_column(
    binder: Binder, key: exp.Expr, ref: Ref, scope: Scope, copies: dict[int, list[Column]]
) -> None:
    """The select items that show a grouping key: the same column, or its alias."""
    for item in copies.get(id(ref.origin), ()):
        item.aggregation = _KEY
    named = scope.projection.get(binder.key(key.this))
    if named is not None and named.aggregation is None:
        named.aggregation = _KEY


def _mark_text(text: str, items: list[Item]) -> None:
    """The same for a key that is an expression, which is told by its text."""
    for item in items:
        if item.__class__ is Column and item.text == text:
            item.aggregation = _KEY


def _see_outputs(scope: Scope, items: list[Item]) -> None:
    """Let the columns of stars and set operations be named where nothing else could be."""
    if not scope.projection:
        for item in items:
            if isinstance(item, Column):
                scope.projection.setdefault(item.key, item)


def bind_order(binder: Binder, node: exp.Expr, items: list[Item], scope: Scope) -> None:
    _see_outputs(scope, items)
    scope.prefers_projection = True
    args = node.args
    for name in _SORTS:
        clause = args[name] if name in args else None  # noqa: SIM401 - most have none
        if clause is None:
            continue
        for key in clause.expressions:
            inner = key.args["this"] if key.__class__ is exp.Ordered else key
            if inner.__class__ is exp.Literal:
                if binder.wants_indirect:
                    scope.indirect += _sorting_by_position(inner, items)
                continue
            if inner.__class__ is exp.Var and inner.name.upper() == "ALL":
                if binder.wants_indirect:
                    for item in items:
                        scope.indirect += _deciding(item, "SORT")
                continue
            refs = collect(binder, inner, scope, FILTER)
            if binder.wants_indirect:
                scope.indirect += [(replace(ref, role=FILTER), "SORT") for ref in refs]
    scope.prefers_projection = False
