"""Queries whose output nobody asks for: their names, or even their values.

Working a name out costs more than binding the rest of it. A subquery that is a value or a condition shows no names, nor does a later branch of a set operation.
Inside the query itself a clause after the select list may still use one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_LATER = frozenset({"order", "having", "qualify", "sort", "cluster", "distribute"})


def leave_unnamed(binder: Binder, query: exp.Expr) -> None:
    """Let the select items of a query have no names, unless it needs them itself."""
    while query.__class__ is exp.Subquery:
        query = query.args["this"]
    # A pattern in quotes may stand for columns nobody could name, as a star may.
    if binder.registry.settings.quoted_patterns or query.__class__ is not exp.Select:
        return
    if not _uses_names(query):
        binder.unnamed.add(id(query))


def leave_unseen(binder: Binder, query: exp.Expr) -> bool:
    """EXISTS asks for a row, not for what is in it: stars need no columns, and no value counts.

    Not so where equal rows are taken away or kept.
    """
    pending, selects = [query], []
    while pending:
        query = pending.pop()
        while query.__class__ is exp.Subquery:
            query = query.args["this"]
        if query.__class__ is exp.Union:
            pending += [query.args["this"], query.args["expression"]]
        elif query.__class__ is exp.Select:
            selects.append(id(query))
        else:
            return False
    binder.unseen.update(selects)
    return True


def _uses_names(query: exp.Expr) -> bool:
    args = query.args
    if not _LATER.isdisjoint(args) and any(args.get(clause) is not None for clause in _LATER):
        return True
    group = args.get("group")
    for key in group.args.get("expressions") or () if group is not None else ():
        # A made-up name is no word, so it is used in quotes only.
        if key.__class__ is exp.Column and key.args["this"].args.get("quoted"):
            return True
    # Behind a star of unknown width columns are matched by name.
    for item in args["expressions"]:
        if item.__class__ is not exp.Alias and (item.__class__ is exp.Columns or item.is_star):
            return True
    return False
