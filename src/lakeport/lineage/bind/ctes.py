"""CTEs: bound in order, each seen by the ones after it, a recursive one by itself.

Behind RECURSIVE a CTE also sees those after it, so that they are bound before it.

The first branch of a recursive CTE seeds its names; the others read the CTE's own columns and add
their inputs, which is the fixpoint, because self-references add nothing new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.derived import rename_columns
from lakeport.lineage.bind.engine_names import tell_apart
from lakeport.lineage.bind.scope import Column, Ref, Relation, Scope, explicit
from lakeport.lineage.bind.setops import branches

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def bind_ctes(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> dict[str, Relation]:
    """The CTEs visible inside `node`: the inherited ones and its own, bound in order."""
    clause = node.args.get("with_")
    if clause is None:
        return ctes
    visible = dict(ctes)
    recursive = bool(clause.args.get("recursive")) or binder.dialect.implicit_recursion
    listed = clause.expressions
    if len(listed) > 1 and clause.args.get("recursive"):
        listed = _in_order(binder, listed)
    for cte in listed:
        if cte.args.get("scalar"):
            continue
        alias = cte.args["alias"]
        identifier = alias.this
        relation = binder.cte(identifier, cte)
        key = binder.key(identifier)
        body = cte.this
        if recursive and _reads_itself(binder, body, key):
            _bind_recursive(binder, body, relation, alias, parent, visible, key=key)
        else:
            relation.receive(binder.query(body, parent, visible))
            if relation.duplicates and binder.dialect.name == "duckdb":
                tell_apart(relation)
            rename_columns(binder, relation, alias.args.get("columns"))
        visible[key] = relation
        if cte is clause.expressions[-1]:
            _add_path(binder, clause, relation)
    return visible


def _in_order(binder: Binder, ctes: list[exp.Expr]) -> list[exp.Expr]:
    """As they are listed, but those that one reads before it."""
    places = {binder.key(cte.args["alias"].this): place for place, cte in enumerate(ctes)}
    needed = [
        sorted(places[key] for key in _free_names(binder, cte.this) if key in places)
        for cte in ctes
    ]
    if all(not other or other[-1] <= place for place, other in enumerate(needed)):
        return ctes
    ordered: dict[int, exp.Expr] = {}
    begun: set[int] = set()
    stack = list(reversed(range(len(ctes))))
    while stack:
        place = stack.pop()
        if place not in begun:
            begun.add(place)
            stack.append(place)
            # One that is begun already reads this one in turn: the engine refuses that, we do not.
            stack += [other for other in reversed(needed[place]) if other not in begun]
        else:
            ordered.setdefault(place, ctes[place])
    return list(ordered.values())


def _free_names(binder: Binder, body: exp.Expr) -> set[str]:
    """The names without a qualifier that a query reads, and that no WITH inside it defines."""
    found: set[str] = set()
    stack: list[tuple[exp.Expr, frozenset[str]]] = [(body, frozenset())]
    while stack:
        node, hidden = stack.pop()
        clause = node.args.get("with_")
        if clause is not None:
            keys = [binder.key(cte.args["alias"].this) for cte in clause.expressions]
            every = hidden.union(keys)
            for place, cte in enumerate(clause.expressions):
                within = every if clause.args.get("recursive") else hidden.union(keys[:place])
                stack.append((cte.this, within))
            hidden = every
        elif (
            isinstance(node, exp.Table)
            and isinstance(node.this, exp.Identifier)
            and node.args.get("db") is None
            and (key := binder.key(node.this)) not in hidden
        ):
            found.add(key)
        stack += [(child, hidden) for child in node.iter_expressions() if child is not clause]
    return found


def _add_path(binder: Binder, clause: exp.Expr, relation: Relation) -> None:
    """`SEARCH … BY a SET b` and `CYCLE a SET b USING c`: columns about the way to a row."""
    for word in ("search", "cycle"):
        path = clause.args.get(word)
        if not isinstance(path, exp.Expr):
            continue
        origin = relation.find(binder.key(path.this))
        for made in (path.args.get("expression"), path.args.get("using")):
            if isinstance(made, exp.Identifier):
                column = Column(made.name, binder.key(made))
                column.refs = [Ref(origin, derived=True)] if origin is not None else []
                relation.add(column)


def _reads_itself(binder: Binder, body: exp.Expr, key: str) -> bool:
    if not isinstance(_unwrapped(body), exp.SetOperation):
        return False
    return any(
        binder.key(table.this) == key
        for table in body.find_all(exp.Table)
        if table.args.get("db") is None and isinstance(table.this, exp.Identifier)
    )


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node


def _bind_recursive(  # noqa: PLR0913 - a CTE and its surroundings
    binder: Binder,
    body: exp.Expr,
    relation: Relation,
    alias: exp.Expr,
    parent: Scope | None,
    ctes: dict[str, Relation],
    *,
    key: str,
) -> None:
    """The first branch seeds names; the others read the CTE's own columns and add their inputs."""
    operation = _unwrapped(body)
    ctes = bind_ctes(binder, operation, parent, ctes)
    first, rest = branches(operation)
    relation.receive(binder.query(first, parent, ctes))
    rename_columns(binder, relation, alias.args.get("columns"))
    within = {**ctes, key: relation}
    for _kind, branch in rest:
        output = binder.query(branch, parent, within)
        relation.indirect += output.indirect
        relation.inputs += [source for source in output.inputs if source is not relation]
        columns = [item for item in output.items if isinstance(item, Column)]
        for column, addition in zip(relation.columns, columns, strict=False):
            added = [ref for ref in explicit(addition) if ref.origin is not column]
            column.refs, column.identity = [*explicit(column), *added], True
