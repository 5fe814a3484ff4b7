"""The order statements are analysed in: as given, or so that producers come before consumers.

Dependency order works between sources (files, models), never inside one: a script means what its
order says. Original indexes are kept; a cycle falls back to the order given.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from lakeport.lineage.names import Name
    from lakeport.lineage.session import Session
    from lakeport.lineage.workload import Statement


def in_order(session: Session, statements: list[Statement]) -> list[Statement]:
    """The statements in the order to analyse them."""
    wanted = session.options.statement_order
    templated = session.request.template_config.mode == "dbt"
    if wanted != "dependency" and not (wanted is None and templated):
        return statements
    groups: dict[int, list[Statement]] = {}
    for statement in statements:
        groups.setdefault(id(statement.source), []).append(statement)
    writers: dict[Name, int] = {}
    for group, members in groups.items():
        for statement in members:
            for name in _written(session, statement):
                writers.setdefault(name, group)
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for group, members in groups.items():
        needed = {
            writers[name]
            for statement in members
            for name in _read(session, statement)
            if name in writers
        }
        sorter.add(group, *sorted(needed - {group}, key=list(groups).index))
    try:
        ordered = list(sorter.static_order())
    except CycleError as error:
        names = [groups[group][0].source.name or "inline SQL" for group in error.args[1]]
        session.report(
            IssueCode.CYCLIC_DEPENDENCY,
            f"these sources depend on each other: {' → '.join(names)}",
            hint="break the cycle; the order given is used",
        )
        return statements
    return [statement for group in ordered for statement in groups[group]]


def _name(session: Session, table: exp.Table) -> Name:
    parts = tuple(
        session.folding.table(part.name, quoted=bool(part.args.get("quoted")))
        for part in table.parts
    )
    return session.registry.namespaces.canonical(parts)


def model_name(session: Session, statement: Statement) -> Name | None:
    """The relation that the query of a model writes."""
    if not statement.builds:
        return None
    parts = tuple(session.folding.table(part) for part in statement.builds)
    return session.registry.namespaces.canonical(parts)


def _written(session: Session, statement: Statement) -> list[Name]:
    tree = statement.parsed.tree
    if (model := model_name(session, statement)) is not None:
        return [model]
    if not isinstance(tree, exp.Create | exp.Insert | exp.Merge | exp.Update):
        return []
    table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    return [_name(session, table)] if isinstance(table, exp.Table) else []


def _read(session: Session, statement: Statement) -> list[Name]:
    tree = statement.parsed.tree
    if tree is None:
        return []
    own = (
        {dotted(name) for name in _written(session, statement)}
        if not isinstance(tree, exp.Query)
        else set()
    )
    local = {cte.alias for cte in tree.find_all(exp.CTE)}
    found = []
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier) and not (
            len(table.parts) == 1 and table.name in local and not _is_in_its_own(table)
        ):
            name = _name(session, table)
            if dotted(name) not in own:
                found.append(name)
    return found


def _is_in_its_own(table: exp.Table) -> bool:
    """`orders AS (SELECT * FROM orders)` reads the table: a CTE does not see itself unless it is recursive."""
    cte = table.find_ancestor(exp.CTE)
    while cte is not None:
        clause = cte.parent
        if cte.alias == table.name:
            return not (isinstance(clause, exp.With) and clause.recursive)
        cte = cte.find_ancestor(exp.CTE)
    return False
