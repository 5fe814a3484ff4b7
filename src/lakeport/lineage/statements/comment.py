"""COMMENT ON TABLE, VIEW and COLUMN: descriptions that later statements and the schema show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.statements.renamed import current_entry
from lakeport.lineage.statements.targets import target_table

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation

_RELATIONS = frozenset({"TABLE", "VIEW"})


def bind_comment(binder: Binder, tree: exp.Expr) -> str:
    """What the object is said to be; other objects have no place in the graph."""
    named, kind = tree.this, str(tree.args.get("kind")).upper()
    text = tree.expression.name if isinstance(tree.expression, exp.Expr) else ""
    if isinstance(named, exp.Table) and kind in _RELATIONS:
        relation = target_table(binder, named)
        relation.metadata["description"] = text
        entry = current_entry(binder, relation)
        if entry is not None:
            binder.registry.describe(replace(entry, description=text or None, _drawn={}))
    elif isinstance(named, exp.Column) and kind == "COLUMN" and len(named.parts) > 1:
        _describe_column(binder, named, text)
    return "COMMENT"


def _describe_column(binder: Binder, named: exp.Column, text: str) -> None:
    *table, identifier = named.parts
    parts = dict(zip(("this", "db", "catalog"), reversed(table), strict=False))
    relation = target_table(binder, exp.Table(**parts))
    key = binder.key(identifier)
    entry = current_entry(binder, relation)
    held = entry.find(key) if entry is not None else None
    if entry is None or held is None:
        return
    described = replace(held, description=text or None)
    columns = [described if column.key == key else column for column in entry.columns]
    _show(relation, described.name, key)
    relation.index[key].entry = described
    binder.registry.describe(
        replace(entry, columns=columns, _index=None, shown_columns=None, _drawn={})
    )


def _show(relation: Relation, name: str, key: str) -> None:
    if key not in relation.index:
        relation.add(Column(name, key))
