"""Relations that expressions make: UNNEST, LATERAL VIEW, FLATTEN, row generators.

Every generated column derives from the arguments. Default names are the engine's (`col`, `pos`,
`key`, `value`, …); an alias list renames them by position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.routine_calls import body_called, call_inputs
from lakeport.lineage.bind.scope import Column, Ref, Relation, Scope, Source
from lakeport.lineage.bind.struct_fields import query_inside, row_field
from lakeport.lineage.bind.written_columns import NAMES, written_columns, written_names
from lakeport.lineage.types import SqlType, generated_types, read_type, star_fields

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

DEFAULT_NAMES: dict[str, tuple[str, ...]] = {
    "range": ("id",),
    "sql_keywords": ("keyword", "reserved"),
    "variant_explode": ("pos", "key", "value"),
    "variant_explode_outer": ("pos", "key", "value"),
    "generate_series": ("generate_series",),
    "flatten": ("SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS"),
    "json_each": ("key", "value"),
    "json_each_text": ("key", "value"),
    "jsonb_each": ("key", "value"),
    "jsonb_each_text": ("key", "value"),
    "json_array_elements": ("value",),
    "jsonb_array_elements": ("value",),
    "json_array_elements_text": ("value",),
    "jsonb_array_elements_text": ("value",),
    "json_object_keys": ("json_object_keys",),
    "jsonb_object_keys": ("jsonb_object_keys",),
    "regexp_split_to_table": ("regexp_split_to_table",),
    "regexp_matches": ("regexp_matches",),
    "string_to_table": ("string_to_table",),
    "generate_subscripts": ("generate_subscripts",),
    "jsonb_path_query": ("jsonb_path_query",),
    "string_split": ("value",),
    "split_to_table": ("SEQ", "INDEX", "VALUE"),
    "openjson": ("key", "value", "type"),
}

# What DuckDB and SQLite tell of each part of a document.
_TREE = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path")
_TREES = frozenset({"json_each", "json_tree"})
_GENERATED = frozenset(
    {
        "json_tuple",
        "inline_outer",
        "inline",
        "stack",
        "explode",
        "explode_outer",
        "posexplode",
        "posexplode_outer",
    }
)


def alias_names(alias: exp.Expr | None) -> list[exp.Expr]:
    """The names an alias gives to columns."""
    return list(alias.args.get("columns") or []) if alias is not None else []


def generated(
    binder: Binder,
    relation: Relation,
    columns: list[tuple[str, list[Ref], SqlType | None]],
    names: list[exp.Expr],
) -> None:
    """Fill a generator's columns, renamed by position."""
    for position, (name, refs, kind) in enumerate(columns):
        identifier = names[position] if position < len(names) else None
        target = identifier.this if isinstance(identifier, exp.ColumnDef) else identifier
        shown = target.name if target is not None else name
        key = (
            binder.key(target)
            if isinstance(target, exp.Identifier)
            else binder.folding.column(shown)
        )
        column = Column(shown, key)
        column.refs = refs
        column.type, column.typed = kind, True
        column.span = binder.span(target) if target is not None else None
        relation.add(column)


def put_in_scope(
    binder: Binder, scope: Scope, relation: Relation, identifier: exp.Expr | None
) -> None:
    """Let a generator's columns be addressed by its alias, or by its own name."""
    key = (
        binder.key(identifier)
        if isinstance(identifier, exp.Identifier)
        else binder.folding.column(relation.label)
    )
    relation.inputs = []
    scope.sources.append(Source(key, relation))


def labelled_relation(
    binder: Binder, alias: exp.Expr | None, fallback: str
) -> tuple[Relation, exp.Expr | None]:
    """A relation called as its alias says, and that name."""
    identifier = alias.this if alias is not None else None
    relation = binder.derived(
        identifier.name if identifier is not None else fallback, local_kind="lateral"
    )
    if identifier is not None:
        relation.span = binder.span(identifier)
    return relation, identifier


