"""Functions in a FROM clause: readers of files, generators, and what returns a table of its own.

Where nobody says which columns come out, they are inferred from their use like a table's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.generators import (
    DEFAULT_NAMES,
    add_called,
    alias_names,
    called,
    generated,
    generator_columns,
    is_known_generator,
    labelled_relation,
    open_ended,
    put_in_scope,
)
from lakeport.lineage.bind.named_tables import given_rows
from lakeport.lineage.bind.qualified import relation_refs
from lakeport.lineage.bind.row_functions import fill_from_rows, table_argument
from lakeport.lineage.bind.scope import (
    VALUE,
    Column,
    Item,
    Output,
    Ref,
    Relation,
    Scope,
    Source,
    Tail,
    copied,
)
from lakeport.lineage.bind.written_columns import written_names
from lakeport.lineage.bind.written_names import table_named, written_name
from lakeport.lineage.types import SqlType

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_READERS = (
    "read_",
    "scan_",
    "parquet_",
    "csv_",
    "json_scan",
    "delta_scan",
    "iceberg_scan",
    "cloud_files",
    "openrowset",
    "external_query",
    "s3",
)

# What Delta tells of a table's past.
_CHANGES = frozenset({"table_changes", "table_changes_by_path"})
_CHANGE_COLUMNS = (
    ("_change_type", "string"),
    ("_commit_version", "bigint"),
    ("_commit_timestamp", "timestamp"),
)
# ClickHouse's rows out of nothing, and what their column is called.
_COUNTING = {
    **dict.fromkeys(("numbers", "numbers_mt"), "number"),
    **dict.fromkeys(("zeros", "zeros_mt"), "zero"),
    **dict.fromkeys(("primes", "primes_mt"), "prime"),
    **dict.fromkeys(("generate_series", "generateseries"), "generate_series"),
}


def add_table_of(binder: Binder, node: exp.TableFromRows, scope: Scope) -> None:
    """Snowflake's `TABLE(…)`: around a function, a table's name as a string, or a variable."""
    inner = node.this
    alias = node.args.get("alias")
    if isinstance(inner, exp.Explode | exp.Generator):
        # FLATTEN has six columns; a GENERATOR has rows, but none.
        flattens = isinstance(inner, exp.Explode)
        relation, identifier = labelled_relation(
            binder, alias, "flatten" if flattens else "generator"
        )
        refs = collect(binder, inner, scope)
        names = DEFAULT_NAMES["flatten"] if flattens else ()
        generated(binder, relation, [(name, refs, None) for name in names], alias_names(alias))
        put_in_scope(binder, scope, relation, identifier)
    elif isinstance(inner, exp.Func):
        add_table_function(binder, node, scope)
    else:
        table = table_named(inner.name) if isinstance(inner, exp.Literal) else exp.Table(this=inner)
        if alias is not None:
            table.set("alias", alias.copy())
        binder.source(table, scope)


def add_rows_from(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    """Postgres's `ROWS FROM (f(…), g(…)) AS t(a, b)`: the functions' columns side by side."""
    alias = node.args.get("alias")
    relation, identifier = labelled_relation(binder, alias, "rows_from")
    inner = Scope(scope, scope.ctes)
    for item in node.args["rows_from"]:
        binder.source(item, inner)
    for source in inner.sources:
        for column in source.relation.known():
            relation.add(copied(column))
        relation.complete = relation.complete and source.relation.complete
    if node.args.get("ordinality"):
        generated(binder, relation, [("ordinality", [], SqlType("bigint"))], [])
    binder.rename(relation, alias_names(alias))
    put_in_scope(binder, scope, relation, identifier)


def _add_changes(binder: Binder, relation: Relation, table: exp.Table, scope: Scope) -> None:
    """Delta's `table_changes('t', 2)`: rows of the table, and how, by what and when they changed."""
    inner = Scope(scope, {})
    binder.source(table, inner)
    changed = inner.sources[0].relation
    items: list[Item] = [copied(column) for column in changed.known()]
    if not changed.complete:
        items.append(Tail(changed, told=False))
    for name, kind in _CHANGE_COLUMNS:
        column = Column(name, name)
        column.type, column.typed = SqlType(kind), True
        items.append(column)
    relation.receive(Output(items, [], []))


