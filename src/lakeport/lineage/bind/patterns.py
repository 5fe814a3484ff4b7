"""Quoted names as patterns over whole column names, where that is switched on.

Spark's are found by `spark.sql.parser.quotedRegexColumnNames`. Hive's setting is mostly made elsewhere,
but no column is called `(a|b)?+.+`: there a name that ends so is a pattern. In a select list a pattern stands for as
many items, in a call for as many arguments, as it has columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.scope import Column, Tail

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Ref, Scope

_REPEATED = ("+", "*")
_CLAUSES = (exp.Select, exp.Where, exp.Group, exp.Having, exp.Order, exp.Join)


def knows_patterns(binder: Binder) -> bool:
    return binder.registry.settings.quoted_patterns or binder.dialect.name == "hive"


def expand_pattern(binder: Binder, node: exp.Column, scope: Scope) -> list[Item] | None:
    """The select items a quoted name stands for; None if it is an ordinary name."""
    identifier = node.this
    pattern = _compiled(binder, identifier.name) if _is_pattern(binder, identifier) else None
    if pattern is None:
        return None
    table = node.args.get("table")
    items = binder.star(scope, table.copy() if table is not None else None)
    return [item for item in items if isinstance(item, Tail) or pattern.fullmatch(item.name)]


def matching_items(binder: Binder, text: str, scope: Scope) -> list[Column]:
    """The known columns in scope that a pattern fits."""
    pattern = _compiled(binder, text)
    if pattern is None:
        return []
    items = (item for item in binder.star(scope) if isinstance(item, Column))
    return [item for item in items if pattern.fullmatch(item.name)]


def pattern_refs(binder: Binder, identifier: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """What a pattern inside of a select item reads; other clauses know no patterns."""
    if not _is_pattern(binder, identifier) or not isinstance(
        identifier.find_ancestor(*_CLAUSES), exp.Select
    ):
        return []
    items = matching_items(binder, identifier.name, scope)
    return [replace(ref, role=role) for item in items for ref in item.refs]


def _is_pattern(binder: Binder, identifier: exp.Expr) -> bool:
    if not isinstance(identifier, exp.Identifier) or not identifier.args.get("quoted"):
        return False
    return binder.registry.settings.quoted_patterns or identifier.name.endswith(_REPEATED)


def _compiled(binder: Binder, text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text, 0 if binder.registry.settings.case_sensitive else re.IGNORECASE)
    except re.error:
        return None
