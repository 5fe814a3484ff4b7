"""Select lists: plain columns, expressions, stars, generators, each with its name and its inputs.

Position is the identity of an output column, so duplicates survive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.column_sets import (
    called,
    expand_columns,
    expand_matching,
    set_inside,
    set_of_table,
)
from lakeport.lineage.bind.columns import bind_column
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.generators import generator_columns
from lakeport.lineage.bind.grouped import is_grouped
from lakeport.lineage.bind.patterns import expand_pattern, knows_patterns
from lakeport.lineage.bind.scope import Column, Item, Scope, grown
from lakeport.lineage.bind.stars import expand_fields, expand_star, expand_value
from lakeport.lineage.bind.unnested import unnested_fields
from lakeport.lineage.naming import output_name
from lakeport.lineage.types import SqlType, type_of_node

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Ref

_GENERATORS = (exp.Explode, exp.Posexplode, exp.Inline, exp.Stack)
_NAMED_GENERATORS = frozenset(
    {"inline_outer", "json_tuple", "variant_explode", "variant_explode_outer"}
)
# Characters before a name, which nearly always are more than its blanks.
_NEAR = 40

# Items that may make several columns; all other classes are remembered when they are met.
_MANY_VALUES = (*_GENERATORS, exp.Anonymous, exp.Aliases, exp.QueryTransform)
_one_value: set[type] = set()
# What may follow a star in DuckDB.
_MATCHING = frozenset({exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike, exp.Not})
# What aggregates are called, by class, and nothing for others; the parser's answer costs more than
# the rest of a label.
_function_names: dict[type, str] = {}


def bind_projections(binder: Binder, node: exp.Select, scope: Scope) -> list[Item]:
    items: list[Item] = []
    spans: list[tuple[int, int]] | None = None
    wants_text = binder.wants_text
    sets, patterns = binder.dialect.name == "duckdb", knows_patterns(binder)
    for position, projection in enumerate(node.expressions):
        cls = projection.__class__
        if cls is not exp.Alias and (
            cls is not exp.Column or patterns or projection.args["this"].__class__ is exp.Star
        ):
            many = _expanded(binder, node, projection, scope)
            if many is not None:
                items += many
                continue
        if (
            spans is None
            and wants_text
            and (cls is not exp.Column or _may_be_signed(binder, projection))
        ):
            spans = binder.fragments.items(node) or []
        span = spans[position] if spans else None
        if cls is not exp.Column:
            chosen = set_inside(projection) if sets else None
            if chosen is not None:
                items += _one_each(binder, projection, chosen, scope, span)
                continue
            kind = (projection.args["this"] if cls is exp.Alias else projection).__class__
            if kind not in _one_value:
                many = _made_by_rows(binder, projection, scope)
                if many is not None:
                    items += many
                    continue
        items.append(_projection(binder, projection, scope, span, items))
    if "kind" in node.args and node.args["kind"] == "VALUE" and len(items) == 1:
        value = items[0]
        return expand_value(binder, value, scope) if isinstance(value, Column) else items
    return items


def _expanded(binder: Binder, node: exp.Select, projection: Any, scope: Scope) -> list[Item] | None:
    """What a star or a set of columns stands for; None if the item is one column."""
    if projection.__class__ is exp.Paren and binder.dialect.naming == "spark":
        projection = _star_inside(projection)
    cls = projection.__class__
    if cls is exp.Star or (cls is exp.Column and projection.this.__class__ is exp.Star):
        unseen = id(node) in binder.unseen and _addresses_all(binder, projection, scope)
        return [] if unseen else expand_star(binder, projection, scope)
    if cls is exp.Column:
        return expand_pattern(binder, projection, scope)
    if cls is exp.Columns:
        return expand_columns(binder, projection, scope)
    if cls is exp.Apply:
        return _applied(binder, node, projection, scope)
    if cls in _MATCHING and binder.dialect.name == "duckdb":
        return expand_matching(binder, projection, scope)
    if cls is not exp.Dot:
        return None
    if (found := set_of_table(projection)) is not None:
        return expand_columns(binder, found[1], scope, found[0])
    if projection.expression.__class__ is exp.Star:
        return expand_fields(binder, projection, scope)
    return None


def _applied(
    binder: Binder, node: exp.Select, projection: exp.Expr, scope: Scope
) -> list[Item] | None:
    """ClickHouse's `* APPLY(sum)`: the function of each column, called like the call."""
    many = _expanded(binder, node, projection.this, scope)
    function = projection.args.get("expression")
    for item in many or ():
        # Without a function there is nothing to apply yet.
        if isinstance(item, Column) and function is not None:
            item.name = f"{function.name}({item.name})"
            item.key = binder.folding.column(item.name)
            item.refs = [replace(ref, derived=True) for ref in item.refs]
            item.identity = False
    return many


