"""CREATE, CTAS, views, LIKE, CLONE, CACHE and SELECT INTO: statements that define a relation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.ctes import bind_ctes
from lakeport.lineage.bind.engine_names import name_columns
from lakeport.lineage.bind.scope import Column, Item, Output, Ref, Relation, Tail
from lakeport.lineage.bind.tables import bind_table, report_computed
from lakeport.lineage.bind.written_names import name_span, written_name
from lakeport.lineage.capture import capture, declared_column, declared_columns, output_columns
from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import Name, dotted
from lakeport.lineage.statements.targets import assign_by_name, target_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.entries import RelationKind
    from lakeport.lineage.result import Constraint

_RELATIONS: dict[str, RelationKind] = {
    "TABLE": "table",
    "VIEW": "view",
    "MATERIALIZED VIEW": "view",
    "DYNAMIC TABLE": "table",
    "STREAMING TABLE": "table",
}
# Sources of Spark that keep the values of partition columns in the names of folders.
_FILES = frozenset({"parquet", "orc", "csv", "json", "text", "avro", "xml"})
# Those that keep the columns in the order they came in.
_LAKES = frozenset({"iceberg", "delta", "hudi", "paimon"})


def defines_relation(node: exp.Expr) -> bool:
    """Whether a CREATE makes a table or a view."""
    return str(node.args.get("kind") or "").upper() in _RELATIONS


def relation_kind(node: exp.Expr) -> RelationKind:
    """Of a CREATE that makes one."""
    return _RELATIONS[str(node.args["kind"]).upper()]


def create_target(binder: Binder, node: exp.Expr) -> tuple[Name, tuple[str, ...], bool]:
    """The canonical name a CREATE defines, its spelling, and whether it is temporary."""
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    parts, shown = written_name(binder, table)
    temporary = is_temporary(binder, node) or (parts and parts[-1].startswith("#"))
    name = parts if temporary and len(parts) == 1 else binder.registry.namespaces.canonical(parts)
    if (
        temporary
        and len(parts) == 1
        and binder.dialect.naming == "spark"
        and _property(node, exp.GlobalProperty)
    ):
        # Spark keeps global temporary views in a namespace of their own.
        name, shown = ("global_temp", *parts), ("global_temp", *shown)
    return name, shown, bool(temporary)


def is_temporary(binder: Binder, node: exp.Expr) -> bool:
    """TEMP and TEMPORARY; Oracle's GLOBAL TEMPORARY is a persistent definition."""
    properties = node.args.get("properties")
    kinds = {type(item) for item in properties.expressions} if properties is not None else set()
    if exp.GlobalProperty in kinds and binder.dialect.global_temporary_persists:
        return False
    # Teradata's VOLATILE tables end with their session.
    return not kinds.isdisjoint({exp.TemporaryProperty, exp.VolatileProperty}) or bool(
        node.args.get("temporary")
    )


def bind_create(binder: Binder, node: exp.Expr, ctes: dict[str, Relation]) -> str:
    """A CREATE TABLE or VIEW; returns the statement type."""
    ctes = bind_ctes(binder, node, None, ctes)
    name, shown, temporary = create_target(binder, node)
    report_computed(
        binder, node.this.this if isinstance(node.this, exp.Schema) else node.this, shown
    )
    kind = relation_kind(node)
    schema = node.this if isinstance(node.this, exp.Schema) else None
    query = node.args.get("expression")
    clone, like = node.args.get("clone"), _property(node, exp.LikeProperty)
    target = _new_relation(binder, kind, shown[-1], name, node)
    declared, constraints = declared_columns(binder, schema) if schema is not None else ([], [])
    folders = _partition_columns(binder, node, declared)
    declared += folders
    moved = _moved_partitions(binder, node)
    declared.sort(key=(place := _place(moved)))
    complete = True
    statement = f"CREATE_{'VIEW' if kind == 'view' else 'TABLE'}"
    like = like or _listed_like(schema)
    parents = _parents(node)
    if isinstance(query, exp.Expr):
        output = binder.query(query, None, ctes)
        _receive(binder, target, output)
        apply_list(binder, target, schema, declared)
        _check_duplicates(binder, target)
        complete = not target.tails
        target.columns.sort(key=place)
        columns = output_columns(binder, target)
        statement = statement if kind == "view" else "CREATE_TABLE_AS"
    elif clone is not None:
        columns, complete = _copied(binder, target, clone.this, "CLONE")
        statement = "CREATE_TABLE_CLONE"
    elif like is not None:
        copied, complete = _copied(binder, target, like.this, "LIKE")
        columns = [*copied, *declared]
        statement = "CREATE_TABLE_LIKE"
    elif parents:
        copies = [_copied(binder, target, parent, "LIKE") for parent in parents]
        columns = _each_once([*copies[-1][0], *declared])
        complete = all(known for _, known in copies)
    else:
        columns = _listed(binder, target, declared)
        # With partitions alone, the other columns are those of a file.
        complete = len(declared) > len(folders)
    _show_columns(target, columns)
    if temporary:
        target.metadata["temporary"] = True
    entry = _entry(
        binder,
        name,
        shown,
        columns,
        kind=kind,
        complete=complete,
        temporary=temporary,
        constraints=constraints,
    )
    _describe(entry, target, node)
    _keep_last(entry, [*moved, *(column.key for column in folders)])
    capture(binder, entry, target, if_not_exists=bool(node.args.get("exists")))
    _restore_known(binder, target, entry)
    _keep_rows(binder, target, node)
    return statement


