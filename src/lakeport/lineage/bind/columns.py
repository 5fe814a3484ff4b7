"""Which column a bare name means: the sources, merged columns, aliases, outer scopes, in that order.

A known column beats an unknown relation, an unknown relation beats an error, and everything that
was assumed is marked approximate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.grouped import grouping_keys
from lakeport.lineage.bind.infer import infer
from lakeport.lineage.bind.loops import script_refs
from lakeport.lineage.bind.misses import ambiguous, pseudo_column, several_outputs, unknown_column
from lakeport.lineage.bind.patterns import knows_patterns, pattern_refs
from lakeport.lineage.bind.qualified import (
    are_copies,
    correlate,
    qualified,
    relation_refs,
    row_named,
    whole_relation,
)
from lakeport.lineage.bind.scope import VALUE, Column, Ref, Relation, Scope, explicit
from lakeport.lineage.bind.star_arguments import type_star
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.types import read_type

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Merged

# Hive's number of a grouping, a column of no table.
_GROUPING_ID = Column("", "", type=read_type("bigint", "spark"), typed=True)
_PLACES = ("catalog", "db", "table")
# Words that parse as columns but are values of the session in one dialect or another.
_NILADIC = frozenset(
    {
        "current_date",
        "current_timestamp",
        "current_time",
        "current_user",
        "session_user",
        "user",
        "sysdate",
        "systimestamp",
        "localtime",
        "localtimestamp",
        "current_catalog",
        "current_path",
        "current_schema",
        "current_role",
        "default",
        "getdate",
        "current_database",
        "maxvalue",
        "all",
    }
)
_TIME_PARTS = frozenset(
    {
        "year",
        "quarter",
        "month",
        "week",
        "day",
        "dayofyear",
        "hour",
        "minute",
        "second",
        "millisecond",
        "microsecond",
    }
)


def bind_column(  # noqa: C901, PLR0912 - once per name, in one piece on purpose
    binder: Binder, node: exp.Expr, scope: Scope, role: int = VALUE
) -> list[Ref]:
    """The inputs a column reference stands for; usually one."""
    args = node.args
    identifier = args["this"]
    if "table" not in args or (table := args["table"]) is None:
        if identifier.__class__ is exp.Identifier:
            # `c`, if one source has it. `key` in place, where nothing is quoted.
            named = identifier.args
            key = binder.key(identifier) if named.get("quoted") else binder.folded[named["this"]]
            if not scope.prefers_projection and key not in scope.merged:
                column = scope.sole(key)
                if column is not None:
                    ref = binder.types.bound[id(node)] = Ref(column, role)
                    return [ref]
            refs = _unqualified(binder, identifier, key, scope, role)
        elif identifier.__class__ is exp.Parameter:
            refs = _by_position(binder, node, scope, role)
        else:
            refs = _unqualified(binder, identifier, binder.key(identifier), scope, role)
    elif (
        identifier.__class__ is not exp.Identifier
        or table.__class__ is not exp.Identifier
        or (len(args) > 2 and args.get("db") is not None)
    ):
        refs = _unusual(binder, node, scope, role)
    else:
        # `t.c`, if it is as simple as it looks. `key` in place, likewise.
        named, addressed = identifier.args, table.args
        if named.get("quoted") or addressed.get("quoted"):
            name, alias = binder.key(identifier), binder.key(table)
        else:
            folded = binder.folded
            name, alias = folded[named["this"]], folded[addressed["this"]]
        sources = scope.sources
        if sources and sources[-1] is scope.last:
            relation = scope.addresses.get(alias)
        else:
            relation = scope.only(alias)
        if relation is not None:
            index = relation.index
            column = index[name] if name in index else relation.find(name)
            if column is not None and not column.inferred and name not in relation.duplicates:
                ref = binder.types.bound[id(node)] = Ref(column, role)
                return [ref]
        refs = qualified(binder, [table], identifier, scope, role)
    if refs:
        binder.types.bound[id(node)] = refs[0]
    return refs


def _unusual(binder: Binder, node: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """`t.*` as a value, `db.t.c`, `t.$2`."""
    args = node.args
    identifier = args["this"]
    if identifier.__class__ is exp.Parameter:
        return _by_position(binder, node, scope, role)
    if identifier.__class__ is exp.Star:
        refs = whole_relation(binder, node, scope, role) or _all_fields(binder, node, scope, role)
        if refs and isinstance(node.parent, exp.Func):
            type_star(binder, node, binder.expanded(node, scope))
        return refs
    parts = [args[part] for part in ("catalog", "db", "table") if args.get(part) is not None]
    return qualified(binder, parts, identifier, scope, role)


def _all_fields(binder: Binder, node: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """`f(s.*)` where `s` is a column: all of the struct."""
    *before, last = [part for place in _PLACES if (part := node.args.get(place)) is not None]
    if before:
        return qualified(binder, before, last, scope, role)
    key = binder.key(last)
    if not any(source.relation.find(key) for source in scope.sources if source.visible):
        return []
    return _unqualified(binder, last, key, scope, role)


def _by_position(binder: Binder, node: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """Snowflake's `t.$2`: the second column of `t`."""
    relation = binder.addressed([node.args["table"]], scope) if node.args.get("table") else None
    return at_position(binder, node.this, relation, role) if relation is not None else []


