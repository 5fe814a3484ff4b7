"""The type of an expression, from the bottom up and without recursion.

A table answers per class of node; only the children a rule asks for are visited, so `count(…)`
costs one look-up whatever stands inside. Unknown is None and stays so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from lakeport.lineage.types.functions import Entry, named_table, node_table
from lakeport.lineage.types.lambdas import LambdaRule, occurrences
from lakeport.lineage.types.model import STRING, SqlType
from lakeport.lineage.types.read import SPARK_FAMILY

ColumnType: TypeAlias = Callable[[exp.Column], SqlType | None]
# By the identity of the node: equality of nodes compares whole trees.
Memo: TypeAlias = dict[int, SqlType | None]


def infer(
    expression: exp.Expr, column_type: ColumnType, dialect: str, memo: Memo | None = None
) -> SqlType | None:
    """The type of an expression whose columns have the types that `column_type` tells.

    A scalar subquery has the type of its first column; `column_type` is asked for its columns too.
    `memo` may be shared by the expressions of one statement, and may hold types in advance.
    """
    known: Memo = {} if memo is None else memo
    table, names = node_table(dialect), named_table(dialect)
    stack = [expression]
    while stack:
        node = stack[-1]
        if id(node) in known:
            stack.pop()
            continue
        if isinstance(node, exp.Column):
            known[id(node)] = _as_read(column_type(node), dialect)
            continue
        if isinstance(node, exp.Anonymous):
            entry = names.get(node.name.lower())
        else:
            entry = table.get(type(node)) or _inherited(node, table)
        if entry is None or isinstance(entry, SqlType):
            known[id(node)] = entry
            continue
        pending = _untyped(node, entry, known, dialect)
        if pending:
            stack.extend(pending)
        else:
            known[id(node)] = _conclude(node, entry, known, dialect)
    return known[id(expression)]


def _inherited(node: exp.Expr, table: dict[type[exp.Expr], Entry]) -> Entry | None:
    """A class without an entry of its own behaves like the nearest base that has one."""
    return next((table[base] for base in type(node).__mro__ if base in table), None)


def _as_read(type_: SqlType | None, dialect: str) -> SqlType | None:
    """Spark keeps `varchar(n)` in the table but gives plain strings to every query."""
    padded = type_ is not None and type_.kind in {"varchar", "char"} and dialect in SPARK_FAMILY
    return STRING if padded else type_


def _untyped(node: exp.Expr, entry: Entry, known: Memo, dialect: str) -> list[exp.Expr]:
    """What must be typed before this node can be."""
    if isinstance(entry, SqlType):
        return []
    operands = entry.operands(node)
    pending = [child for child in operands if id(child) not in known]
    if pending or not isinstance(entry, LambdaRule):
        return pending
    bindings = entry.bind(node, [known[id(child)] for child in operands], dialect)
    # An inner lambda binds after the outer one, so a parameter it names anew is its own.
    for binding in bindings:
        for identifier, type_ in occurrences(binding):
            known[id(identifier)] = type_
    return [part.this for part, _ in bindings if id(part.this) not in known]


def _conclude(node: exp.Expr, entry: Entry, known: Memo, dialect: str) -> SqlType | None:
    if isinstance(entry, SqlType):
        return entry
    types = [known[id(child)] for child in entry.operands(node)]
    if not isinstance(entry, LambdaRule):
        return entry.conclude(node, types, dialect)
    bodies = [known[id(part.this)] for part, _ in entry.bind(node, types, dialect)]
    return entry.conclude(types, bodies, dialect)
