"""MATCH_RECOGNIZE: patterns in the rows of a table, each match a row with the measures of it.

A name of the pattern (`a.price`) stands for those rows of the table that it matches.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.scope import FILTER, SORT, Column, Scope, Source, copied

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_ALL_ROWS = "ALL ROWS"


def match_rows(binder: Binder, node: exp.Expr, source: Source, scope: Scope) -> Source:
    """What a match yields, in place of the rows it was found in."""
    args = node.args
    inner = Scope(scope.parent, scope.ctes)
    inner.sources = [source, *_variables(binder, node, source)]
    alias = args.get("alias")
    named = alias.this if alias is not None else None
    relation = binder.derived(named.name if named is not None else None, local_kind="derived")
    partition = args.get("partition_by") or []
    kept = source.relation.known() if _shows_all(args.get("rows")) else []
    for column in kept or _partitioned(binder, partition, inner):
        relation.add(copied(column))
    for measure in args.get("measures") or []:
        item = measure.this
        made = Column(item.alias_or_name, binder.key(item.args.get("alias") or item))
        made.refs = [replace(ref, derived=True) for ref in collect(binder, item.this, inner)]
        relation.add(made)
    if kept and not source.relation.complete:
        relation.complete = False
    for condition in args.get("define") or []:
        refs = collect(binder, condition.this, inner, FILTER)
        scope.indirect += [(ref, "FILTER") for ref in refs]
    order = args.get("order")
    if order is not None:
        scope.indirect += [(ref, "SORT") for ref in collect(binder, order, inner, SORT)]
    return Source(binder.key(named) if named is not None else relation.label, relation)


def _shows_all(rows: object) -> bool:
    return isinstance(rows, exp.Expr) and rows.name.upper().startswith(_ALL_ROWS)


def _partitioned(binder: Binder, partition: list[exp.Expr], scope: Scope) -> list[Column]:
    origins = [ref.origin for key in partition for ref in collect(binder, key, scope)]
    return [origin for origin in origins if isinstance(origin, Column)]


def _variables(binder: Binder, node: exp.Expr, source: Source) -> list[Source]:
    """The names of the pattern, which only qualify."""
    pattern = node.args.get("pattern")
    names = re.findall(r"[A-Za-z_]\w*", pattern.name if isinstance(pattern, exp.Expr) else "")
    keys = dict.fromkeys(binder.folding.column(name) for name in names)
    return [Source(key, source.relation, visible=False) for key in keys]