def _one_each(
    binder: Binder, projection: exp.Expr, many: exp.Expr, scope: Scope, span: tuple[int, int] | None
) -> list[Item]:
    """`min(COLUMNS(*))`: the expression once for each column, called like it unless it has an alias."""
    alias = projection.args.get("alias") if projection.__class__ is exp.Alias else None
    inner = projection.this if projection.__class__ is exp.Alias else projection
    made: list[Item] = []
    for item in expand_columns(binder, many, scope):
        if not isinstance(item, Column):
            made.append(item)
            continue
        scope.chosen = item
        name = item.name if alias is None else called(many, item.name, alias.name)
        column = Column(name, binder.folding.column(name))
        made.append(column)
        if inner is many:
            column.refs, column.identity = item.refs, item.identity
            column.expression, column.approximate = item.expression, item.approximate
            continue
        column.refs, column.expression = collect(binder, inner, scope), inner
        column.approximate = any(ref.approximate for ref in column.refs)
        column.text = _text(binder, inner, span, aliased=alias is not None)
        column.aggregation = _aggregation(inner)
    scope.chosen = None
    return made


def _addresses_all(binder: Binder, star: exp.Expr, scope: Scope) -> bool:
    """Whether a star's qualifier, if it has one, means something in scope."""
    parts = [star.args.get(part) for part in ("catalog", "db", "table")]
    named = [part for part in parts if part is not None]
    return not named or binder.addressed(named, scope) is not None


def _star_inside(item: exp.Expr) -> exp.Expr:
    """Spark's `SELECT (*)` and `((t.*))` are the stars; other parentheses stay as they are."""
    inner = item
    while inner.__class__ is exp.Paren:
        inner = inner.args["this"]
    return inner if isinstance(inner, exp.Star | exp.Column) and inner.is_star else item


def _projection(  # noqa: C901, PLR0912 - once per select item, in one piece on purpose
    binder: Binder,
    projection: exp.Expr,
    scope: Scope,
    span: tuple[int, int] | None,
    items: list[Item],
) -> Column:
    inner = projection
    alias: exp.Expr | None = None
    while inner.__class__ is exp.Alias:
        parts = inner.args
        inner, alias = parts["this"], alias or parts.get("alias")
    if inner.__class__ is exp.PropertyEQ and alias is None:
        # T-SQL's `SELECT name = expression`.
        alias, inner = inner.this, inner.expression
    plain = inner
    while plain.__class__ is exp.Paren:
        plain = plain.args["this"]
    if plain.__class__ is exp.Column:
        refs = bind_column(binder, plain, scope)
        copied = span is None or not binder.fragments.is_signed(span)
    else:
        refs = collect(binder, inner, scope)
        copied = False
    identifier = plain.args["this"] if alias is None and copied else alias
    if identifier.__class__ is exp.Identifier:
        facts = identifier.args
        name = facts["this"]
        key = binder.key(identifier) if facts.get("quoted") else binder.folded[name]
        column = Column(name, key, None, None, refs)
        column.span = binder.span(identifier)
    else:
        column = _named_column(binder, alias, plain, inner, scope, span=span, items=items)
        key, column.refs = column.key, refs
    column.expression = plain
    for ref in refs:
        if ref.path or (ref.derived and ref.role):
            # A field of a struct is computed from its column, the number of a grouping from its keys.
            copied = False
        if ref.approximate:
            column.approximate = True
    if copied:
        column.identity = True
    else:
        column.text = _text(binder, inner, span, aliased=alias is not None)
        column.aggregation = _aggregation(plain)
    if alias is not None or (not copied and _is_field(binder, column)):
        scope.aliases.setdefault(key, column)
    held = scope.projection.setdefault(key, column)
    if held is not column and not _are_one(binder, held, column):
        scope.repeated = grown(scope.repeated, key)
    return column