def _keep_last(entry: TableEntry, partitions: list[str]) -> None:
    """Columns that come later stand before those of the partitions, but not in a lake's tables."""
    if entry.file_format not in _LAKES:
        entry.partitions = frozenset(partitions)


def _receive(binder: Binder, target: Relation, output: Output) -> None:
    """Let a query's columns be those of what is stored."""
    target.receive(output)
    name_columns(binder, target)


def _describe(entry: TableEntry, target: Relation, node: exp.Expr) -> None:
    """What the clauses behind the columns say."""
    source = _property(node, exp.FileFormatProperty)
    entry.file_format = source.name.lower() if source is not None else None
    entry.description = _comment(node)
    if entry.description:
        target.metadata["description"] = entry.description


def _keep_rows(binder: Binder, view: Relation, node: exp.Expr) -> None:
    """ClickHouse's `MATERIALIZED VIEW v TO t`: the rows of the view are in a table, by name."""
    kept = _property(node, exp.ToTableProperty)
    if kept is None or not isinstance(kept.this, exp.Table):
        return
    target = target_table(binder, kept.this)
    target.appended = True
    copies: list[Item] = [
        Column(column.name, column.key, refs=[Ref(column)], identity=True)
        for column in view.columns
    ]
    tails: list[Item] = [Tail(view)] if view.tails else []
    assign_by_name(binder, target, Output([*copies, *tails], [], [view]), known=target.complete)


def _new_relation(binder: Binder, kind: str, label: str, name: Name, node: exp.Expr) -> Relation:
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    relation = binder.relation(kind, label, name)
    relation.span = name_span(binder, table) if isinstance(table, exp.Table) else None
    relation.resolution = "imported" if name in binder.registry.imported else "implied"
    relation.written = True
    binder.writes.setdefault(dotted(name))
    return relation


def _restore_known(binder: Binder, target: Relation, entry: TableEntry) -> None:
    """With `allowImplied: false` nothing is kept, so nothing is implied."""
    if not binder.registry.allow_implied and entry.name not in binder.registry.imported:
        target.resolution = "unknown"


def _property(node: exp.Expr, kind: type[exp.Expr]) -> exp.Expr | None:
    properties = node.args.get("properties")
    found = (
        [item for item in properties.expressions if isinstance(item, kind)]
        if properties is not None
        else []
    )
    return found[0] if found else None


def _listed_like(schema: exp.Expr | None) -> exp.Expr | None:
    """Postgres: `CREATE TABLE t (LIKE s)`."""
    items = schema.expressions if schema is not None else []
    return next((item for item in items if isinstance(item, exp.LikeProperty)), None)


def _parents(node: exp.Expr) -> list[exp.Expr]:
    """Postgres: the tables of `INHERITS (a, b)` and of `PARTITION OF a`, whose columns come first."""
    inherited, partitioned = (
        _property(node, exp.InheritsProperty),
        _property(node, exp.PartitionedOfProperty),
    )
    found = list(inherited.expressions) if inherited is not None else []
    return [*found, partitioned.this] if partitioned is not None else found


def _each_once(columns: list[ColumnEntry]) -> list[ColumnEntry]:
    """Columns of one name become one, whichever parents have it, and the table itself."""
    return list({column.key: column for column in columns}.values())


def _comment(node: exp.Expr) -> str | None:
    found = _property(node, exp.SchemaCommentProperty)
    return found.name if found is not None else None


def _partition_columns(
    binder: Binder, node: exp.Expr, declared: list[ColumnEntry]
) -> list[ColumnEntry]:
    """Hive's `PARTITIONED BY (dt string)` adds columns; names and Iceberg transforms do not."""
    clause = _property(node, exp.PartitionedByProperty)
    schema = clause.this if clause is not None else None
    items = schema.expressions if isinstance(schema, exp.Schema) else []
    held = {column.key for column in declared}
    added = [declared_column(binder, item) for item in items if isinstance(item, exp.ColumnDef)]
    return [column for column in added if column.key not in held]


def _moved_partitions(binder: Binder, node: exp.Expr) -> dict[str, int]:
    """The columns that stand last: in Spark's tables of plain files those of the partitions."""
    clause, source = (
        _property(node, exp.PartitionedByProperty),
        _property(node, exp.FileFormatProperty),
    )
    plain = source is not None and source.name.lower() in _FILES
    if clause is None or not plain or binder.dialect.naming != "spark":
        return {}
    names = clause.this.expressions if isinstance(clause.this, exp.Schema) else []
    keys = [binder.key(name) for name in names if isinstance(name, exp.Identifier)]
    return {key: place for place, key in enumerate(keys, 1)}


def _place(moved: dict[str, int]) -> Callable[[Column | ColumnEntry], int]:
    return lambda column: moved.get(column.key, 0)