def at_position(binder: Binder, node: exp.Expr, relation: Relation, role: int) -> list[Ref]:
    """The column that `$2` means; those of a file have no other name."""
    number = node.name
    if not number.isdigit():
        return []
    position, known = int(number) - 1, relation.known()
    if relation.complete and 0 <= position < len(known):
        return [Ref(known[position], role)]
    if relation.metadata.get("external"):
        column = infer(binder, relation, f"${number}", f"${number}")
        return [Ref(column, role)] if column is not None else []
    return [Ref(relation, role, approximate=True)]


def _unqualified(
    binder: Binder, identifier: exp.Expr, key: str, scope: Scope, role: int
) -> list[Ref]:
    name = identifier.name
    if scope.prefers_projection and (chosen := scope.projection.get(key)) is not None:
        return _through_output(binder, identifier, chosen, scope, role)
    level: Scope | None = scope
    while level is not None:
        refs = _in_scope(binder, identifier, name, key, level, role)
        if refs is not None:
            if level is not scope:
                correlate(binder, identifier, scope, level, refs)
            return refs
        level = level.parent
    claimed = _claimed(binder, identifier, key, scope, role)
    return claimed or _not_found(binder, identifier, name, key, scope, role)


def _claimed(
    binder: Binder, identifier: exp.Expr, key: str, scope: Scope, role: int
) -> list[Ref] | None:
    """What nobody has, but a name before was said to be: the same mistake is told once."""
    level: Scope | None = scope
    while level is not None:
        relations = [source.relation for source in level.sources if source.visible]
        claimed = [relation.index[key] for relation in relations if key in relation.index]
        if claimed:
            refs = _matched(binder, identifier, claimed, key, level, role)
            if level is not scope:
                correlate(binder, identifier, scope, level, refs)
            return refs
        level = level.parent
    return None


def _in_scope(
    binder: Binder, identifier: exp.Expr, name: str, key: str, scope: Scope, role: int
) -> list[Ref] | None:
    merged = scope.merged.get(key)
    if merged is not None:
        return merged_refs(merged, role)
    column = scope.sole(key)
    if column is not None:
        return [Ref(column, role)]
    matches, unsure, count = _candidates(scope, key)
    if matches:
        return _matched(binder, identifier, matches, key, scope, role)
    meant = _other_meaning(binder, identifier, key, scope, role)
    if meant is not None:
        return meant
    named = scope.relation(key)
    if named is not None and named.local_kind == "lateral" and not named.complete:
        # The alias of a function that returns one value is the name of that value.
        unsure, count = [named], 1
    if not unsure or key in binder.dialect.pseudo_columns or _is_declared(binder, name, key):
        return None
    return _guess(binder, identifier, name, key, unsure, role, alone=count == 1)


