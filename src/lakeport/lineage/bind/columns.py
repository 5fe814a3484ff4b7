"""Which column a name means: aliases, relation names, struct paths, search through outer scopes.

A known column beats an unknown relation, an unknown relation beats an error, and everything that
was assumed is marked approximate. Columns found through an open tail are inferred, hop by hop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.core.names import nearest
from lakeport.lineage.bind.scope import VALUE, Column, Ref, Relation, Scope
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Merged

_MAX_HOPS = 20
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


def bind_column(binder: Binder, node: exp.Expr, scope: Scope, role: int = VALUE) -> list[Ref]:
    """The inputs a column reference stands for; usually one."""
    args = node.args
    identifier = args["this"]
    if isinstance(identifier, exp.Parameter):
        refs = _by_position(binder, node, scope, role)
    elif args.get("table") is None:
        refs = _unqualified(binder, identifier, scope, role)
    elif isinstance(identifier, exp.Star):
        refs = _whole_relation(binder, node, scope, role)
    elif args.get("db") is None:
        refs = _simply_qualified(binder, args["table"], identifier, scope, role)
    else:
        parts = [args[part] for part in ("catalog", "db", "table") if args.get(part) is not None]
        refs = _qualified(binder, parts, identifier, scope, role)
    if refs:
        binder.bound[id(node)] = refs[0]
    return refs


def _by_position(binder: Binder, node: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """Snowflake's `t.$2`: the second column of `t`."""
    number = node.this.name
    relation = binder.addressed([node.args["table"]], scope) if node.args.get("table") else None
    if relation is None or not number.isdigit():
        return []
    position, known = int(number) - 1, relation.known()
    if relation.complete and 0 <= position < len(known):
        return [Ref(known[position], role)]
    return [Ref(relation, role, approximate=True)]


def _key(binder: Binder, identifier: exp.Expr) -> str:
    args = identifier.args
    # Straight from the tree: `name` is a property that costs more than the rest of this function.
    text = args["this"] if identifier.__class__ is exp.Identifier else identifier.name
    return binder.folding.column(text, quoted=bool(args.get("quoted")))


# -- unqualified -------------------------------------------------------------------------------


