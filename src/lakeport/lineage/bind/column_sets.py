"""DuckDB's `COLUMNS(…)`: a set of columns by a star, a pattern or a list of names.

Alone it is a star. Inside an expression it makes the expression many, one for each column and called
like it; with a star in front, `*COLUMNS(…)`, it is a list of arguments and the expression stays one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.name_tests import matcher, passes
from lakeport.lineage.bind.scope import Column, Item, Scope, Tail
from lakeport.lineage.bind.stars import expand_star

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def expand_columns(
    binder: Binder, node: exp.Expr, scope: Scope, table: exp.Expr | None = None
) -> list[Item]:
    """The columns of a set, of one table if it is named in front."""
    argument = node.this if isinstance(node, exp.Columns) else node.expressions[0]
    if argument.is_star and table is None:
        return expand_star(binder, argument, scope)
    items = binder.star(scope, table)
    if isinstance(argument, exp.Literal):
        try:
            pattern = re.compile(argument.name)
        except re.error:
            return items
        return [item for item in items if isinstance(item, Tail) or pattern.search(item.name)]
    if isinstance(argument, exp.Array) and _are_names(argument.expressions):
        keys = {binder.folding.column(name.name) for name in argument.expressions}
        return [item for item in items if isinstance(item, Tail) or item.key in keys]
    return _passing(items, argument if isinstance(argument, exp.Lambda) else None)


def _passing(items: list[Item], condition: exp.Lambda | None) -> list[Item]:
    """The columns a condition is true of; those of which nobody can say are guesses."""
    kept: list[Item] = []
    for item in items:
        passed = None
        if condition is not None and isinstance(item, Column):
            passed = passes(condition, item.name)
        if passed is None and isinstance(item, Column):
            item.refs = [replace(ref, approximate=True) for ref in item.refs]
            item.approximate = True
        if passed is not False:
            kept.append(item)
    return kept


def _are_names(items: list[exp.Expr]) -> bool:
    return all(isinstance(item, exp.Literal | exp.Column) for item in items)


def expand_matching(binder: Binder, node: exp.Expr, scope: Scope) -> list[Item] | None:
    """`* LIKE 'a%'`, `t.* NOT ILIKE …`, `* GLOB …`, `* SIMILAR TO …`, `* ~ 'a'`: the columns called so."""
    wanted = not node.args.get("negate")
    if isinstance(node, exp.Not):
        node, wanted = node.this, False
        if not isinstance(node, exp.RegexpLike | exp.SimilarTo):
            return None
    star, pattern = node.this, node.expression
    if not isinstance(pattern, exp.Literal) or not star.is_star:
        return None
    matches = matcher(node, pattern.name)
    items = expand_star(binder, star, scope)
    return [item for item in items if isinstance(item, Tail) or matches(item.name) is wanted]


def called(node: exp.Expr, name: str, alias: str) -> str:
    r"""The alias of a set for one of its columns: `\1` is the first group of the pattern."""
    argument = node.this
    if "\\" not in alias or not isinstance(argument, exp.Literal):
        return alias
    try:
        found = re.search(argument.name, name)
        return found.expand(alias) if found is not None else alias
    except (re.error, IndexError):
        return alias


def set_of_table(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The table and the set of `t.COLUMNS(…)`, which the parser takes for a function."""
    if node.__class__ is not exp.Dot or node.this.__class__ is not exp.Identifier:
        return None
    call = node.expression
    is_set = call.__class__ is exp.Anonymous and call.name.upper() == "COLUMNS"
    return (node.this, call) if is_set and len(call.expressions) == 1 else None


def set_inside(node: exp.Expr) -> exp.Expr | None:
    """The set that makes an expression many; those of subqueries are theirs."""
    stack = [node]
    while stack:
        part = stack.pop()
        if part.__class__ is exp.Columns and not part.args.get("unpack"):
            return part
        if not isinstance(part, exp.Query):
            stack += part.iter_expressions()
    return None
