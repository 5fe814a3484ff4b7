"""From a syntax tree to the rule for its statement, by a table of classes.

A statement without lineage has a type and nothing else. An opaque command is never a silent
success: unless its first word is known to move no data, it is reported as unsupported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Output, Relation, Scope
from lakeport.lineage.bind.setops import operation_name
from lakeport.lineage.bind.tables import known_table, written_name
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted, written_parts
from lakeport.lineage.statements.alter import bind_alter
from lakeport.lineage.statements.change import bind_delete, bind_merge, bind_update
from lakeport.lineage.statements.define import bind_create, bind_definition, defines_relation
from lakeport.lineage.statements.insert import bind_insert, bind_multi_insert
from lakeport.lineage.statements.targets import target_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.bind.binder import Binder

# Commands that move no data between relations.
_NO_LINEAGE = frozenset(
    {
        "ADD",
        "ANALYZE",
        "BEGIN",
        "CLEAR",
        "CLOSE",
        "COMMIT",
        "DEALLOCATE",
        "DECLARE",
        "DESC",
        "DESCRIBE",
        "DISCARD",
        "END",
        "EXPLAIN",
        "FETCH",
        "FLUSH",
        "GO",
        "GRANT",
        "HELP",
        "KILL",
        "LIST",
        "LISTEN",
        "LOCK",
        "MSCK REPAIR",
        "MSCK",
        "NOTIFY",
        "OPEN",
        "OPTIMIZE",
        "PREPARE",
        "PRINT",
        "RAISE",
        "REFRESH",
        "REINDEX",
        "RELEASE",
        "REMOVE",
        "REPAIR",
        "RESET",
        "RETURN",
        "REVOKE",
        "ROLLBACK",
        "SAVEPOINT",
        "SET",
        "SHOW",
        "START",
        "THROW",
        "UNCACHE",
        "UNLOCK",
        "USE",
        "VACUUM",
        "PUT",
        "GET",
        "DELIMITER",
    }
)


def bind_statement(binder: Binder, tree: exp.Expr) -> str:
    """Bind one statement; returns its type."""
    binder.change = _data_change
    if isinstance(tree, exp.Update | exp.Delete | exp.Merge) and not isinstance(
        tree.this, exp.Table
    ):
        binder.unsupported(tree, "the statement names no table to change")
        return type(tree).__name__.upper()
    for kinds, rule in _RULES:
        if isinstance(tree, kinds):
            return rule(binder, tree)
    return _typed_only(tree)


def _data_change(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    if isinstance(node, exp.Insert):
        return bind_insert(binder, node, parent, ctes)
    if isinstance(node, exp.Update):
        return bind_update(binder, node, parent, ctes)
    if isinstance(node, exp.Delete):
        return bind_delete(binder, node, parent, ctes)
    if isinstance(node, exp.Merge):
        return bind_merge(binder, node, parent, ctes)
    return Output([], [], [])


def _typed_only(tree: exp.Expr) -> str:
    """A statement that is recognised and has no lineage."""
    names = {
        exp.Set: "SET",
        exp.Describe: "SHOW",
        exp.Show: "SHOW",
        exp.Transaction: "TRANSACTION",
        exp.Commit: "TRANSACTION",
        exp.Rollback: "TRANSACTION",
        exp.Grant: "GRANT",
        exp.Comment: "COMMENT",
        exp.Uncache: "CACHE",
        exp.Refresh: "REFRESH",
        exp.Analyze: "ANALYZE",
        exp.Kill: "KILL",
        exp.Pragma: "SET",
    }
    for kind, name in names.items():
        if isinstance(tree, kind):
            return name
    word = re.sub(r"(?<!^)(?=[A-Z])", "_", type(tree).__name__).upper()
    return word if isinstance(tree, exp.DDL) else "UNKNOWN"


# -- queries -----------------------------------------------------------------------------------


def _query(binder: Binder, tree: exp.Expr) -> str:
    into = tree.args.get("into")
    if (
        isinstance(tree, exp.Select)
        and isinstance(into, exp.Expr)
        and isinstance(into.this, exp.Table)
    ):
        output = binder.query(tree, None, {})
        temporary = bool(into.args.get("temporary"))
        bind_definition(binder, into.this, tree, {}, temporary=temporary, output=output)
        return "CREATE_TABLE_AS"
    return_output(binder, binder.query(tree, None, {}))
    if tree.args.get("with_") is not None:
        return "WITH"
    inner = tree
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    if isinstance(inner, exp.SetOperation):
        return operation_name(inner).removesuffix("_ALL")
    return "VALUES" if isinstance(inner, exp.Values) else "SELECT"


def return_output(binder: Binder, output: Output) -> None:
    """The rows a statement returns to its caller."""
    if not output.items:
        return
    relation = Relation("output", "output", ("output",))
    binder.relations.append(relation)
    relation.receive(output)


# -- data changes ------------------------------------------------------------------------------


def _insert(binder: Binder, tree: exp.Expr) -> str:
    return_output(binder, bind_insert(binder, tree, None, {}))
    return "INSERT_OVERWRITE" if tree.args.get("overwrite") else "INSERT"


def _multi_insert(binder: Binder, tree: exp.Expr) -> str:
    bind_multi_insert(binder, tree, {})
    return "INSERT"


def _update(binder: Binder, tree: exp.Expr) -> str:
    return_output(binder, bind_update(binder, tree, None, {}))
    return "UPDATE"


def _delete(binder: Binder, tree: exp.Expr) -> str:
    return_output(binder, bind_delete(binder, tree, None, {}))
    return "DELETE"


def _merge(binder: Binder, tree: exp.Expr) -> str:
    return_output(binder, bind_merge(binder, tree, None, {}))
    return "MERGE"


def _truncate(binder: Binder, tree: exp.Expr) -> str:
    for table in tree.expressions:
        if isinstance(table, exp.Table):
            target_table(binder, table)
    return "TRUNCATE"


# -- definitions -------------------------------------------------------------------------------


def _create(binder: Binder, tree: exp.Expr) -> str:
    if defines_relation(tree):
        return bind_create(binder, tree, {})
    return f"CREATE_{str(tree.args.get('kind') or 'OBJECT').upper().replace(' ', '_')}"


def _drop(binder: Binder, tree: exp.Expr) -> str:
    kind = str(tree.args.get("kind") or "").upper()
    if kind not in {"TABLE", "VIEW", "MATERIALIZED VIEW"}:
        return f"DROP_{kind.replace(' ', '_')}" if kind else "DROP"
    tables = tree.args.get("tables") or [tree.this, *tree.expressions]
    for table in tables:
        if isinstance(table, exp.Table):
            target = target_table(binder, table, expected=False)
            binder.registry.drop(target.name, binder.index)
    return "DROP"


def _alter(binder: Binder, tree: exp.Expr) -> str:
    kind = str(tree.args.get("kind") or "TABLE").upper()
    if kind not in {"TABLE", "VIEW", "ICEBERG TABLE", "MATERIALIZED VIEW"} or not isinstance(
        tree.this, exp.Table
    ):
        return f"ALTER_{kind.replace(' ', '_')}"
    bind_alter(binder, tree)
    return "ALTER_VIEW" if "VIEW" in kind else "ALTER_TABLE"


def _cache(binder: Binder, tree: exp.Expr) -> str:
    query = tree.args.get("expression")
    if isinstance(query, exp.Query):
        bind_definition(binder, tree.this, query, {}, kind="view", temporary=True)
    return "CACHE"


def _comment(binder: Binder, tree: exp.Expr) -> str:
    table = tree.this
    if isinstance(table, exp.Table) and str(tree.args.get("kind")).upper() == "TABLE":
        relation = target_table(binder, table)
        relation.metadata["description"] = (
            tree.expression.name if tree.expression is not None else ""
        )
    return "COMMENT"


# -- files -------------------------------------------------------------------------------------


def _copy(binder: Binder, tree: exp.Expr) -> str:
    """`kind` is true when data flows into the table."""
    table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    outside = isinstance(table, exp.Table) and not isinstance(table.this, exp.Identifier)
    files = tree.args.get("files") or []
    if isinstance(table, exp.Query):
        output = binder.query(table, None, {})
        for file in files:
            written = binder.external(_path(file), _path(file), read=False)
            written.written = True
            binder.writes.setdefault(_path(file))
            written.receive(output)
        return "UNLOAD"
    inward = bool(tree.args.get("kind")) and not outside
    if inward:
        target = target_table(binder, table)
        for file in files:
            if isinstance(file, exp.Query):
                target.receive(binder.query(file, None, {}))
            else:
                target.table_inputs.append((binder.external(_path(file), _path(file)), "COPY"))
        return "COPY"
    _unload(binder, table, files)
    return "UNLOAD"


def _unload(binder: Binder, table: exp.Expr, files: list[exp.Expr]) -> None:
    stage = isinstance(table, exp.Table) and not isinstance(table.this, exp.Identifier)
    places = [table] if stage else files
    sources = files if stage else [table]
    for place in places:
        target = binder.external(_path(place), _path(place), read=False)
        target.written = True
        binder.writes.setdefault(dotted(target.name))
        for source in sources:
            if isinstance(source, exp.Query):
                target.receive(binder.query(source, None, {}))
            elif isinstance(source, exp.Table):
                target.table_inputs.append((binder.table(source, Scope(None, {})), "COPY"))


def _path(node: exp.Expr) -> str:
    return node.name or node.sql()


def _load(binder: Binder, tree: exp.Expr) -> str:
    target = target_table(binder, tree.this)
    path = tree.args.get("inpath")
    if isinstance(path, exp.Expr):
        target.table_inputs.append((binder.external(path.name, path.name), "LOAD"))
    return "LOAD"


# -- the session -------------------------------------------------------------------------------


def _use(binder: Binder, tree: exp.Expr) -> str:
    table = tree.this
    if not isinstance(table, exp.Table):
        return "USE"
    kind = tree.args.get("kind")
    word = kind.name.upper() if isinstance(kind, exp.Expr) else ""
    parts, _shown = written_name(binder, table)
    if word == "CATALOG":
        binder.registry.use(parts[-1], None)
    elif word in {"", "SCHEMA", "DATABASE", "NAMESPACE"}:
        # In Snowflake a DATABASE holds schemas, elsewhere it is one.
        outer = word == "DATABASE" and binder.dialect.name == "snowflake"
        if outer and len(parts) == 1:
            binder.registry.use(parts[-1], None)
        else:
            binder.registry.use(parts[-2] if len(parts) > 1 else None, parts[-1])
    return "USE"


def _set(binder: Binder, tree: exp.Expr) -> str:
    for item in tree.expressions:
        pair = item.this if isinstance(item, exp.SetItem) else item
        if not isinstance(pair, exp.EQ | exp.PropertyEQ):
            continue
        name = pair.this.sql().lower().strip('"`')
        value = pair.expression
        if name in {"search_path", "schema", "current_schema"}:
            values = value.expressions if isinstance(value, exp.Tuple) else [value]
            path = [
                (None, binder.folding.table(v.name)) for v in values if v.name and v.name != "$user"
            ]
            binder.registry.use(
                None, None, [(binder.registry.default_catalog, schema) for _, schema in path]
            )
        elif name == "spark.sql.parser.quotedregexcolumnnames":
            binder.registry.configure(name, value.name or value.sql())
        elif name == "spark.sql.defaultcatalog":
            binder.registry.use(binder.folding.table(value.name), None)
        elif isinstance(pair.this, exp.Column | exp.Identifier):
            binder.variables.add(binder.key(pair.this))
    return "SET"


def _declare(binder: Binder, tree: exp.Expr) -> str:
    for item in tree.expressions:
        names = item.this if isinstance(item.this, list) else [item.this]
        for name in names:
            if isinstance(name, exp.Expr) and name.name:
                binder.variables.add(binder.folding.column(name.name))
        columns = item.args.get("kind")
        if isinstance(columns, exp.Schema) and isinstance(names[0], exp.Parameter):
            # `DECLARE @rows TABLE (…)` makes a temporary table.
            table = exp.Schema(this=exp.Table(this=names[0]), expressions=columns.expressions)
            bind_create(binder, exp.Create(this=table, kind="TABLE", temporary=True), {})
    return "DECLARE"


# -- commands ----------------------------------------------------------------------------------

_PROCEDURE = re.compile(
    r"^\s*(?:([\w`\".]+)\.)?system\.(\w+)\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL
)
_TABLE_ARGUMENT = re.compile(
    r"(?:\b(?:table|source_table|identifier)\s*=>\s*)?'([^']+)'", re.IGNORECASE
)


def _command(binder: Binder, tree: exp.Expr) -> str:
    word = str(tree.this).upper()
    argument = tree.args.get("expression")
    text = argument.name if isinstance(argument, exp.Expr) else str(argument or "")
    if word in {"EXECUTE", "EXEC"} or text.upper().startswith("IMMEDIATE"):
        binder.report(
            IssueCode.DYNAMIC_SQL,
            "the statement runs SQL that is computed at run time",
            hint="analyse the generated SQL instead",
        )
        return "CALL"
    if word == "CALL":
        _procedure(binder, text)
        return "CALL"
    if word in _NO_LINEAGE:
        return {"MSCK": "REPAIR", "MSCK REPAIR": "REPAIR", "DESC": "SHOW", "DESCRIBE": "SHOW"}.get(
            word, word
        )
    binder.report(
        IssueCode.UNSUPPORTED_SYNTAX,
        f"`{word}` statements of this form have no lineage rule",
        hint="its tables are not part of the graph",
    )
    first = text.split(None, 1)[0].upper() if text.split() else ""
    return (
        f"{word}_{first}"
        if word in {"CREATE", "ALTER", "DROP"} and first.isalpha()
        else word
        if word.isidentifier()
        else "UNKNOWN"
    )


def _procedure(binder: Binder, text: str) -> None:
    """Iceberg's system procedures write to the table they name."""
    match = _PROCEDURE.match(text)
    table = _TABLE_ARGUMENT.search(match[3]) if match else None
    if table is None:
        return
    written = written_parts(table[1])
    if match is not None and match[1] and len(written) < 3:
        # The procedure's catalog is the table's.
        written = [*written_parts(match[1]), *written]
    parts = tuple(binder.folding.table(part, quoted=quoted) for part, quoted in written)
    shown = tuple(part for part, _ in written)
    relation = known_table(binder, parts, shown, exp.Table(), write=True)
    relation.written = True
    binder.writes.setdefault(dotted(relation.name))


_RULES: tuple[tuple[tuple[type[exp.Expr], ...], Callable[[Binder, exp.Expr], str]], ...] = (
    ((exp.Insert,), _insert),
    ((exp.MultitableInserts,), _multi_insert),
    ((exp.Update,), _update),
    ((exp.Delete,), _delete),
    ((exp.Merge,), _merge),
    ((exp.Query, exp.Values), _query),
    ((exp.Create,), _create),
    ((exp.Drop,), _drop),
    ((exp.Alter,), _alter),
    ((exp.TruncateTable,), _truncate),
    ((exp.Cache,), _cache),
    ((exp.Copy,), _copy),
    ((exp.LoadData,), _load),
    ((exp.Use,), _use),
    ((exp.Set,), _set),
    ((exp.Declare,), _declare),
    ((exp.Comment,), _comment),
    ((exp.Command,), _command),
)