def _is_declared(binder: Binder, name: str, key: str) -> bool:
    """A variable that is declared beats a column that is only guessed."""
    return key in binder.variables or any(name.lower() in block.names for block in binder.blocks)


def _candidates(scope: Scope, key: str) -> tuple[list[Column], list[Relation], int]:
    """The columns of that name, the relations that may have one, and how many relations there are."""
    matches: list[Column] = []
    unsure: list[Relation] = []
    count = 0
    for source in scope.sources:
        if not source.visible:
            continue
        count += 1
        relation = source.relation
        column = relation.index.get(key) or relation.find(key)
        if column is not None and column.inferred and relation.complete:
            # A mistake before: the relation has no such column. See `_claimed`.
            continue
        if column is not None:
            if not (matches and column is matches[0] and not relation.duplicates):
                matches.append(column)
        elif not relation.complete:
            unsure.append(relation)
    return matches, unsure, count


def _matched(
    binder: Binder, identifier: exp.Expr, matches: list[Column], key: str, scope: Scope, role: int
) -> list[Ref]:
    """One known column of that name, or several."""
    column = matches[0]
    owner = column.relation
    if len(matches) == 1 and owner is not None and key in owner.duplicates:
        matches = [c for c in owner.columns if c.key == key] if not are_copies(owner, key) else []
    if len(matches) > 1:
        output = scope.projection.get(key) if scope.late_aliases else None
        if output is not None and (scope.outputs_decide or binder.dialect.naming == "bigquery"):
            # A clause behind the select list means the output, where tables cannot be told apart.
            return _through_output(binder, identifier, output, scope, role)
        return ambiguous(binder, identifier, matches, role)
    if not column.inferred:
        scope.remembered[key] = (scope.sources[-1], column)
    return [Ref(column, role, column.approximate and column.inferred)]


def _other_meaning(
    binder: Binder, identifier: exp.Expr, key: str, scope: Scope, role: int
) -> list[Ref] | None:
    """A select alias where the dialect lets one be seen, or a whole row."""
    late = (
        scope.projection.get(key) if scope.late_aliases and not scope.prefers_projection else None
    )
    if late is not None:
        return _through_output(binder, identifier, late, scope, role)
    alias = scope.aliases.get(key)
    if alias is not None and binder.dialect.lateral_aliases:
        if key in scope.repeated and binder.dialect.naming == "spark":
            several_outputs(binder, identifier)
        return _through_alias(binder, identifier, alias, role)
    row = row_named(binder, key, scope)
    return (
        [replace(ref, derived=True) for ref in relation_refs(row, role)]
        if row is not None
        else None
    )


def _through_output(
    binder: Binder, identifier: exp.Expr, column: Column, scope: Scope, role: int
) -> list[Ref]:
    """An output named in a later clause; two of one name are one too many for most engines."""
    if column.key in scope.repeated and not binder.dialect.first_alias_wins:
        sources = _candidates(scope, column.key)[0] if binder.dialect.naming == "spark" else []
        if len(sources) == 1:
            # Spark asks the tables before it gives up.
            return _matched(binder, identifier, sources, column.key, scope, role)
        several_outputs(binder, identifier)
    return _through_alias(binder, identifier, column, role)


def _through_alias(binder: Binder, identifier: exp.Expr, column: Column, role: int) -> list[Ref]:
    """A select alias stands for what it was made of."""
    binder.types.aliased[id(identifier.parent)] = column
    refs = explicit(column)
    return refs if role == VALUE else [replace(ref, role=role) for ref in refs]


