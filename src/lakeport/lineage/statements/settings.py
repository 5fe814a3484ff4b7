"""USE, SET and DECLARE: what later names mean, and which names are no columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.outer_names import subqueries
from lakeport.lineage.bind.written_names import written_name
from lakeport.lineage.statements.change import bind_row
from lakeport.lineage.statements.define import bind_create
from lakeport.lineage.statements.lone_values import bind_set_variables
from lakeport.lineage.statements.search_path import PATHS, set_path, spark_path
from lakeport.lineage.types import type_of_node
from lakeport.lineage.variables import Variable

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.types import SqlType


_SETTINGS = frozenset(
    {
        "hive.support.quoted.identifiers",
        "spark.sql.ansi.doublequotedidentifiers",
        "spark.sql.casesensitive",
        "spark.sql.groupbyaliases",
        "spark.sql.legacy.interval.enabled",
        "spark.sql.parser.quotedregexcolumnnames",
        "spark.sql.session.timezone",
        "spark.sql.timestamptype",
    }
)


# Where a session is after it chose a catalog and nothing else.
_FIRST_SCHEMAS = {"databricks": "default", "snowflake": "public"}


def bind_use(binder: Binder, tree: exp.Expr) -> str:
    table = tree.this
    if not isinstance(table, exp.Table):
        return "USE"
    kind = tree.args.get("kind")
    word = kind.name.upper() if isinstance(kind, exp.Expr) else ""
    parts, _shown = written_name(binder, table)
    if word == "CATALOG":
        _use_catalog(binder, parts[-1])
    elif word in {"", "SCHEMA", "DATABASE", "NAMESPACE"}:
        # In Snowflake a DATABASE holds schemas, elsewhere it is one.
        outer = word == "DATABASE" and binder.dialect.name == "snowflake"
        if outer and len(parts) == 1:
            _use_catalog(binder, parts[-1])
        elif binder.dialect.name in {"tsql", "fabric"} and len(parts) == 1:
            # There a USE is about a database too; tables without a schema are in `dbo`.
            binder.registry.use(parts[-1], binder.registry.namespaces.default_schema or "dbo")
        else:
            binder.registry.use(parts[-2] if len(parts) > 1 else None, parts[-1])
    return "USE"


def _use_catalog(binder: Binder, catalog: str) -> None:
    """Another catalog is entered at the schema that its engine enters, or at none that is known."""
    schema = _FIRST_SCHEMAS.get(binder.dialect.name)
    binder.registry.use(catalog, schema and binder.folding.table(schema))


def bind_set(binder: Binder, tree: exp.Expr) -> str:
    bind_set_variables(binder, tree)
    for item in tree.expressions:
        pair = item.this if isinstance(item, exp.SetItem) else item
        if not isinstance(pair, exp.EQ | exp.PropertyEQ):
            continue
        if binder.blocks and bind_row(binder, pair):
            continue
        name = pair.this.sql(comments=False).lower().strip('"`')
        value = pair.expression
        if name == "path" and spark_path(binder, binder.fragments.whole()):
            continue
        if name in PATHS:
            set_path(binder, value)
        elif name in _SETTINGS:
            # A zone like `Asia/Tokyo` reads as a quotient.
            binder.registry.configure(name, value.name or value.sql("spark").replace(" ", ""))
        elif name == "spark.sql.defaultcatalog":
            _use_catalog(binder, binder.folding.table(value.name))
        else:
            _bind_value(binder, value)
            named = pair.this.expressions if isinstance(pair.this, exp.Tuple) else [pair.this]
            for variable in named:
                if isinstance(variable, exp.Column | exp.Identifier):
                    key = binder.key(variable)
                    held = binder.variables.get(key, Variable())
                    binder.variables[key] = held.holding(value)
    return "SET"


def reset_settings(binder: Binder) -> str:
    """RESET alone: all that was set is what it was at first."""
    for name in sorted(_SETTINGS):
        binder.registry.configure(name, "")
    return "RESET"


def bind_discard(binder: Binder, what: str) -> str:
    """PostgreSQL's DISCARD: a session without temporary tables; after ALL, with the path it began with."""
    word = what.upper()
    if word == "ALL":
        binder.registry.use_first()
    if word in {"ALL", "TEMP", "TEMPORARY"}:
        binder.registry.drop_temporary(binder.index)
    return "DISCARD"


def _bind_value(binder: Binder, value: exp.Expr | None) -> None:
    """What a variable is set to: its queries read tables. Bare words may be anything, so not they."""
    for query in subqueries(value) if isinstance(value, exp.Expr) else ():
        binder.query(query, None, {})


def bind_declare(binder: Binder, tree: exp.Expr) -> str:
    for item in tree.expressions:
        _bind_value(binder, item.args.get("default"))
        names = item.this if isinstance(item.this, list) else [item.this]
        for name in names:
            if isinstance(name, exp.Expr) and name.name:
                declared = Variable(_declared_type(binder, item))
                key = binder.folding.column(name.name)
                binder.variables[key] = declared.holding(item.args.get("default") or None)
        columns = item.args.get("kind")
        if isinstance(columns, exp.Schema) and isinstance(names[0], exp.Parameter):
            # `DECLARE @rows TABLE (…)` makes a temporary table.
            table = exp.Schema(this=exp.Table(this=names[0]), expressions=columns.expressions)
            bind_create(binder, exp.Create(this=table, kind="TABLE", temporary=True), {})
    return "DECLARE"


def _declared_type(binder: Binder, item: exp.Expr) -> SqlType | None:
    """The type a declaration names, or that of the value it starts with."""
    kind, default = item.args.get("kind"), item.args.get("default")
    if isinstance(kind, exp.DataType):
        return type_of_node(kind, binder.dialect.name)
    return binder.types.of(default) if isinstance(default, exp.Expr) else None