# -- UNNEST ------------------------------------------------------------------------------------


def add_unnest(
    binder: Binder, node: exp.Unnest, scope: Scope, around: exp.Expr | None = None
) -> None:
    """One column per array, named by the alias, its own or that of the LATERAL around it, plus the offset."""
    alias = node.args.get("alias") or around
    names = alias_names(alias)
    relation, identifier = labelled_relation(binder, alias, names[0].name if names else "unnest")
    columns: list[tuple[str, list[Ref], SqlType | None]] = []
    opened = False
    for argument in node.expressions:
        refs = collect(binder, argument, scope)
        element = _element(binder.types.of(argument))
        if (
            element is not None
            and element.kind == "struct"
            and binder.dialect.name not in {"duckdb", "spark", "databricks"}
        ):
            for field in star_fields(element):
                own = row_field(binder, query_inside(argument), field.name)
                columns.append((field.name, refs if own is None else own.refs, field.type))
            opened = True
            # BigQuery's alias names the row, not its first field.
            names = [] if binder.dialect.name == "bigquery" else names
        elif element is None and len(node.expressions) == 1 and len(names) > 1:
            columns += [(name.name, refs, None) for name in names]
        else:
            columns.append((_unnested(binder, node, relation, identifier), refs, element))
    offset = node.args.get("offset")
    generated(binder, relation, columns, names)
    if binder.dialect.name == "bigquery" and columns and columns[0][2] is None:
        # Elements of unknown type may be structs, and then their fields are columns.
        relation.complete = bool(scope.sources)
        relation.arguments = columns[0][1]
    if offset:
        name = (
            offset.name
            if isinstance(offset, exp.Identifier)
            else "ordinality"
            if binder.dialect.name != "bigquery"
            else "offset"
        )
        every = [ref for _, refs, _ in columns for ref in refs]
        if binder.dialect.name == "bigquery" and opened:
            # Beside the fields of a row, not among them.
            put_in_scope(binder, scope, relation, identifier)
            relation, identifier = binder.derived(name, local_kind="lateral"), None
        generated(binder, relation, [(name, every, SqlType("bigint"))], [])
    put_in_scope(binder, scope, relation, identifier)


def _unnested(
    binder: Binder, node: exp.Unnest, relation: Relation, identifier: exp.Expr | None
) -> str:
    """What an unnested array's column is called by itself."""
    if binder.dialect.naming == "spark":
        return "col"
    # Postgres names a function's only column by the alias, but none of several; DuckDB no column.
    aliased = identifier is not None and binder.dialect.name != "duckdb"
    if binder.dialect.naming == "postgres" and len(node.expressions) > 1:
        aliased = False
    return relation.label if aliased else "unnest"