def _made_by_rows(binder: Binder, projection: exp.Expr, scope: Scope) -> list[Item] | None:
    """The columns of a script or a row generator; None if the item is one value of one row."""
    cls = (projection.args["this"] if projection.__class__ is exp.Alias else projection).__class__
    if not issubclass(cls, _MANY_VALUES):
        _one_value.add(cls)
        return None
    if isinstance(projection, exp.QueryTransform):
        return _transformed(binder, projection, scope)
    if cls is exp.Explode and binder.dialect.naming in {"duckdb", "postgres"}:
        return _unnested(binder, projection, scope)
    if isinstance(projection, exp.Aliases) or _is_generator(projection):
        return list(_generator_items(binder, projection, scope))
    return None


def _unnested(binder: Binder, projection: exp.Expr, scope: Scope) -> list[Item] | None:
    """`unnest(…)` is a function like others, but that structs show their fields in DuckDB."""
    if binder.dialect.name != "duckdb":
        return None
    function = projection.this if isinstance(projection, exp.Alias) else projection
    columns = unnested_fields(binder, function, scope)
    return None if columns is None else [*_generated_items(binder, function, scope, columns)]


def _may_be_signed(binder: Binder, column: exp.Expr) -> bool:
    """Whether a plus stands before a column, or a comment that may hide one: most have neither."""
    args = column.args
    if len(args) == 1:
        first = args["this"]
    else:
        first = args.get("catalog") or args.get("db") or args.get("table") or args["this"]
    meta = first._meta  # noqa: SLF001 - `meta` would allocate a dict per node
    start = meta.get("start") if meta else None
    if start is None:
        return False
    before = binder.text[max(start - _NEAR, 0) : start].rstrip() or binder.text[:start].rstrip()
    return before.endswith(("+", "*/"))


def _are_one(binder: Binder, column: Column, other: Column) -> bool:
    """Whether two outputs of one name are the same: to Spark that takes a column, not equal texts."""
    if column.refs != other.refs or column.text != other.text:
        return False
    return binder.dialect.naming != "spark" or (column.identity and other.identity)


def _is_field(binder: Binder, column: Column) -> bool:
    """`info.city` without an alias: to Spark the field's name is one."""
    return not column.generated and binder.dialect.naming == "spark"


def _text(
    binder: Binder, node: exp.Expr, span: tuple[int, int] | None, *, aliased: bool
) -> str | None:
    if not binder.wants_text:
        return None
    return binder.fragments.item_text(span, aliased=aliased) if span else binder.sql(node)


def _named_column(  # noqa: PLR0913 - what a name can be made of
    binder: Binder,
    alias: exp.Expr | None,
    plain: exp.Expr,
    inner: exp.Expr,
    scope: Scope,
    *,
    span: tuple[int, int] | None,
    items: list[Item],
) -> Column:
    """A column whose name is not simply written: the end of a path, or what the engine makes up."""
    identifier = alias
    if alias is None and _ends_in_a_name(binder, plain):
        identifier = plain.expression
    if identifier is not None:
        column = Column(identifier.name, binder.key(identifier))
        column.span = binder.span(identifier)
        return column
    tokens = binder.fragments.tokens(span) if span else None
    unnamed = bool(binder.unnamed) and id(inner.parent_select) in binder.unnamed
    name = "" if unnamed else output_name(binder, inner, scope, tokens, items)
    column = Column(name, binder.folding.column(name, quoted=True))
    column.generated = True
    return column


