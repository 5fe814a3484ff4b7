"""From a syntax tree to the rule for its statement, by a table of classes.

A statement without lineage has a type and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Output, Relation, Scope
from lakeport.lineage.bind.setops import operation_name
from lakeport.lineage.bind.tables import report_lookup
from lakeport.lineage.bind.written_names import name_parts
from lakeport.lineage.no_lineage import NO_LINEAGE, statement_type
from lakeport.lineage.statements.alter import bind_alter
from lakeport.lineage.statements.change import bind_delete, bind_merge, bind_update
from lakeport.lineage.statements.commands import bind_command, bind_execute
from lakeport.lineage.statements.comment import bind_comment
from lakeport.lineage.statements.define import bind_create, bind_definition, defines_relation
from lakeport.lineage.statements.files import bind_copy, bind_export, bind_load
from lakeport.lineage.statements.functions import bind_function
from lakeport.lineage.statements.insert import bind_insert, bind_multi_insert, fill
from lakeport.lineage.statements.inspected import tell_about
from lakeport.lineage.statements.settings import (
    bind_declare,
    bind_discard,
    bind_set,
    bind_use,
    reset_settings,
)
from lakeport.lineage.statements.targets import target_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.bind.binder import Binder


def bind_statement(binder: Binder, tree: exp.Expr) -> str:
    """Bind one statement; returns its type."""
    binder.change = _data_change
    cls = tree.__class__
    if cls in _CHANGES and not any(
        isinstance(table, exp.Table | exp.Subquery)
        for table in (tree.this, *(tree.args.get("tables") or ()))
    ):
        binder.unsupported(tree, "the statement names no table to change")
        return cls.__name__.upper()
    rule = _known.get(cls) or _known.setdefault(cls, _rule_for(tree))
    return rule(binder, tree)


def bind_explained(binder: Binder, tree: exp.Expr) -> str:
    """A statement that is looked at and not run."""
    binder.explain_only = True
    binder.registry.frozen = True
    bind_statement(binder, tree)
    binder.registry.frozen = False
    return "EXPLAIN"


def _describe(binder: Binder, tree: exp.Expr) -> str:
    """MySQL's EXPLAIN, DESCRIBE and DESC are one word for the parser."""
    explained = isinstance(tree.this, exp.Query | exp.DML)
    if explained and binder.dialect.parser in _EXPLAINS_BY_DESCRIBE:
        return bind_explained(binder, tree.this)
    tell_about(binder, tree)
    return "SHOW"


def _rule_for(tree: exp.Expr) -> Callable[[Binder, exp.Expr], str]:
    return next((rule for kinds, rule in _RULES if isinstance(tree, kinds)), _typed_only)


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


def _typed_only(binder: Binder, tree: exp.Expr) -> str:
    """A statement that is recognised and has no lineage."""
    names = {
        exp.Set: "SET",
        exp.Show: "SHOW",
        exp.Transaction: "TRANSACTION",
        exp.Commit: "TRANSACTION",
        exp.Rollback: "TRANSACTION",
        exp.Grant: "GRANT",
        exp.Revoke: "REVOKE",
        exp.Attach: "ATTACH",
        exp.Detach: "DETACH",
        exp.Put: "PUT",
        exp.Get: "GET",
        exp.Comment: "COMMENT",
        exp.Uncache: "CACHE",
        exp.Refresh: "REFRESH",
        exp.Analyze: "ANALYZE",
        exp.Kill: "KILL",
        exp.Pragma: "SET",
        exp.Install: "INSTALL",
    }
    for kind, name in names.items():
        if isinstance(tree, kind):
            tell_about(binder, tree)
            return name
    called = tree.expression if isinstance(tree, exp.Dot) else tree
    if isinstance(called, exp.Anonymous):
        # `package.procedure(1);` in a script.
        return "CALL"
    if isinstance(tree, _WORDS):
        # `CLOSE c` and the like: the parser takes it for a value with an alias.
        first = (tree.this if isinstance(tree, exp.Alias) else tree).name.upper()
        if first == "DISCARD":
            return bind_discard(binder, tree.alias)
        if first == "RESET":
            return reset_settings(binder)
        if first in NO_LINEAGE:
            return statement_type(first, tree.alias)
    if isinstance(tree, _VALUES) and not isinstance(tree, _GIVEN) and not binder.blocks:
        binder.unsupported(tree, "these words are no statement in this dialect")
    word = re.sub(r"(?<!^)(?=[A-Z])", "_", type(tree).__name__).upper()
    return word if isinstance(tree, exp.DDL) else "UNKNOWN"


# -- queries -----------------------------------------------------------------------------------


def _query(binder: Binder, tree: exp.Expr) -> str:
    first = tree
    while isinstance(first, exp.SetOperation):
        first = first.this
    into = first.args.get("into") if isinstance(first, exp.Select) else None
    if isinstance(into, exp.Expr) and isinstance(into.this, exp.Table):
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


def _summarize(binder: Binder, tree: exp.Expr) -> str:
    return_output(binder, binder.query(tree, None, {}))
    return "SUMMARIZE"


def return_output(binder: Binder, output: Output) -> None:
    """The rows a statement returns to its caller."""
    if not output.items:
        return
    relation = Relation("output", "output", ("output",))
    binder.relations.append(relation)
    relation.receive(output)


# -- data changes ------------------------------------------------------------------------------


def _returned(binder: Binder, tree: exp.Expr, output: Output) -> None:
    """The rows a data change yields: to its caller, or with `OUTPUT … INTO t` to a table."""
    clause = tree.args.get("returning")
    into = clause.args.get("into") if isinstance(clause, exp.Expr) else None
    table = into.this if isinstance(into, exp.Schema) else into
    if isinstance(table, exp.Table):
        fill(binder, exp.Insert(this=into), target_table(binder, table), output)
    else:
        return_output(binder, output)


