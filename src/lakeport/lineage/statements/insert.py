"""INSERT in all its forms: by position, by name, into partitions, with conflicts, into many tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.ctes import bind_ctes
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.filters import bind_filter
from lakeport.lineage.bind.scope import FILTER, Column, Output, Ref, Relation, Scope, Source
from lakeport.lineage.statements.returning import bind_returning
from lakeport.lineage.statements.targets import (
    assign,
    assign_by_name,
    assign_by_position,
    target_column,
    target_table,
)

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def bind_insert(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """INSERT … SELECT | VALUES | TABLE; the output is what RETURNING yields."""
    ctes = bind_ctes(binder, node, parent, ctes)
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    if isinstance(table, exp.Directory):
        return _bind_directory(binder, node, table.this.name, parent, ctes)
    if isinstance(table, exp.Func):
        place = next((text.name for text in table.find_all(exp.Literal) if text.is_string), None)
        if place is not None:
            # ClickHouse's `INSERT INTO FUNCTION s3('…')` writes files, or another server.
            return _bind_directory(binder, node, place, parent, ctes)
    if not isinstance(table, exp.Table):
        binder.unsupported(node, "this kind of INSERT target has no lineage rule")
        return Output([], [], [])
    target = target_table(binder, table)
    # `INSERT INTO t TABLE s` keeps the table apart from queries.
    query = node.args.get("expression") or node.args.get("source")
    if isinstance(node.this, exp.Schema) and not node.args.get("by_name"):
        _leave_unnamed(binder, query)
    output = (
        binder.query(query, parent, ctes)
        if isinstance(query, exp.Expr) and not node.args.get("default")
        else Output([], [], [])
    )
    fill(binder, node, target, output)
    if node.args.get("where") is not None:
        scope = Scope(parent, ctes)
        scope.sources.append(Source(binder.folding.column(target.label), target))
        bind_filter(binder, node.args["where"], scope, "WHERE", None)
    _bind_conflict(binder, node, target, output, ctes)
    return bind_returning(binder, node, target, ctes, [])


def _leave_unnamed(binder: Binder, query: object) -> None:
    """The list names the columns, so what the query would call them need not be worked out.

    Behind a star of unknown width names do count.
    """
    if isinstance(query, exp.Select) and not any(item.is_star for item in query.expressions):
        binder.unnamed.add(id(query))


def _bind_directory(
    binder: Binder, node: exp.Expr, path: str, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """INSERT OVERWRITE DIRECTORY: the rows go to files."""
    target = binder.external(path, path, read=False)
    target.written = True
    binder.writes.setdefault(path)
    query = node.args.get("expression")
    if isinstance(query, exp.Expr):
        target.receive(binder.query(query, parent, ctes))
    return Output([], [], [])


def fill(binder: Binder, node: exp.Expr, target: Relation, output: Output) -> None:
    """Map a query's output onto the target's columns."""
    target.indirect += output.indirect
    target.inputs += output.inputs
    listed = node.this.expressions if isinstance(node.this, exp.Schema) else []
    static, dynamic = _partitions(binder, node, target)
    # The other partitions stay, and rows that the written ones do not replace.
    target.appended = target.appended or bool(static or node.args.get("using"))
    columns = [] if listed else _in_order(target, {column.key for column in (*static, *dynamic)})
    if node.args.get("by_name"):
        assign_by_name(binder, target, output, known=target.complete)
    elif listed:
        columns = [target_column(binder, target, _identifier(item)) for item in listed]
        # Hive lets the list name partitions, too.
        columns += [column for column in dynamic if column not in columns]
        assign_by_position(binder, target, columns, output, node)
    elif target.complete or columns:
        assign_by_position(binder, target, [*columns, *dynamic], output, node)
    elif dynamic:
        width = len(output.items) - len(dynamic)
        assign_by_name(binder, target, replace(output, items=output.items[:width]), known=False)
        assign_by_position(
            binder, target, dynamic, replace(output, items=output.items[width:]), node
        )
    else:
        assign_by_name(binder, target, output, known=False)


def _in_order(target: Relation, placed: set[str]) -> list[Column]:
    """The columns that a query fills one after the other, as far as they are known."""
    entry = target.entry
    if not target.complete and (entry is None or entry.inference != "ddl" or not entry.columns):
        return []
    return [column for column in target.known() if column.key not in placed]


def _identifier(node: exp.Expr) -> exp.Expr:
    # `SET tags[1] = …` and `SET address.city = …` write the whole column.
    inner = node
    while isinstance(inner, exp.Bracket | exp.Dot | exp.ColumnDef | exp.Column):
        inner = inner.this
    return inner


def _partitions(
    binder: Binder, node: exp.Expr, target: Relation
) -> tuple[list[Column], list[Column]]:
    """The columns of a PARTITION clause: with a value (static) and without (dynamic)."""
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    clause = table.args.get("partition") or node.args.get("partition")
    static: list[Column] = []
    dynamic: list[Column] = []
    for item in clause.expressions if isinstance(clause, exp.Expr) else []:
        if isinstance(item, exp.EQ):
            column = target_column(binder, target, _identifier(item.this))
            value = Column(column.name, column.key)
            value.refs = collect(binder, item.expression, Scope(None, {}))
            assign(column, value)
            static.append(column)
        else:
            dynamic.append(target_column(binder, target, _identifier(item)))
    return static, dynamic


class _Incoming(NamedTuple):
    """The row that met a conflict: its columns, what the row is called, which columns need no qualifier."""

    row: Relation
    called: frozenset[str]
    bare: frozenset[str]


def _incoming_row(binder: Binder, node: exp.Expr, target: Relation, output: Output) -> _Incoming:
    row = Relation("cte", "excluded", ("excluded",))
    listed = node.this.expressions if isinstance(node.this, exp.Schema) else target.known()
    items = [item for item in output.items if isinstance(item, Column)]
    for name, item in zip(listed, items, strict=False):
        key = name.key if isinstance(name, Column) else binder.key(_identifier(name))
        row.index[key] = item
    query = node.args.get("expression")
    alias = query.args.get("alias") if isinstance(query, exp.Values) else None
    if alias is None:
        return _Incoming(row, frozenset({"excluded"}), frozenset())
    # MySQL's `VALUES (…) AS new(m, n)`.
    renamed = [binder.key(column) for column in alias.args.get("columns") or ()]
    row.index.update(zip(renamed, items, strict=False))
    return _Incoming(row, frozenset({"excluded", alias.name.lower()}), frozenset(renamed))


def _bind_conflict(
    binder: Binder,
    node: exp.Expr,
    target: Relation,
    output: Output,
    ctes: dict[str, Relation],
) -> None:
    """ON CONFLICT and ON DUPLICATE KEY: EXCLUDED and VALUES(c) mean the incoming row."""
    conflict = node.args.get("conflict")
    if not isinstance(conflict, exp.Expr) or not conflict.expressions:
        return
    incoming = _incoming_row(binder, node, target, output)
    scope = Scope(None, ctes)
    scope.sources.append(Source(binder.folding.column(target.label), target))
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    if table.alias:
        scope.sources.append(Source(binder.folding.column(table.alias), target))
    if conflict.args.get("duplicate"):
        scope.sources += _sources_of(binder, node.args.get("expression"), output)
    for assignment in conflict.expressions:
        for name, value in _assignments(assignment):
            column = target_column(binder, target, _identifier(name))
            assign(column, _incoming_value(binder, value, incoming, scope))
    if isinstance(conflict.args.get("where"), exp.Expr):
        where = conflict.args["where"]
        scope.sources.append(Source("excluded", incoming.row))
        target.indirect += [(ref, "FILTER") for ref in collect(binder, where, scope, FILTER)]


def _sources_of(binder: Binder, query: object, output: Output) -> list[Source]:
    """MySQL's ON DUPLICATE KEY UPDATE sees the tables that the query reads, under their names there."""
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return []
    named = [query.args["from_"].this, *(join.this for join in query.args.get("joins") or ())]
    if len(named) != len(output.inputs):
        return []
    return [
        Source(binder.folding.column(node.alias_or_name), relation)
        for node, relation in zip(named, output.inputs, strict=True)
    ]