def _ends_in_a_name(binder: Binder, node: exp.Expr) -> bool:
    """`a.b.c` is called `c`; Spark prints a field of anything but a name (`f(x).c`) in full."""
    if not isinstance(node, exp.Dot) or not isinstance(node.expression, exp.Identifier):
        return False
    first = node.this
    while isinstance(first, exp.Dot | exp.Paren):
        first = first.this
    return binder.dialect.naming != "spark" or isinstance(first, exp.Column | exp.Identifier)


def _transformed(binder: Binder, node: exp.Expr, scope: Scope) -> list[Item]:
    """`SELECT TRANSFORM (…) USING 'script' AS (a, b)`: every output may come from every input."""
    refs = [ref for argument in node.expressions for ref in collect(binder, argument, scope)]
    schema = node.args.get("schema")
    names = schema.expressions if isinstance(schema, exp.Schema) else []
    shown = [item.this if isinstance(item, exp.ColumnDef) else item for item in names]
    made: list[Item] = []
    kinds = {item.name: item.args.get("kind") for item in names if isinstance(item, exp.ColumnDef)}
    for name in [identifier.name for identifier in shown] or ["key", "value"]:
        column = Column(name, binder.folding.column(name))
        column.refs, column.expression = refs, node
        # A script writes text; only a declared type makes something else of it.
        declared = kinds.get(name)
        column.type = type_of_node(declared, binder.dialect.name) if declared else SqlType("string")
        column.typed = True
        made.append(column)
    return made


def _is_generator(node: exp.Expr) -> bool:
    inner = node.args["this"] if node.__class__ is exp.Alias else node
    if inner.__class__ is exp.Anonymous:
        return inner.name.lower() in _NAMED_GENERATORS
    return isinstance(inner, _GENERATORS)


def _generator_items(binder: Binder, node: exp.Expr, scope: Scope) -> list[Column]:
    """`explode(m) AS (k, v)`, `inline(a)`, `stack(…)` in a select list."""
    function = node.this if isinstance(node, exp.Aliases | exp.Alias) else node
    if isinstance(node, exp.Aliases):
        names = list(node.expressions)
    elif isinstance(node, exp.Alias):
        names = [node.args["alias"]]
    else:
        names = []
    while isinstance(function, exp.Paren):
        function = function.this
    columns = [
        (names[position].name if position < len(names) else name, refs, kind)
        for position, (name, refs, kind) in enumerate(
            generator_columns(binder, function, scope, len(names))
        )
    ]
    return _generated_items(binder, function, scope, columns)


def _generated_items(
    binder: Binder,
    function: exp.Expr,
    scope: Scope,
    columns: list[tuple[str, list[Ref], SqlType | None]],
) -> list[Column]:
    # Rows that are grouped are generated from afterwards: nothing beside a generator sees its columns.
    grouped = binder.dialect.naming == "spark" and is_grouped(function.parent_select)
    made: list[Column] = []
    for shown, refs, kind in columns:
        column = Column(shown, binder.folding.column(shown))
        column.refs = refs
        column.type, column.typed = kind, True
        column.text = binder.sql(function) if binder.wants_text else None
        if not grouped:
            scope.aliases.setdefault(column.key, column)
        held = scope.projection.setdefault(column.key, column)
        # Several names in brackets are none that the list goes on to use.
        if held is not column and len(columns) == 1:
            scope.repeated = grown(scope.repeated, column.key)
        made.append(column)
    scope.generated |= {column.key for column in made}
    return made


def _aggregation(node: exp.Expr) -> tuple[bool, str | None, bool] | None:
    function = node.args["this"] if node.__class__ is exp.Filter else node
    kind = function.__class__
    name = _function_names.get(kind)
    if name is None:
        name = str(function.sql_name()) if isinstance(function, exp.AggFunc) else ""
        _function_names[kind] = name
    return (False, name, function.args.get("this").__class__ is exp.Distinct) if name else None