def add_elements(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    """Redshift's `t.list AS item AT place` and `UNPIVOT t.object AS item AT place`."""
    inner = node.this if isinstance(node, exp.Pivot) else node
    place = inner.expression if isinstance(inner, exp.AtIndex) else None
    named = inner.this if isinstance(inner, exp.AtIndex) else inner
    if not isinstance(named, exp.Alias) or named.args.get("alias") is None:
        binder.unsupported(node, "this kind of source has no lineage rule")
        return
    alias = exp.TableAlias(columns=[named.args["alias"]])
    add_unnest(binder, exp.Unnest(expressions=[named.this], alias=alias, offset=place), scope)


def add_array_join(binder: Binder, arrays: list[exp.Expr], scope: Scope) -> None:
    """ClickHouse's ARRAY JOIN: an aliased array is a new column, any other keeps its name."""
    for node in arrays:
        array = node.this if isinstance(node, exp.Alias) else node
        refs = collect(binder, array, scope)
        # An alias that is not written yet is none.
        identifier = node.args.get("alias") if isinstance(node, exp.Alias) else None
        if identifier is not None:
            relation = binder.derived(identifier.name, local_kind="lateral")
            relation.span = binder.span(identifier)
            element = _element(binder.types.of(array))
            generated(binder, relation, [(identifier.name, refs, element)], [identifier])
            put_in_scope(binder, scope, relation, identifier)


def _element(kind: SqlType | None) -> SqlType | None:
    return kind.element if kind is not None else None


# -- generators --------------------------------------------------------------------------------


def called(node: exp.Expr) -> str:
    """The name of a table function."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if isinstance(node, exp.ExplodingGenerateSeries):
        return "generate_series"
    if node.__class__ in NAMES:
        return NAMES[node.__class__]
    return node.sql_name().lower() if isinstance(node, exp.Func) else "lateral"


def declared_columns(binder: Binder, function: exp.Expr) -> list[tuple[str, SqlType | None]] | None:
    """The columns of a table function that the call lists, or that the workload itself created."""
    if function.__class__ in NAMES:
        return written_columns(function, binder.dialect.name)
    if not binder.registry.has_routines or not isinstance(function, exp.Anonymous):
        return None
    routine = binder.registry.routine(called(function), len(function.expressions))
    if routine is None or routine.columns is None:
        return None
    dialect = binder.dialect.name
    return [(name, read_type(text, dialect) if text else None) for name, text in routine.columns]


def is_known_generator(binder: Binder, function: exp.Expr) -> bool:
    """Whether the columns of a table function are known, be it only from its name."""
    name = called(function).lower()
    return bool(
        name in DEFAULT_NAMES
        or (name in _TREES and binder.dialect.name in {"duckdb", "sqlite"})
        or name in _GENERATED
        or isinstance(function, exp.UDTF)
        or declared_columns(binder, function)
    )


def add_called(
    binder: Binder, function: exp.Expr, relation: Relation, scope: Scope, names: list[exp.Expr]
) -> bool:
    """The columns of a call whose function the workload creates, from what its body reads; False for others."""
    body = body_called(binder, function) if binder.registry.has_routines else None
    declared = declared_columns(binder, function) if body is not None else None
    if body is None or not declared:
        return False
    inputs = call_inputs(binder, function, body, scope)
    columns = [(name, refs, kind) for (name, kind), (refs, _) in zip(declared, inputs, strict=True)]
    generated(binder, relation, columns, names)
    for column, (refs, copied) in zip(relation.columns, inputs, strict=True):
        column.identity = copied and bool(refs)
    return True


def open_ended(binder: Binder, relation: Relation, function: exp.Expr, scope: Scope) -> None:
    """A table function of which nobody told the columns: they come from its arguments."""
    relation.arguments = collect(binder, function, scope)
    relation.complete = False
    binder.unsupported(
        function,
        f"the columns of table function `{called(function)}` are not known",
        severity="info",
    )


def generator_columns(
    binder: Binder, function: exp.Expr, scope: Scope, wanted: int = 0
) -> list[tuple[str, list[Ref], SqlType | None]]:
    """What a row generator yields; `wanted` is the number of names given to it."""
    refs = collect(binder, function, scope)
    declared = declared_columns(binder, function)
    if declared:
        return [(name, refs, kind) for name, kind in declared]
    argument = (
        function.args.get("this")
        if not isinstance(function, exp.Anonymous)
        else next(iter(function.expressions), None)
    )
    if isinstance(argument, exp.Kwarg):
        argument = argument.expression
    kind = binder.types.of(argument) if isinstance(argument, exp.Expr) else None
    kinds = list(
        generated_types(function, binder.types.of_name, binder.dialect.name, binder.types.memo)
        or ()
    )
    mapped = (kind is not None and kind.kind == "map") or len(kinds) > 2
    if isinstance(function, exp.Inline) or called(function) == "inline_outer":
        names = [field.name for field in star_fields(_element(kind))] or [
            f"col{n + 1}" for n in range(max(wanted, 1))
        ]
    elif isinstance(function, exp.Posexplode):
        names = ["pos", "key", "value"] if mapped or wanted == 3 else ["pos", "col"]
    elif isinstance(function, exp.Explode):
        names = ["key", "value"] if mapped or len(kinds) == 2 or wanted == 2 else ["col"]
    else:
        return _named_generator(binder, function, scope, refs, wanted, kinds)
    kinds += [None] * (len(names) - len(kinds))
    return [(name, refs, of) for name, of in zip(names, kinds, strict=False)]


def _named_generator(
    binder: Binder,
    function: exp.Expr,
    scope: Scope,
    refs: list[Ref],
    wanted: int,
    kinds: list[SqlType | None],
) -> list[tuple[str, list[Ref], SqlType | None]]:
    if isinstance(function, exp.Stack):
        rows = (
            int(function.this.name)
            if isinstance(function.this, exp.Literal) and function.this.name.isdigit()
            else 1
        )
        cells = function.expressions
        width = -(-len(cells) // max(rows, 1)) or 1
        columns = []
        for position in range(width):
            column = cells[position::width]
            found = [ref for cell in column for ref in collect(binder, cell, scope)]
            columns.append(
                (
                    f"col{position}",
                    found,
                    binder.types.common([binder.types.of(cell) for cell in column]),
                )
            )
        return columns
    name = function.name.lower() if isinstance(function, exp.Anonymous) else called(function)
    if name == "json_tuple":
        fields = (
            function.expressions[1:]
            if isinstance(function, exp.Anonymous)
            else function.expressions
        )
        return [
            (f"c{number}", refs, SqlType("string"))
            for number in range(len(fields) or max(wanted, 1))
        ]
    defaults = DEFAULT_NAMES.get(name)
    if name in _TREES and binder.dialect.name in {"duckdb", "sqlite"}:
        defaults = _TREE
    if defaults and wanted <= len(defaults):
        kinds = kinds if len(kinds) == len(defaults) else [None] * len(defaults)
        return [(default, refs, kind) for default, kind in zip(defaults, kinds, strict=True)]
    return [
        (name if wanted <= 1 else f"col{number}", refs, None) for number in range(max(wanted, 1))
    ]


def add_lateral(binder: Binder, node: exp.Lateral, scope: Scope) -> None:
    """LATERAL VIEW, LATERAL (subquery), CROSS APPLY, LATERAL FLATTEN."""
    inner = node.this
    alias = node.args.get("alias")
    names = alias_names(alias)
    if isinstance(inner, exp.Query):
        relation, identifier = labelled_relation(binder, alias, "lateral")
        relation.receive(binder.query(inner, scope, scope.ctes))
        binder.rename(relation, names)
        put_in_scope(binder, scope, relation, identifier)
        return
    if isinstance(inner, exp.Unnest):
        add_unnest(binder, inner, scope, alias)
        return
    if isinstance(inner, exp.Table) or inner is None:
        if inner is not None:
            binder.source(inner, scope)
        return
    relation, identifier = labelled_relation(binder, alias, called(inner))
    if isinstance(inner, exp.Anonymous) and not names and not is_known_generator(binder, inner):
        open_ended(binder, relation, inner, scope)
        put_in_scope(binder, scope, relation, identifier)
        return
    function = inner.expression if inner.__class__ is exp.Dot else inner
    if add_called(binder, function, relation, scope, names):
        put_in_scope(binder, scope, relation, identifier)
        return
    wanted = len(names) - bool(node.args.get("ordinality"))
    columns = generator_columns(binder, inner, scope, wanted)
    if names and wanted > len(columns):
        columns += [
            (name.name, columns[-1][1] if columns else [], None)
            for name in names[len(columns) : wanted]
        ]
    generated(binder, relation, columns, names or written_names(inner))
    if node.args.get("ordinality"):
        generated(binder, relation, [("ordinality", [], SqlType("bigint"))], names[len(columns) :])
    put_in_scope(binder, scope, relation, identifier)
