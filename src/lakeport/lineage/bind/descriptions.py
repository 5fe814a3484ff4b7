"""DuckDB's `FROM (SUMMARIZE t)` and `FROM (DESCRIBE t)`: one row for each column of what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.scope import AGGREGATE, Column, Output, Ref, Scope

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation

_ABOUT_A_COLUMN = ("column_name", "column_type")
_DECLARED = (*_ABOUT_A_COLUMN, "null", "key", "default", "extra")
_MEASURED = (
    "min",
    "max",
    "approx_unique",
    "avg",
    "std",
    "q25",
    "q50",
    "q75",
    "count",
    "null_percentage",
)


def bind_description(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """What is described is not read; what is summarized is, all of it."""
    if isinstance(node, exp.Describe):
        return Output([_column(binder, name, []) for name in _DECLARED], [], [])
    scope = Scope(parent, ctes)
    about = node.this
    if isinstance(about, exp.Literal):
        about = exp.Table(this=exp.to_identifier(about.name, quoted=True))
    elif isinstance(about, exp.Query) and not isinstance(about, exp.Table | exp.Subquery):
        about = exp.Subquery(this=about)
    binder.source(about, scope)
    measured: list[Ref] = []
    for item in binder.star(scope):
        if isinstance(item, Column):
            measured += [replace(ref, role=AGGREGATE, derived=True) for ref in item.refs]
        else:
            measured.append(Ref(item.relation, AGGREGATE, approximate=True))
    columns = [_column(binder, name, []) for name in _ABOUT_A_COLUMN]
    columns += [_column(binder, name, measured) for name in _MEASURED]
    return Output([*columns], [], [source.relation for source in scope.sources])


def _column(binder: Binder, name: str, refs: list[Ref]) -> Column:
    column = Column(name, binder.folding.column(name))
    column.refs = refs
    return column