def _unqualified(binder: Binder, identifier: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    name = identifier.name
    key = _key(binder, identifier)
    if scope.prefers_projection and (chosen := scope.projection.get(key)) is not None:
        return _through_output(binder, identifier, chosen, scope, role)
    level: Scope | None = scope
    while level is not None:
        refs = _in_scope(binder, identifier, name, key, level, role)
        if refs is not None:
            _correlate(scope, level, refs)
            return refs
        level = level.parent
    return _not_found(binder, identifier, name, key, scope, role)


def _correlate(inner: Scope, outer: Scope, refs: list[Ref]) -> None:
    """Every query between the name and its table depends on a row from outside."""
    level: Scope | None = inner
    while level is not None and level is not outer:
        level.correlated.extend(refs)
        level = level.parent


def _in_scope(
    binder: Binder, identifier: exp.Expr, name: str, key: str, scope: Scope, role: int
) -> list[Ref] | None:
    merged = scope.merged.get(key)
    if merged is not None:
        return merged_refs(merged, role)
    # The same column is named again and again; sources only ever grow, so their number is the key.
    remembered = scope.remembered.get(key)
    if remembered is not None and remembered[0] == len(scope.sources):
        return [Ref(remembered[1], role)]
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
    return _guess(binder, identifier, name, key, unsure, role, alone=count == 1) if unsure else None


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
    if len(matches) > 1:
        return _ambiguous(binder, identifier, matches, role)
    column = matches[0]
    owner = column.relation
    if owner is not None and key in owner.duplicates and not _are_copies(owner, key):
        return _ambiguous(binder, identifier, [c for c in owner.columns if c.key == key], role)
    if not column.inferred:
        scope.remembered[key] = (len(scope.sources), column)
    return [Ref(column, role, column.approximate and column.inferred)]


def _other_meaning(
    binder: Binder, identifier: exp.Expr, key: str, scope: Scope, role: int
) -> list[Ref] | None:
    """A select alias where the dialect lets one be seen, or a whole row."""
    alias = scope.aliases.get(key)
    if alias is not None and binder.dialect.lateral_aliases:
        return _through_alias(binder, identifier, alias, role)
    late = (
        scope.projection.get(key) if scope.late_aliases and not scope.prefers_projection else None
    )
    if late is not None:
        return _through_output(binder, identifier, late, scope, role)
    row = row_named(binder, key, scope)
    return (
        [ref._replace(derived=True) for ref in relation_refs(row, role)]
        if row is not None
        else None
    )


def row_named(binder: Binder, key: str, scope: Scope) -> Relation | None:
    """The relation whose whole row a bare name means: `row_to_json(t)`, `SELECT t FROM people t`.

    An unknown table may have a column of its own name, so there only a given alias means the row.
    """
    if not binder.dialect.row_values:
        return None
    relation = scope.relation(key)
    if relation is None or (not relation.complete and relation.name[-1] == key):
        return None
    return relation


def _are_copies(relation: Relation, key: str) -> bool:
    """A name repeated for one and the same column is not ambiguous."""
    same = [column for column in relation.columns if column.key == key]
    first = same[0]
    return first.identity and all(column.identity and column.refs == first.refs for column in same)


def _through_output(
    binder: Binder, identifier: exp.Expr, column: Column, scope: Scope, role: int
) -> list[Ref]:
    """An output named in a later clause; two of one name are one too many for most engines."""
    if column.key in scope.repeated and not binder.dialect.first_alias_wins:
        binder.report(
            IssueCode.AMBIGUOUS_COLUMN,
            f"several outputs are called `{identifier.name}`",
            at=identifier,
            column=identifier.name,
            hint="give each of them a name of its own",
        )
    return _through_alias(binder, identifier, column, role)


def _through_alias(binder: Binder, identifier: exp.Expr, column: Column, role: int) -> list[Ref]:
    """A select alias stands for what it was made of."""
    binder.aliased[id(identifier.parent)] = column
    return [ref if role == VALUE else ref._replace(role=role) for ref in column.refs]


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
        return _ambiguous(binder, identifier, found, role)
    return [Ref(found[0], role, approximate=not alone or found[0].approximate)]


def _ambiguous(binder: Binder, identifier: exp.Expr, columns: list[Column], role: int) -> list[Ref]:
    owners = [dotted(column.relation.name) for column in columns if column.relation]
    binder.report(
        IssueCode.AMBIGUOUS_COLUMN,
        f"column `{identifier.name}` could come from {' or '.join(f'`{owner}`' for owner in dict.fromkeys(owners))}",
        at=identifier,
        column=identifier.name,
        hint="qualify it with the table's alias",
    )
    return [Ref(column, role, approximate=True) for column in columns]


def merged_refs(merged: Merged, role: int) -> list[Ref]:
    """What a USING column reads: the kept side, or both for a FULL join."""
    if role == VALUE:
        return [*merged.left, *merged.right]
    return [ref._replace(role=role) for ref in (*merged.left, *merged.right)]


def _not_found(
    binder: Binder, identifier: exp.Expr, name: str, key: str, scope: Scope, role: int
) -> list[Ref]:
    if (
        key in binder.variables
        or _is_time_part(identifier)
        or (name.lower() in _NILADIC and not identifier.args.get("quoted"))
    ):
        return []
    visible = [source.relation for source in scope.sources if source.visible]
    if key in binder.dialect.pseudo_columns or key.lower() in binder.dialect.pseudo_columns:
        return [Ref(_assumed(visible[0], name, key), role)] if visible else []
    if not visible and scope.parent is None and not scope.prefers_projection:
        binder.report(
            IssueCode.UNRESOLVED_REFERENCE,
            f"column `{name}` is used, but there is no table in scope",
            at=identifier,
            column=name,
        )
        return []
    return _unknown_column(binder, identifier, name, key, visible, role)


def _is_time_part(identifier: exp.Expr) -> bool:
    """`timediff(HOUR, a, b)`: a unit where a column could stand."""
    column = identifier.parent
    call = column.parent if column is not None else None
    return (
        isinstance(call, exp.Func)
        and identifier.name.lower() in _TIME_PARTS
        and not identifier.args.get("quoted")
    )


def _unknown_column(
    binder: Binder,
    identifier: exp.Expr,
    name: str,
    key: str,
    relations: list[Relation],
    role: int,
) -> list[Ref]:
    known = [column.name for relation in relations for column in binder.column_names(relation)]
    close = nearest(name, known)
    relation = relations[0] if len(relations) == 1 else None
    dropped = relation.entry.dropped_columns.get(key) if relation and relation.entry else None
    if dropped is not None:
        hint: str | None = f"dropped in statement {dropped}"
    elif close:
        hint = f"did you mean `{close}`?"
    else:
        hint = "add it to schema.tables, or correct the name"
    where = f"`{dotted(relation.name)}`" if relation else "no table in scope"
    binder.report(
        IssueCode.UNKNOWN_COLUMN,
        f"{where} has no column `{name}`" if relation else f"{where} has a column `{name}`",
        at=identifier,
        relation=relation,
        column=name,
        suggestions=[close] if close else [],
        hint=hint,
    )
    if relation is None:
        return []
    return [Ref(_assumed(relation, name, key), role, approximate=True)]


def _assumed(relation: Relation, name: str, key: str) -> Column:
    """A column the statement says exists."""
    column = Column(name, key)
    column.approximate = True
    column.inferred = True
    if relation.entry is None and relation.complete:
        # A derived table's list is what it is: do not widen it for later stars.
        column.relation = relation
        relation.index.setdefault(key, column)
        relation.extra.append(column)
        return column
    return relation.add(column)


# -- qualified ---------------------------------------------------------------------------------


def _simply_qualified(
    binder: Binder, qualifier: exp.Expr, identifier: exp.Expr, scope: Scope, role: int
) -> list[Ref]:
    """`t.c`, the usual form: found once, it is remembered as long as the scope has no new source."""
    key = (_key(binder, qualifier), _key(binder, identifier))
    remembered = scope.qualified.get(key)
    count = len(scope.sources)
    if remembered is not None and remembered[0] == count:
        return [Ref(remembered[1], role)]
    refs = _qualified(binder, [qualifier], identifier, scope, role)
    origin = refs[0].origin if len(refs) == 1 else None
    plain = isinstance(origin, Column) and not origin.inferred and refs[0].path is None
    if plain and isinstance(origin, Column) and scope.relation(key[0]) is not None:
        scope.qualified[key] = (count, origin)
    return refs


def _qualified(
    binder: Binder, parts: list[exp.Expr], identifier: exp.Expr, scope: Scope, role: int
) -> list[Ref]:
    level: Scope | None = scope
    while level is not None:
        found = addressed(binder, parts, level)
        if found is not None:
            relation, path = found
            chain = [*path, identifier]
            twins = _twins(binder, parts, identifier, level) if not path else []
            if len(twins) > 1:
                refs = _ambiguous(binder, identifier, twins, role)
            else:
                refs = _column_of(binder, relation, chain[0], chain[1:], role)
            _correlate(scope, level, refs)
            return refs
        level = level.parent
    return _struct_column(binder, [*parts, identifier], scope, role)


def _twins(
    binder: Binder, parts: list[exp.Expr], identifier: exp.Expr, scope: Scope
) -> list[Column]:
    """The columns a qualified name fits when two relations answer to its qualifier."""
    alias, key = _key(binder, parts[-1]), _key(binder, identifier)
    named = [source.relation for source in scope.sources if source.alias == alias]
    if len(named) < 2:
        return []
    written = tuple(
        binder.folding.table(part.name, quoted=bool(part.args.get("quoted"))) for part in parts
    )
    fitting = {
        id(relation): relation
        for relation in named
        if len(parts) == 1 or relation.name[-len(written) :] == written
    }
    found = [relation.find(key) for relation in fitting.values()]
    return [column for column in found if column is not None]


def field_of_row(
    binder: Binder, base: exp.Expr, path: list[exp.Expr], scope: Scope, role: int
) -> list[Ref] | None:
    """`(t).name`: a column of the row `t`; None when `t` is no row here."""
    level: Scope | None = scope if base.args.get("table") is None and path else None
    key = _key(binder, base.this) if level is not None else ""
    while level is not None:
        if any(source.relation.find(key) for source in level.sources if source.visible):
            return None
        relation = row_named(binder, key, level)
        if relation is not None:
            return _column_of(binder, relation, path[0], path[1:], role)
        level = level.parent
    return None


def addressed(
    binder: Binder, parts: list[exp.Expr], scope: Scope
) -> tuple[Relation, list[exp.Expr]] | None:
    """The relation the leading parts address, and the parts left over as a struct path."""
    if len(parts) == 1:
        relation = scope.relation(_key(binder, parts[0]))
        return (relation, []) if relation is not None else None
    written = tuple(
        binder.folding.table(part.name, quoted=bool(part.args.get("quoted"))) for part in parts
    )
    for source in scope.sources:
        name = source.relation.name
        if source.alias == _key(binder, parts[-1]) and (
            name[-len(written) :] == written
            or (len(name) < len(written) and written[-len(name) :] == name and len(name) > 1)
        ):
            return source.relation, []
    relation = scope.relation(_key(binder, parts[0]))
    if relation is not None:
        return relation, parts[1:]
    for source in scope.sources:
        shorter = written[:-1]
        if len(shorter) > 1 and source.relation.name[-len(shorter) :] == shorter:
            return source.relation, parts[-1:]
    last = scope.relation(_key(binder, parts[-1]))
    if (
        last is not None
        and last.entry is None
        and last.kind in {"table", "view"}
        and len(last.name) == 1
    ):
        return last, []
    return None


def _column_of(
    binder: Binder,
    relation: Relation,
    identifier: exp.Expr,
    path: list[exp.Expr],
    role: int,
) -> list[Ref]:
    key = _key(binder, identifier)
    column = relation.find(key)
    if column is None and not relation.complete:
        column = infer(binder, relation, identifier.name, key)
    if column is None:
        struct = _only_struct(relation, key)
        if struct is not None:
            return [
                Ref(struct, role, path=".".join([identifier.name, *(part.name for part in path)]))
            ]
        if key in binder.dialect.pseudo_columns or key.lower() in binder.dialect.pseudo_columns:
            return [Ref(_assumed(relation, identifier.name, key), role)]
        return _unknown_column(binder, identifier, identifier.name, key, [relation], role)
    if key in relation.duplicates and relation.entry is None and not _are_copies(relation, key):
        same = [candidate for candidate in relation.columns if candidate.key == key]
        return _ambiguous(binder, identifier, same, role)
    return [
        Ref(
            column,
            role,
            column.approximate and column.inferred,
            ".".join(p.name for p in path) or None,
        )
    ]


def _only_struct(relation: Relation, key: str) -> Column | None:
    """BigQuery's `UNNEST(array_of_struct) AS x`: `x.field` goes into the one column `x`."""
    if (
        relation.local_kind == "lateral"
        and len(relation.columns) == 1
        and relation.columns[0].key != key
    ):
        return relation.columns[0]
    return None


def _struct_column(binder: Binder, chain: list[exp.Expr], scope: Scope, role: int) -> list[Ref]:
    """`a.b.c` where `a` is no relation: a field of column `a`, if there is such a column."""
    first = chain[0]
    key = _key(binder, first)
    path = ".".join(part.name for part in chain[1:])
    level: Scope | None = scope
    while level is not None:
        known = [source.relation.find(key) for source in level.sources if source.visible]
        columns = [column for column in known if column is not None]
        if columns:
            return [
                Ref(column, role, approximate=len(columns) > 1, path=path) for column in columns[:1]
            ]
        alias = level.aliases.get(key)
        if alias is not None:
            return [ref._replace(path=path, role=role or ref.role) for ref in alias.refs]
        level = level.parent
    sources = [source.relation for source in scope.sources if source.visible]
    if sources and key.lower() in binder.dialect.pseudo_columns:
        return [Ref(_assumed(sources[0], first.name, key), role, path=path)]
    unsure = [relation for relation in sources if not relation.complete]
    if len(unsure) == 1 and len(chain) >= 2 and binder.struct_paths:
        column = infer(binder, unsure[0], first.name, key)
        if column is not None:
            return [Ref(column, role, approximate=len(sources) > 1, path=path)]
    names = [source.alias for source in scope.sources]
    close = nearest(first.name, names)
    binder.report(
        IssueCode.UNRESOLVED_REFERENCE,
        f"`{dotted(part.name for part in chain[:-1])}` names no table in scope",
        at=chain[-2] if len(chain) > 1 else first,
        column=chain[-1].name,
        relation_name=dotted(part.name for part in chain[:-1]),
        suggestions=[close] if close else [],
        hint=f"did you mean `{close}`?" if close else None,
    )
    return []


def _whole_relation(binder: Binder, node: exp.Expr, scope: Scope, role: int) -> list[Ref]:
    """`f(t.*)`: every known column of the relation, or the relation itself."""
    parts = [
        node.args[part] for part in ("catalog", "db", "table") if node.args.get(part) is not None
    ]
    level: Scope | None = scope
    while level is not None:
        found = addressed(binder, parts, level)
        if found is not None:
            return relation_refs(found[0], role)
        level = level.parent
    return _struct_column(binder, [parts[0], *parts[1:]], scope, role) if len(parts) > 1 else []


def relation_refs(relation: Relation, role: int) -> list[Ref]:
    """All columns of a relation as inputs; the relation itself where columns are not known."""
    refs = [Ref(column, role) for column in relation.known()]
    if not relation.complete:
        refs.append(Ref(relation, role, approximate=True))
    return refs


# -- inference ---------------------------------------------------------------------------------


def infer(binder: Binder, relation: Relation, name: str, key: str, hops: int = 0) -> Column | None:
    """A column of a partly known relation, deduced from its use, down to the base tables."""
    known = relation.find(key)
    if known is not None:
        return known
    if relation.complete or hops > _MAX_HOPS:
        return None
    column = Column(name, key)
    column.inferred = True
    column.identity = True
    if relation.tails:
        column.refs = _through_tails(binder, relation, name, key, hops)
        column.approximate = any(ref.approximate for ref in column.refs)
        if not column.refs:
            return None
    elif relation.arguments:
        column.refs = relation.arguments
        column.identity = False
    return relation.add(column)


def _through_tails(binder: Binder, relation: Relation, name: str, key: str, hops: int) -> list[Ref]:
    """Where a column behind a relation's open tails may come from; several origins are a guess."""
    if key in relation.inferring:
        return []
    relation.inferring.add(key)
    origins = [
        infer(binder, tail.relation, name, key, hops + 1)
        for tail in relation.tails
        if key not in tail.excluded
    ]
    relation.inferring.discard(key)
    found = [origin for origin in origins if origin is not None]
    return [Ref(origin, approximate=origin.approximate or len(found) > 1) for origin in found]