def _vector_search(binder: Binder, function: exp.Expr, relation: Relation, scope: Scope) -> None:
    """BigQuery's `VECTOR_SEARCH(TABLE t, 'v', TABLE q)`: rows of both, `base` and `query`, and how near they are."""
    compared: list[Ref] = []
    for name, rows, column in (
        ("query", "query_table", "query_column_to_search"),
        ("base", "this", "column_to_search"),
    ):
        node = function.args.get(rows)
        for row in (
            binder.source(node, Scope(scope, scope.ctes)) if isinstance(node, exp.Expr) else ()
        ):
            compared += _compared(binder, row, function, column)
            if name == "query" and not row.inputs and row.local_kind == "derived":
                # A single value is no row to show.
                continue
            refs = [replace(ref, derived=True) for ref in relation_refs(row, VALUE)]
            generated(binder, relation, [(name, refs, None)], [])
            scope.sources.append(Source(binder.folding.column(name), row, visible=False))
    generated(binder, relation, [("distance", compared, SqlType("double"))], [])


def _compared(binder: Binder, row: Relation, function: exp.Expr, column: str) -> list[Ref]:
    """The column of vectors; what is looked for need not be named, if it is called as what it is looked for in."""
    searched = function.args.get(column)
    if isinstance(searched, exp.Kwarg):
        searched = searched.expression
    vector = None
    if isinstance(searched, exp.Literal):
        key = binder.folding.column(searched.name)
        vector = row.find(key) or binder.inferred(row, searched.name, key)
    elif searched is None:
        known, named = row.known(), function.args.get("column_to_search")
        found = row.find(binder.folding.column(named.name)) if isinstance(named, exp.Expr) else None
        vector = found or (known[0] if len(known) == 1 else None)
    return [Ref(vector, derived=True)] if vector is not None else []


def _owner_refs(binder: Binder, node: exp.Expr, scope: Scope) -> list[Ref]:
    """What `FROM t.doc.nodes(…)` reads beside its arguments: the column whose method it is."""
    parts = [part.copy() for name in ("catalog", "db") if (part := node.args.get(name))]
    return collect(binder, exp.Dot.build([*parts, exp.Anonymous(this=node.this.name)]), scope)