def _insert(binder: Binder, tree: exp.Expr) -> str:
    _returned(binder, tree, bind_insert(binder, tree, None, {}))
    return "INSERT_OVERWRITE" if tree.args.get("overwrite") else "INSERT"


def _multi_insert(binder: Binder, tree: exp.Expr) -> str:
    bind_multi_insert(binder, tree, {})
    return "INSERT"


def _update(binder: Binder, tree: exp.Expr) -> str:
    _returned(binder, tree, bind_update(binder, tree, None, {}))
    return "UPDATE"


def _delete(binder: Binder, tree: exp.Expr) -> str:
    _returned(binder, tree, bind_delete(binder, tree, None, {}))
    return "DELETE"


def _merge(binder: Binder, tree: exp.Expr) -> str:
    _returned(binder, tree, bind_merge(binder, tree, None, {}))
    return "MERGE"


def _truncate(binder: Binder, tree: exp.Expr) -> str:
    for table in tree.expressions:
        if isinstance(table, exp.Table):
            target = target_table(binder, table)
            target.appended = isinstance(tree.args.get("partition"), exp.Expr)
    return "TRUNCATE"


# -- definitions -------------------------------------------------------------------------------


def _create(binder: Binder, tree: exp.Expr) -> str:
    if defines_relation(tree):
        return bind_create(binder, tree, {})
    if isinstance(tree.this, exp.UserDefinedFunction):
        bind_function(binder, tree)
    query = tree.args.get("expression")
    if str(tree.args.get("kind")).upper() == "MODEL" and isinstance(query, exp.Query):
        # A model is no relation, but what it learns from is read.
        binder.query(query, None, {})
    return f"CREATE_{str(tree.args.get('kind') or 'OBJECT').upper().replace(' ', '_')}"


def _drop(binder: Binder, tree: exp.Expr) -> str:
    kind = str(tree.args.get("kind") or "").upper()
    if kind not in {"TABLE", "VIEW", "MATERIALIZED VIEW"}:
        return f"DROP_{kind.replace(' ', '_')}" if kind else "DROP"
    tables = tree.args.get("tables") or [tree.this, *tree.expressions]
    for table in tables:
        if isinstance(table, exp.Table):
            target = target_table(binder, table, expected=False)
            lookup = binder.registry.lookup(target.name)
            if not tree.args.get("exists") and lookup.dropped_at is lookup.created_at is None:
                report_lookup(binder, lookup, target)
            binder.registry.drop(target.name, binder.index)
    return "DROP"


def _alter(binder: Binder, tree: exp.Expr) -> str:
    kind = str(tree.args.get("kind") or "TABLE").upper()
    if kind == "SESSION":
        for action in tree.args.get("actions") or ():
            bind_set(binder, action)
        return "ALTER_SESSION"
    if kind not in {"TABLE", "VIEW", "ICEBERG TABLE", "MATERIALIZED VIEW"} or not isinstance(
        tree.this, exp.Table
    ):
        return f"ALTER_{kind.replace(' ', '_')}"
    bind_alter(binder, tree)
    return "ALTER_VIEW" if "VIEW" in kind else "ALTER_TABLE"


def _cache(binder: Binder, tree: exp.Expr) -> str:
    query = tree.args.get("expression")
    if not isinstance(query, exp.Query | exp.Values):
        return "CACHE"
    if isinstance(tree.this, exp.Table) and name_parts(tree.this):
        bind_definition(binder, tree.this, query, {}, kind="view", temporary=True)
    else:
        binder.unsupported(tree, "the statement names no table to keep the rows in")
        binder.query(query, None, {})
    return "CACHE"


# What the parser takes for a value that stands alone.
_WORDS = (exp.Column, exp.Alias, exp.Literal, exp.Identifier)
_VALUES = (*_WORDS, exp.Condition, exp.Star)
# What a template or a script may leave, or does where no block of it shows.
_GIVEN = (exp.Placeholder, exp.Parameter, exp.PropertyEQ)
_EXPLAINS_BY_DESCRIBE = frozenset({"mysql", "doris", "starrocks", "singlestore"})
_CHANGES = frozenset({exp.Update, exp.Delete, exp.Merge})
# The rules of the classes met so far.
_known: dict[type, Callable[[Binder, exp.Expr], str]] = {}
_RULES: tuple[tuple[tuple[type[exp.Expr], ...], Callable[[Binder, exp.Expr], str]], ...] = (
    ((exp.Insert,), _insert),
    ((exp.MultitableInserts,), _multi_insert),
    ((exp.Update,), _update),
    ((exp.Delete,), _delete),
    ((exp.Merge,), _merge),
    ((exp.Query, exp.Values, exp.Pivot), _query),
    ((exp.Summarize,), _summarize),
    ((exp.Create,), _create),
    ((exp.Drop,), _drop),
    ((exp.Alter,), _alter),
    ((exp.TruncateTable,), _truncate),
    ((exp.Cache,), _cache),
    ((exp.Copy,), bind_copy),
    ((exp.LoadData,), bind_load),
    ((exp.Export,), bind_export),
    ((exp.Use,), bind_use),
    ((exp.Set,), bind_set),
    ((exp.Declare,), bind_declare),
    ((exp.Comment,), bind_comment),
    ((exp.Command,), bind_command),
    ((exp.Execute,), bind_execute),
    ((exp.Describe,), _describe),
)