def _assignments(node: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]]:
    """`a = 1`, `(a, b) = (1, 2)` and `(a, b) = (SELECT …)` as pairs of a name and its value."""
    if not isinstance(node, exp.EQ):
        return []
    if not isinstance(node.this, exp.Tuple):
        return [(node.this, node.expression)]
    value = node.expression.unnest()
    if isinstance(value, exp.Tuple):
        return list(zip(node.this.expressions, value.expressions, strict=False))
    if isinstance(value, exp.Select):
        # Each name takes its own column of the row; what decides about the row is the same for all.
        single = [value.copy() for _ in value.expressions]
        for position, query in enumerate(single):
            query.set("expressions", [query.expressions[position]])
        return list(zip(node.this.expressions, single, strict=False))
    return [(name, value) for name in node.this.expressions]


def _incoming_value(binder: Binder, value: exp.Expr, incoming: _Incoming, scope: Scope) -> Column:
    """An assignment's value, with the incoming row's columns replaced by what they were made of."""
    made = Column("", "")
    made.text = binder.sql(value)
    refs: list[Ref] = []
    plain = 0
    for part in value.walk(prune=lambda node: isinstance(node, exp.Query)):
        source = _incoming_column(binder, part, incoming)
        if source is not None:
            refs += source.refs
            plain += part is value and source.identity
        elif isinstance(part, exp.Query):
            refs += _subquery_refs(binder, part, incoming, scope)
        elif (
            isinstance(part, exp.Column)
            and not isinstance(part.parent, exp.Dot)
            and part.table.lower() not in incoming.called
        ):
            refs += collect(binder, part, scope)
            plain += part is value
    made.refs, made.identity = refs, bool(plain)
    return made