def add_table_function(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    """`f(args) AS t(a, b)` in a FROM clause; readers of files become external relations."""
    function = node.this
    alias = node.args.get("alias")
    names = alias_names(alias)
    label = called(function)
    path = next(
        (argument.name for argument in function.find_all(exp.Literal) if argument.is_string), None
    )
    if path is not None and label.lower().startswith(_READERS):
        relation = binder.external(
            path, alias.this.name if alias is not None and alias.this else path
        )
        put_in_scope(binder, scope, relation, alias.this if alias is not None else None)
        return
    given = given_rows(binder, function)
    if given is not None:
        given.set("alias", None if alias is None else alias.copy())
        binder.source(given, scope)
        return
    if binder.dialect.name == "oracle" and label == "containers":
        _add_containers(binder, node, scope)
        return
    if binder.dialect.name == "clickhouse" and _add_view(binder, node, scope):
        return
    relation, identifier = labelled_relation(binder, alias, label)
    if _fill_known(binder, function, relation, scope, path, names):
        if node.args.get("ordinality"):
            counted = ("ordinality", list[Ref](), SqlType("bigint"))
            generated(binder, relation, [counted], names[len(relation.columns) :])
    else:
        _fill(binder, node, relation, scope, identifier)
    put_in_scope(binder, scope, relation, identifier)


def _fill_known(
    binder: Binder,
    function: exp.Expr,
    relation: Relation,
    scope: Scope,
    path: str | None,
    names: list[exp.Expr],
) -> bool:
    """Give the columns of a function whose rows are of a kind of their own; False for all others."""
    label, dialect = called(function), binder.dialect
    if fill_from_rows(binder, function, label, relation, scope):
        binder.rename(relation, names)
    elif isinstance(function, exp.VectorSearch):
        _vector_search(binder, function, relation, scope)
    elif add_called(binder, function, relation, scope, names):
        pass
    elif path is not None and label in _CHANGES and dialect.naming == "spark":
        folder = exp.Table(this=exp.to_identifier(path, quoted=True))
        table = table_named(path) if label == "table_changes" else folder
        _add_changes(binder, relation, table, scope)
        binder.rename(relation, names)
    elif dialect.name == "duckdb" and isinstance(function, exp.GenerateSeries):
        name = "range" if function.args.get("is_end_exclusive") else "generate_series"
        refs = collect(binder, function, scope)
        generated(binder, relation, [(name, refs, _counted_type(function))], names)
    elif dialect.name == "clickhouse" and label in _COUNTING:
        counted = (_COUNTING[label], collect(binder, function, scope), SqlType("bigint"))
        generated(binder, relation, [counted], names)
    else:
        return False
    return True


def _counted_type(function: exp.Expr) -> SqlType | None:
    """Whole numbers are big ones; with an interval for a step they are no numbers."""
    ends = [function.args.get(end) for end in ("start", "end")]
    numbers = all(
        end is None or (isinstance(end, exp.Literal) and not end.is_string) for end in ends
    )
    return SqlType("bigint") if numbers or function.args.get("step") is None else None


def _fill(
    binder: Binder, node: exp.Expr, relation: Relation, scope: Scope, identifier: exp.Expr | None
) -> None:
    """The columns of a generator, or none that are known."""
    function, names = node.this, alias_names(node.args.get("alias"))
    if not (names or is_known_generator(binder, function) or _is_value(binder, function)):
        open_ended(binder, relation, function, scope)
        rows = table_argument(function)
        for row in () if rows is None else binder.source(rows, Scope(scope, scope.ctes)):
            refs = relation_refs(row, VALUE)
            given = [replace(ref, derived=True) for ref in refs]
            relation.arguments = [*(relation.arguments or ()), *given]
        return
    ordinality = bool(node.args.get("ordinality"))
    wanted = max(len(names) - ordinality, 0)
    columns = generator_columns(binder, function, scope, wanted)
    if node.args.get("db") is not None:
        owned = _owner_refs(binder, node, scope)
        columns = [(name, refs + owned, kind) for name, refs, kind in columns]
    alone = identifier if binder.dialect.naming == "postgres" and len(columns) == 1 else None
    if alone is not None and not names and columns[0][0] == called(function).lower():
        # The only column has the alias for a name, unless it has one of its own.
        names = [alone]
    generated(binder, relation, columns, names or written_names(function))
    if alone is not None and not names:
        relation.index[binder.key(alone)] = relation.columns[0]
    if ordinality:
        counted = ("ordinality", list[Ref](), SqlType("bigint"))
        generated(binder, relation, [counted], names[len(columns) :])


def _add_containers(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    """Oracle's `CONTAINERS(t)`: the rows of `t` in every database of a container."""
    for column in node.this.expressions:
        if isinstance(column, exp.Column):
            table = exp.Table(this=column.this, db=column.args.get("table"))
            table.set("alias", node.args.get("alias"))
            binder.source(table, scope)


def _add_view(binder: Binder, node: exp.Expr, scope: Scope) -> bool:
    """ClickHouse's `v(day = 3)`: a view with parameters, which filter its rows; False for functions."""
    if not isinstance(node.this, exp.Anonymous):
        return False
    table = table_named(node.this.name)
    table.set("db", node.args.get("db"))
    table.set("alias", node.args.get("alias"))
    found = binder.registry.lookup(written_name(binder, table)[0]).entry
    if found is None or found.kind != "view":
        return False
    binder.source(table, scope)
    return True


def _is_value(binder: Binder, function: exp.Expr) -> bool:
    """Postgres: a function that returns one value is a table of one column."""
    return (
        binder.dialect.naming == "postgres"
        and isinstance(function, exp.Func)
        and not isinstance(function, exp.Anonymous)
    )