def apply_list(
    binder: Binder, target: Relation, schema: exp.Expr | None, declared: list[ColumnEntry]
) -> None:
    """The column list of a view or CTAS overrides the query's names, by position."""
    if schema is None:
        return
    names = [
        item for item in schema.expressions if isinstance(item, exp.ColumnDef | exp.Identifier)
    ]
    exact = not target.tails
    if exact and names and len(names) != len(target.columns):
        binder.report(
            IssueCode.COLUMN_COUNT_MISMATCH,
            f"`{dotted(target.name)}` lists {len(names)} columns, but its query has {len(target.columns)}",
            at=names[-1],
            relation=target,
        )
        for column in target.columns[len(names) :]:
            column.refs = [replace(ref, approximate=True) for ref in column.refs]
    binder.rename(target, names[: len(target.columns)] if exact else names)
    by_key = {column.key: column for column in declared if column.data_type or column.description}
    for column in target.columns:
        column.entry = by_key.get(column.key)


def _check_duplicates(
    binder: Binder, target: Relation, hint: str = "give one of them an alias"
) -> None:
    for key in sorted(target.duplicates):
        name = next(column.name for column in target.columns if column.key == key)
        binder.report(
            IssueCode.DUPLICATE_COLUMN,
            f"`{dotted(target.name)}` would have two columns called `{name}`",
            relation=target,
            column=name,
            at=None,
            hint=hint,
        )


def _show_columns(target: Relation, columns: list[ColumnEntry]) -> None:
    """Column nodes for what was declared; columns of a query are there already."""
    if target.columns:
        for column, entry in zip(target.columns, columns, strict=False):
            column.entry = (
                entry if column.entry is None and entry.type_origin == "declared" else column.entry
            )
    for entry in columns[len(target.columns) :]:
        column = Column(entry.name, entry.key)
        column.entry = entry
        target.add(column)


def _listed(binder: Binder, target: Relation, declared: list[ColumnEntry]) -> list[ColumnEntry]:
    """The columns of a table that is written out, each of them once."""
    _show_columns(target, declared)
    _check_duplicates(binder, target, "rename one of them")
    return declared


def _copied(
    binder: Binder, target: Relation, node: exp.Expr, operation: Literal["LIKE", "CLONE"]
) -> tuple[list[ColumnEntry], bool]:
    """LIKE copies the list only, CLONE the rows too."""
    if not isinstance(node, exp.Table):
        return [], False
    source = bind_table(binder, node, None)
    for column in source.known():
        made = Column(column.name, column.key)
        made.entry = column.entry
        if operation == "CLONE":
            made.refs, made.identity = [Ref(column, operation=operation)], True
        else:
            made.type, made.typed = binder.types.of_column(column), True
        target.add(made)
    if operation == "CLONE":
        target.inputs.append(source)
        if not source.complete:
            target.table_inputs.append((source, operation))
    else:
        target.table_inputs.append((source, operation))
    return output_columns(binder, target), source.complete


def _entry(  # noqa: PLR0913 - the facts of a table
    binder: Binder,
    name: Name,
    shown: tuple[str, ...],
    columns: list[ColumnEntry],
    *,
    kind: str,
    complete: bool,
    temporary: bool,
    constraints: list[Constraint],
) -> TableEntry:
    spelled = (*name[: len(name) - len(shown)], *shown) if len(shown) < len(name) else shown
    return TableEntry(
        name=name,
        shown=spelled,
        columns=columns,
        origin="implied",
        complete=complete,
        kind="view" if kind == "view" else "table",
        temporary=temporary,
        inference="ddl",
        statement_index=binder.index,
        source_name=binder.session.source.name,
        constraints=constraints,
    )


def bind_definition(  # noqa: PLR0913 - a name and a query, by whatever statement
    binder: Binder,
    table: exp.Expr,
    query: exp.Expr,
    ctes: dict[str, Relation],
    *,
    kind: str = "table",
    temporary: bool = False,
    output: Output | None = None,
) -> None:
    """CACHE TABLE AS, SELECT INTO, ALTER VIEW AS: a relation defined by a query."""
    parts, shown = written_name(binder, table)
    temporary = temporary or parts[-1].startswith("#")
    # A temporary relation is in no namespace, or in the one that sessions share.
    apart = temporary and (len(parts) == 1 or parts[0] == "global_temp")
    name = parts if apart else binder.registry.namespaces.canonical(parts)
    bound = output if output is not None else binder.query(query, None, ctes)
    target = binder.relation(kind, shown[-1], name)
    target.span = name_span(binder, table)
    target.resolution = "imported" if name in binder.registry.imported else "implied"
    target.written = True
    if temporary:
        target.metadata["temporary"] = True
    binder.writes.setdefault(dotted(name))
    _receive(binder, target, bound)
    _check_duplicates(binder, target)
    columns = output_columns(binder, target)
    entry = _entry(
        binder,
        name,
        shown,
        columns,
        kind=kind,
        complete=not target.tails,
        temporary=temporary,
        constraints=[],
    )
    capture(binder, entry, target)