def _guess(  # noqa: PLR0913 - see `_in_scope`
    binder: Binder,
    identifier: exp.Expr,
    name: str,
    key: str,
    unsure: list[Relation],
    role: int,
    *,
    alone: bool,
) -> list[Ref] | None:
    """No relation is known to have the column, but some may."""
    found: list[Column] = []
    for relation in unsure:
        column = infer(binder, relation, name, key)
        if column is not None:
            found.append(column)
    if not found:
        return None
    if len(found) > 1:
        return ambiguous(binder, identifier, found, role)
    return [Ref(found[0], role, approximate=not alone or found[0].approximate)]


def merged_refs(merged: Merged, role: int) -> list[Ref]:
    """What a USING column reads: the kept side, or both for a FULL join."""
    if role == VALUE:
        return [*merged.left, *merged.right]
    return [replace(ref, role=role) for ref in (*merged.left, *merged.right)]


def _not_found(
    binder: Binder, identifier: exp.Expr, name: str, key: str, scope: Scope, role: int
) -> list[Ref]:
    scripted = script_refs(binder, [identifier], role) if binder.blocks else None
    if scripted is not None:
        return scripted
    if knows_patterns(binder):
        refs = pattern_refs(binder, identifier, scope, role)
        if refs:
            return refs
    if (
        key in binder.variables
        or _is_time_part(identifier)
        or (name.lower() in _NILADIC and not identifier.args.get("quoted"))
        or (binder.dialect.quoted_strings and _is_string(binder, identifier))
    ):
        return []
    listed = _listed(binder, identifier, key) if binder.dialect.where_aliases else None
    if listed is not None:
        columns = listed.find_all(exp.Column)
        return [ref for column in columns for ref in bind_column(binder, column, scope, role)]
    visible = [source.relation for source in scope.sources if source.visible]
    if key == "grouping__id" and key in binder.dialect.pseudo_columns:
        binder.types.aliased[id(identifier.parent)] = _GROUPING_ID
        return grouping_keys(binder, identifier, scope)
    if key in binder.dialect.pseudo_columns or key.lower() in binder.dialect.pseudo_columns:
        return [Ref(pseudo_column(binder, visible[0], name, key), role)] if visible else []
    if not visible and scope.parent is None and not scope.prefers_projection:
        binder.report(
            IssueCode.UNRESOLVED_REFERENCE,
            f"column `{name}` is used, but there is no table in scope",
            at=identifier,
            column=name,
        )
        return []
    alias = scope.aliases.get(key) if not binder.dialect.parser else None
    if alias is not None:
        # Nobody said whose dialect it is, and nothing else can be meant: warn, follow the alias.
        unknown_column(binder, identifier, name, key, [], role)
        return [
            replace(ref, approximate=True)
            for ref in _through_alias(binder, identifier, alias, role)
        ]
    return unknown_column(binder, identifier, name, key, visible, role)


def _listed(binder: Binder, identifier: exp.Expr, key: str) -> exp.Expr | None:
    """The select item whose alias the condition of a join names, although the list comes later."""
    join = identifier.find_ancestor(exp.Join, exp.Query)
    select = join.parent if isinstance(join, exp.Join) else None
    for item in select.expressions if isinstance(select, exp.Select) else ():
        if isinstance(item, exp.Alias) and binder.key(item.args["alias"]) == key:
            return item.this if item.find(exp.Query) is None else None
    return None


def _is_string(binder: Binder, identifier: exp.Expr) -> bool:
    """Whether it stands in double quotes; brackets and backticks hold names alone."""
    span = binder.span(identifier)
    return span is not None and binder.text[span[0]] == '"'


def _is_time_part(identifier: exp.Expr) -> bool:
    """`timediff(HOUR, a, b)`, `get_format(DATE, 'ISO')`: a word where a column could stand."""
    column = identifier.parent
    call = column.parent if column is not None else None
    if not isinstance(call, exp.Func) or identifier.args.get("quoted"):
        return False
    if call.__class__ is exp.Anonymous and call.name.upper() == "GET_FORMAT":
        return True
    return identifier.name.lower() in _TIME_PARTS