def _subquery_refs(binder: Binder, query: exp.Expr, incoming: _Incoming, scope: Scope) -> list[Ref]:
    """What a subquery in an assignment reads; it sees the target's row and the incoming one."""
    inner = Scope(None, scope.ctes)
    rows = [Source(name, incoming.row) for name in sorted(incoming.called)]
    inner.sources = [*scope.sources, *rows]
    arrived = {id(column): column for column in incoming.row.index.values()}
    refs: list[Ref] = []
    for ref in collect(binder, query, inner):
        column = arrived.get(id(ref.origin))
        refs += column.refs if column is not None else [ref]
    return refs


def _incoming_column(binder: Binder, node: exp.Expr, incoming: _Incoming) -> Column | None:
    index = incoming.row.index
    if isinstance(node, exp.Column):
        key, table = binder.key(node.this), node.table.lower()
        return (
            index.get(key)
            if table in incoming.called or (not table and key in incoming.bare)
            else None
        )
    called = isinstance(node, exp.Anonymous) and node.name.upper() == "VALUES" and node.expressions
    named = node.expressions[0] if called else None  # nothing where the text ends too early
    return None if named is None else index.get(binder.key(named))


def bind_multi_insert(binder: Binder, node: exp.Expr, ctes: dict[str, Relation]) -> None:
    """`FROM s INSERT … INSERT …`, and INSERT ALL / FIRST: one source, many targets."""
    ctes = bind_ctes(binder, node, None, ctes)
    source = node.args.get("source")
    shared = Scope(None, ctes)
    if isinstance(source, exp.Expr):
        binder.source(source.this if isinstance(source, exp.From) else source, shared)
    decides: list[Ref] = []
    for branch in node.expressions:
        insert = branch.this if isinstance(branch, exp.ConditionalInsert) else branch
        if not isinstance(insert, exp.Insert):
            continue
        table = insert.this.this if isinstance(insert.this, exp.Schema) else insert.this
        target = target_table(binder, table)
        if branch is not insert:
            decides = _deciding(binder, branch, shared, decides)
        target.indirect += [(ref, "FILTER") for ref in decides]
        fill(binder, insert, target, _branch_output(binder, insert, shared, ctes))


def _deciding(binder: Binder, branch: exp.Expr, shared: Scope, before: list[Ref]) -> list[Ref]:
    """What decides whether a row goes to this table of INSERT ALL: WHEN holds for each INTO behind it."""
    condition = branch.args.get("expression")
    return before if condition is None else collect(binder, condition, shared, FILTER)


def _branch_output(
    binder: Binder, insert: exp.Expr, shared: Scope, ctes: dict[str, Relation]
) -> Output:
    query = insert.args.get("expression")
    if query is None:
        # `INTO t` alone takes the whole row.
        query = exp.select("*")
    if isinstance(query, exp.Select) and query.args.get("from_") is None:
        scope = Scope(None, ctes)
        scope.sources = list(shared.sources)
        return binder.select(query, scope)
    return binder.query(query, shared, ctes)
