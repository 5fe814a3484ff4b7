"""The type of an expression, from the bottom up and without recursion.

A table answers per class of node; only the children a rule asks for are visited, so `count(…)`
costs one look-up whatever stands inside. Unknown is None and stays so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from lakeport.lineage.types.functions import Entry, Table, named_table, node_table
from lakeport.lineage.types.lambdas import LambdaRule, body, occurrences
from lakeport.lineage.types.model import STRING, SqlType
from lakeport.lineage.types.read import SPARK_FAMILY
from lakeport.lineage.types.rules import Rule, Types
from lakeport.lineage.types.scalars import literal

ColumnType: TypeAlias = Callable[[exp.Column], SqlType | None]
# By the identity of the node: equality of nodes compares whole trees.
Memo: TypeAlias = dict[int, SqlType | None]


def infer(  # noqa: C901, PLR0912 - the loop that every type goes through, in one piece
    expression: exp.Expr, column_type: ColumnType, dialect: str, memo: Memo | None = None
) -> SqlType | None:
    """The type of an expression whose columns have the types that `column_type` tells.

    A scalar subquery has the type of its first column; `column_type` is asked for its columns too.
    `memo` may be shared by the expressions of one statement, and may hold types in advance.
    """
    known: Memo = {} if memo is None else memo
    asked = id(expression)
    if asked in known:
        return known[asked]
    if expression.__class__ is exp.Column:
        return _as_read(column_type(expression), dialect)
    table = node_table(dialect)
    stack = [expression]
    while stack:
        node = stack.pop()
        key, cls = id(node), node.__class__
        if key in known:
            continue
        if cls is exp.Column:
            known[key] = _as_read(column_type(node), dialect)  # type: ignore[arg-type] # the line above
            continue
        if cls is exp.Anonymous:
            entry = named_table(dialect).get(node.name.lower())
        else:
            entry = table[cls] if cls in table else _inherited(cls, table)
        if entry is None or entry.__class__ is SqlType:
            known[key] = entry
            continue
        types: list[SqlType | None] = []
        pending: list[exp.Expr] = []
        for child in entry.operands(node):  # type: ignore[union-attr] # no type of its own
            place = id(child)
            if place not in known:
                # At once: most operands are columns and literals.
                if child.__class__ is exp.Column:
                    known[place] = _as_read(column_type(child), dialect)
                elif child.__class__ is exp.Literal:
                    known[place] = literal(child, (), dialect)
                else:
                    pending.append(child)
                    continue
            types.append(known[place])
        if not pending:
            if entry.__class__ is Rule:
                known[key] = entry.conclude(node, types, dialect)
                continue
            pending = _call(node, entry, types, known, dialect)  # type: ignore[arg-type] # the last kind
        if pending:
            stack.append(node)
            stack += pending
    return known[asked]


def _inherited(cls: type[exp.Expr], table: Table) -> Entry | None:
    """A class without an entry behaves like the nearest base that has one; learned once."""
    table[cls] = next((table[base] for base in cls.__mro__ if base in table), None)
    return table[cls]


_PADDED = frozenset({"varchar", "char"})


def _as_read(type_: SqlType | None, dialect: str) -> SqlType | None:
    """Spark keeps `varchar(n)` in the table but gives plain strings to every query."""
    if type_ is not None and type_.kind in _PADDED and dialect in SPARK_FAMILY:
        return STRING
    return type_


def _call(
    node: exp.Expr, entry: LambdaRule, types: Types, known: Memo, dialect: str
) -> list[exp.Expr]:
    """Type a higher-order function, or tell which bodies of its lambdas must be typed first."""
    bindings = entry.bind(node, types, dialect)
    # An inner lambda binds after the outer one, so a parameter it names anew is its own.
    for binding in bindings:
        for identifier, type_ in occurrences(binding):
            known[id(identifier)] = type_
    made = [body(part) for part, _ in bindings]
    pending = [part for part in made if id(part) not in known]
    if not pending:
        bodies = [known[id(part)] for part in made]
        known[id(node)] = entry.conclude(types, bodies, dialect)
    return pending
