"""UPDATE, DELETE and MERGE: assignments to columns of a target that is itself in scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.ctes import bind_ctes
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.filters import bind_filter
from lakeport.lineage.bind.scope import VALUE, Column, Output, Relation, Scope, Source, copied
from lakeport.lineage.bind.sources import bind_sources
from lakeport.lineage.bind.tables import trigger_name
from lakeport.lineage.duckdb_syntax import told_order
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.schema_evolution import is_evolving
from lakeport.lineage.statements.returning import bind_returning
from lakeport.lineage.statements.targets import assign, new_column, target_column, target_table
from lakeport.lineage.statements.through import changed_column, changed_query, table_behind

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def _alias(binder: Binder, table: exp.Expr, relation: Relation) -> str:
    alias = table.args.get("alias")
    if alias is not None and alias.this is not None:
        return binder.key(alias.this)
    return binder.folding.column(relation.label)


def _scope_with_target(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> tuple[Scope, Relation]:
    """The target in scope, together with FROM, USING and joins. A T-SQL alias leads to its table."""
    scope = Scope(parent, ctes)
    table = node.this if isinstance(node.this, exp.Expr) else exp.Table()
    aliased = _aliased_target(binder, node)
    relation: Relation | None = None
    if aliased is None:
        relation = changed_query(binder, table, scope)
        if relation is None:
            relation = target_table(binder, table)
            scope.sources.append(Source(_alias(binder, table, relation), relation))
        holder = exp.Select(
            joins=table.args.get("joins") or [], laterals=table.args.get("laterals") or []
        )
        bind_sources(binder, holder, scope)
    bind_sources(binder, node, scope)
    using = node.args.get("using")
    for item in using if isinstance(using, list) else ():
        binder.source(item, scope)
    if aliased is not None:
        relation = scope.relation(binder.key(aliased))
    if relation is None:
        relation = target_table(binder, table)
    _reads_its_rows(binder, relation)
    return scope, relation


def _reads_its_rows(binder: Binder, relation: Relation) -> None:
    """UPDATE, DELETE and MERGE look at the rows they change."""
    relation = table_behind(relation)
    relation.written = relation.is_read = True
    binder.writes.setdefault(dotted(relation.name))
    binder.reads.setdefault(dotted(relation.name))


def _aliased_target(binder: Binder, node: exp.Expr) -> exp.Expr | None:
    """`UPDATE x SET … FROM t AS x`: the target is an alias, or a table, of the FROM clause."""
    table = node.this
    origin = node.args.get("from_")
    using = node.args.get("using")
    if (
        not isinstance(table, exp.Table)
        or table.args.get("db") is not None
        or table.args.get("alias") is not None
    ):
        return None
    if not isinstance(table.this, exp.Identifier):
        return None
    wanted = binder.key(table.this)
    places = [origin] if isinstance(origin, exp.Expr) else []
    places += (
        [item for item in using if isinstance(item, exp.Expr)] if isinstance(using, list) else []
    )
    for place in places:
        for candidate in place.find_all(exp.Table, exp.Subquery):
            alias = candidate.args.get("alias")
            named = alias.this if alias is not None else candidate.this
            shadows = alias is not None or binder.dialect.name in {"tsql", "fabric"}
            if shadows and isinstance(named, exp.Identifier) and binder.key(named) == wanted:
                return table.this
    return None


# -- UPDATE ------------------------------------------------------------------------------------


def bind_update(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """Each SET target gets edges from its expression."""
    ctes = bind_ctes(binder, node, parent, ctes)
    scope, target = _scope_with_target(binder, node, parent, ctes)
    # Values are bound first: every assignment reads the row as it was.
    assignments: list[tuple[Column, Column]] = []
    for item in node.expressions:
        if isinstance(item, exp.EQ):
            assignments += _assignments(binder, item, scope, target)
    for column, value in assignments:
        assign(column, value)
        if column.relation is not None and column.relation is not target:
            column.relation.written = True
            binder.writes.setdefault(dotted(column.relation.name))
    where = node.args.get("where")
    if where is not None:
        bind_filter(binder, where.this, scope, "WHERE", None)
    changed = table_behind(target)
    changed.indirect += scope.indirect
    changed.inputs += [
        source.relation
        for source in scope.sources
        if source.relation is not target and table_behind(source.relation) is not changed
    ]
    return bind_returning(binder, node, target, ctes, scope.sources[1:])


def bind_row(binder: Binder, item: exp.Expr) -> bool:
    """`SET NEW.a = …` in a trigger changes its table; False if it is about something else."""
    named = item.this.expressions if isinstance(item.this, exp.Tuple) else [item.this]
    named = [name.this if isinstance(name, exp.Paren) else name for name in named]
    table = trigger_name(binder)
    if table is None or not all(
        isinstance(name, exp.Column) and name.table.lower() == "new" for name in named
    ):
        return False
    target = target_table(binder, table)
    columns = [target_column(binder, target, name.this) for name in named]
    for column, value in _values(binder, item.expression, Scope(None, {}), columns):
        assign(column, value)
    return True


def _assignments(
    binder: Binder, item: exp.Expr, scope: Scope, target: Relation
) -> list[tuple[Column, Column]]:
    left = item.this
    names = left.expressions if isinstance(left, exp.Tuple) else [left]
    names = [name.this if isinstance(name, exp.Paren) else name for name in names]
    columns = [_set_target(binder, name, scope, target) for name in names]
    return _values(binder, item.expression, scope, columns)


def _values(
    binder: Binder, right: exp.Expr, scope: Scope, columns: list[Column]
) -> list[tuple[Column, Column]]:
    if len(columns) == 1:
        return [(columns[0], _value(binder, right, scope))]
    query = right
    while isinstance(query, exp.Paren):
        query = query.this
    if isinstance(query, exp.Query):
        output = binder.query(query, scope, scope.ctes)
        values = [value for value in output.items if isinstance(value, Column)]
        for value in values:
            value.identity = False
        return list(zip(columns, values, strict=False))
    parts = query.expressions if isinstance(query, exp.Tuple) else [query]
    return [
        (column, _value(binder, part, scope)) for column, part in zip(columns, parts, strict=False)
    ]


def _set_target(binder: Binder, name: exp.Expr, scope: Scope, target: Relation) -> Column:
    """The column on the left of an assignment; a multi-table UPDATE may name another table."""
    while isinstance(name, exp.Dot | exp.Bracket):
        name = name.this
    if not isinstance(name, exp.Column):
        return changed_column(binder, target, name)
    qualifier = name.args.get("table")
    if qualifier is None:
        key = binder.key(name.this)
        owners = [s.relation for s in scope.sources if s.relation.find(key) is not None]
        if (
            target.complete
            and target.find(key) is None
            and len(owners) == 1
            and binder.dialect.name in {"mysql", "doris", "starrocks"}
        ):
            return target_column(binder, owners[0], name.this)
        return changed_column(binder, target, name.this)
    parts = [
        name.args[part] for part in ("catalog", "db", "table") if name.args.get(part) is not None
    ]
    relation = binder.addressed(parts, scope)
    if relation is None:
        # `SET struct.field = …`: the struct column changes.
        return changed_column(binder, target, parts[0])
    return changed_column(binder, relation, name.this)


def _value(binder: Binder, node: exp.Expr, scope: Scope) -> Column:
    made = Column("", "")
    plain = node
    while isinstance(plain, exp.Paren):
        plain = plain.this
    if not _is_default(plain):
        made.refs = collect(binder, plain, scope)
    made.identity = (
        plain.__class__ is exp.Column and sum(ref.role == VALUE for ref in made.refs) == 1
    )
    made.expression = plain
    made.text = None if made.identity or not binder.wants_text else binder.sql(node)
    return made


def _is_default(node: exp.Expr) -> bool:
    """`SET a = DEFAULT`: a word, and a column of that name only where it is quoted."""
    return (
        node.__class__ is exp.Column
        and node.name.upper() == "DEFAULT"
        and not (node.args.get("table") or node.this.args.get("quoted"))
    )


# -- DELETE ------------------------------------------------------------------------------------


def bind_delete(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """Rows go, no value flows: table-level edges from every other source."""
    ctes = bind_ctes(binder, node, parent, ctes)
    before = len(binder.relations)
    scope, targets = _scope_with_targets(binder, node, parent, ctes)
    where = node.args.get("where")
    if where is not None:
        bind_filter(binder, where.this, scope, "WHERE", None)
    changed = [table_behind(target) for target in targets]
    others = [
        relation
        for relation in binder.relations[before:]
        if relation.local_kind is None and not any(relation is table for table in changed)
    ]
    for table in changed:
        table.indirect += scope.indirect
        table.table_inputs += [(relation, "DELETE") for relation in others]
    return bind_returning(binder, node, targets[0], ctes, scope.sources[1:])


def _scope_with_targets(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> tuple[Scope, list[Relation]]:
    """`DELETE a, b FROM t AS a JOIN …` lists which of its sources lose rows."""
    listed = [table for table in node.args.get("tables") or () if isinstance(table, exp.Table)]
    if not listed:
        scope, target = _scope_with_target(binder, node, parent, ctes)
        return scope, [target]
    scope = Scope(parent, ctes)
    # `DELETE t WHERE …`, without FROM, leaves the table where the list of targets stands.
    binder.source(node.this if isinstance(node.this, exp.Expr) else listed[0], scope)
    bind_sources(binder, node, scope)
    using = node.args.get("using")
    if not isinstance(node.this, exp.Expr) and isinstance(using, list):
        # Redshift's `DELETE t USING s WHERE …`.
        for item in using:
            binder.source(item, scope)
    found = [_listed(binder, table, scope) for table in listed]
    targets = [relation for relation in found if relation is not None]
    targets = targets or [target_table(binder, listed[0])]
    for target in targets:
        _reads_its_rows(binder, target)
    return scope, targets


def _listed(binder: Binder, table: exp.Table, scope: Scope) -> Relation | None:
    """A listed target is an alias of the FROM clause, or a table of it by its own name."""
    parts: list[exp.Expr] = [p for p in table.parts if isinstance(p, exp.Identifier)]
    if not parts:
        return None
    named = binder.addressed(parts, scope)
    if named is not None:
        return named
    name = tuple(binder.key(part) for part in parts)
    return next((s.relation for s in scope.sources if s.relation.name[-len(name) :] == name), None)


# -- MERGE -------------------------------------------------------------------------------------


def bind_merge(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """Every WHEN clause on its own; the target may read itself."""
    ctes = bind_ctes(binder, node, parent, ctes)
    scope = Scope(parent, ctes)
    through = changed_query(binder, node.this, scope)
    target = table_behind(through) if through is not None else target_table(binder, node.this)
    if through is None:
        scope.sources.append(Source(_alias(binder, node.this, target), target))
    using = node.args.get("using")
    added = binder.source(using, scope) if isinstance(using, exp.Expr) else []
    _reads_its_rows(binder, target)
    source = added[0] if added else None
    condition = node.args.get("on")
    if isinstance(condition, exp.Expr):
        bind_filter(binder, condition, scope, "JOIN_ON", None, joined=added)
    evolving = is_evolving(node)
    assignments: list[tuple[Column, Column, str]] = []
    whens = node.args.get("whens")
    for when in whens.expressions if whens is not None else []:
        visible = _visible(when, scope)
        predicate = when.args.get("condition")
        if isinstance(predicate, exp.Expr):
            bind_filter(binder, predicate, visible, "WHERE", None)
        then = when.args.get("then")
        if isinstance(then, exp.DML) and then.args.get("where") is not None:
            # Oracle's condition stands behind what it is about.
            bind_filter(binder, then.args["where"].this, visible, "WHERE", None)
        assignments += _when(binder, then, visible, target, source, evolving=evolving)
        if visible is not scope:
            scope.indirect += visible.indirect
    for column, value, operation in assignments:
        assign(column, value, operation, approximate=value.approximate)
    target.indirect += scope.indirect
    target.inputs += [relation for relation in added if relation is not target]
    return bind_returning(binder, node, target, ctes, scope.sources[1:])


def _visible(when: exp.Expr, scope: Scope) -> Scope:
    """A row that is not matched exists on one side only, so names mean that side."""
    if when.args.get("matched"):
        return scope
    one_sided = Scope(scope.parent, scope.ctes)
    by_source = bool(when.args.get("source"))
    one_sided.sources = [
        replace(s, visible=(i == 0) == by_source) for i, s in enumerate(scope.sources)
    ]
    return one_sided


def _when(
    binder: Binder,
    action: object,
    scope: Scope,
    target: Relation,
    source: Relation | None,
    *,
    evolving: bool,
) -> list[tuple[Column, Column, str]]:
    if isinstance(action, exp.Update):
        items = action.args.get("expressions")
        if not isinstance(items, list) or not items or any(isinstance(i, exp.Star) for i in items):
            return _row(binder, target, source, "MERGE_UPDATE", evolving=evolving)
        if told_order(items[0]) == "NAME":
            return _by_name(binder, target, source, "MERGE_UPDATE", evolving=evolving)
        return [
            (column, value, "MERGE_UPDATE")
            for item in action.expressions
            if isinstance(item, exp.EQ)
            for column, value in _assignments(binder, item, scope, target)
        ]
    if isinstance(action, exp.Insert):
        return _merge_insert(binder, action, scope, target, source, evolving=evolving)
    if source is not None:
        target.table_inputs.append((source, "MERGE_DELETE"))
    return []


def _merge_insert(
    binder: Binder,
    action: exp.Expr,
    scope: Scope,
    target: Relation,
    source: Relation | None,
    *,
    evolving: bool,
) -> list[tuple[Column, Column, str]]:
    listed, values = action.args.get("this"), action.args.get("expression")
    way = told_order(listed)
    if way == "NAME":
        return _by_name(binder, target, source, "MERGE_INSERT", evolving=evolving)
    whole_row = isinstance(listed, exp.Star | exp.Var) or not isinstance(listed or values, exp.Expr)
    if whole_row or way or _is_row(values):
        said = bool(way) or _is_row(listed) or _is_row(values)
        return _row(binder, target, source, "MERGE_INSERT", evolving=evolving, ordered=said)
    if isinstance(values, exp.Values):
        values = values.expressions[0] if values.expressions else None
    parts = (
        values.expressions
        if isinstance(values, exp.Tuple)
        else [values]
        if isinstance(values, exp.Expr)
        else []
    )
    if isinstance(listed, exp.Expr):
        names = listed.expressions if isinstance(listed, exp.Tuple | exp.Schema) else [listed]
        columns = [
            target_column(binder, target, name.this if isinstance(name, exp.Column) else name)
            for name in names
        ]
    else:
        columns = target.known()
        if binder.dialect.short_rows:
            columns = columns[: len(parts)]
    _check_count(binder, target, len(columns), len(parts), action)
    return [
        (column, _value(binder, part, scope), "MERGE_INSERT")
        for column, part in zip(columns, parts, strict=False)
    ]


def _check_count(
    binder: Binder, target: Relation, columns: int, values: int, at: exp.Expr | None = None
) -> None:
    if columns and columns != values:
        binder.report(
            IssueCode.COLUMN_COUNT_MISMATCH,
            f"the MERGE inserts {values} values into {columns} columns of `{dotted(target.name)}`",
            at=at,
            relation=target,
        )


def _is_row(node: object) -> bool:
    return isinstance(node, exp.Var) and node.name.upper() == "ROW"


def _row(
    binder: Binder,
    target: Relation,
    source: Relation | None,
    operation: str,
    *,
    evolving: bool,
    ordered: bool = False,
) -> list[tuple[Column, Column, str]]:
    """All of the source's row: by name, or by position where the engine takes it so and all is known.

    Such are BigQuery's `INSERT ROW`, and `INSERT *` and `UPDATE SET *` of DuckDB.
    """
    by_position = ordered or binder.dialect.merges_by_position
    if not by_position or source is None or not (source.complete and target.complete):
        return _by_name(binder, target, source, operation, evolving=evolving)
    columns, values = target.known(), source.known()
    _check_count(binder, target, len(columns), len(values))
    return [
        (column, copied(value), operation) for column, value in zip(columns, values, strict=False)
    ]


def _by_name(
    binder: Binder, target: Relation, source: Relation | None, operation: str, *, evolving: bool
) -> list[tuple[Column, Column, str]]:
    """`UPDATE SET *`, `INSERT *`, `INSERT BY NAME`: the source's columns into the target's of the same name.

    What the target is known not to have is reported and kept as a guess, unless the statement adds it.
    """
    if source is None:
        return []
    made: list[tuple[Column, Column, str]] = []
    wanted = [(c.name, c.key) for c in source.known()]
    if not source.complete and target.complete:
        held = {key for _, key in wanted}
        wanted += [(c.name, c.key) for c in target.known() if c.key not in held]
    for name, key in wanted:
        origin = source.find(key) or binder.inferred(source, name, key)
        if origin is None:
            continue
        column = target.find(key)
        if column is None:
            column = new_column(binder, target, name, key, expected=evolving)
        value = copied(origin)
        value.approximate = not source.complete
        made.append((column, value, operation))
    if not source.complete:
        target.table_inputs.append((source, operation))
    return made
