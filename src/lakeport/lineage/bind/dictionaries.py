"""ClickHouse's dictionaries: tables that are read by functions, attribute by attribute.

`dictGet('prices', 'net', id)` is the column `net` of the dictionary, found by the key; the other
functions of the family ask about its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.misses import assumed
from lakeport.lineage.bind.scope import Ref
from lakeport.lineage.bind.written_names import table_meant, table_named, written_name

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation, Scope

_VALUES = "dictget"
# Of a hierarchy they answer keys, not attributes.
_KEYS = frozenset({"dictgethierarchy", "dictgetchildren", "dictgetdescendants", "dictgetkeys"})
_QUESTIONS = frozenset({"dicthas", "dictisin", *_KEYS})


def reads_dictionary(binder: Binder, function: str) -> bool:
    """Whether a call of this name looks something up in a dictionary."""
    if binder.dialect.name != "clickhouse":
        return False
    return function.startswith(_VALUES) or function in _QUESTIONS


def dictionary_refs(
    binder: Binder, call: exp.Expr, scope: Scope, role: int
) -> tuple[list[Ref], list[exp.Expr]] | None:
    """What the call reads of its dictionary, and the arguments left; None if none is named."""
    arguments = call.expressions
    table = _named(arguments[0]) if arguments else None
    if table is None:
        return None
    relation = _dictionary(binder, table, scope)
    if call.name.lower() in _QUESTIONS or len(arguments) < 2:
        return [Ref(relation, role)], arguments[1:]
    wanted = arguments[1]
    attributes = wanted.expressions if isinstance(wanted, exp.Tuple) else [wanted]
    if not all(isinstance(attribute, exp.Literal) for attribute in attributes):
        return [Ref(relation, role, approximate=True)], arguments[1:]
    refs = [_attribute(binder, relation, attribute.name, role) for attribute in attributes]
    return refs, arguments[2:]


def _named(argument: exp.Expr) -> exp.Table | None:
    """The dictionary by its name, in quotes or not."""
    if isinstance(argument, exp.Literal):
        return table_named(argument.name)
    return table_meant(argument) if isinstance(argument, exp.Column) else None


def _dictionary(binder: Binder, table: exp.Table, scope: Scope) -> Relation:
    """One relation however often it is looked into."""
    name, _ = written_name(binder, table)
    for relation in binder.relations:
        if relation.metadata.get("dictionary") and relation.name[-len(name) :] == name:
            return relation
    relation = binder.table(table, scope)
    relation.metadata["dictionary"] = True
    return relation


def _attribute(binder: Binder, relation: Relation, name: str, role: int) -> Ref:
    key = binder.folding.column(name, quoted=True)
    column = binder.inferred(relation, name, key)
    if column is None:
        return Ref(assumed(relation, name, key), role, approximate=True)
    return Ref(column, role, derived=True)
