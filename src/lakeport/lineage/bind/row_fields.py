"""Fields of values that a query put together: `r.a` where `r` is a row, or a struct of columns.

`ARRAY_AGG(t ORDER BY x LIMIT 1)[OFFSET(0)] AS r` keeps one row of `t`, so `r.a` comes from `t.a` and not
from every column. A field becomes a column of its own, `r.a`, beside the one it belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.infer import infer
from lakeport.lineage.bind.scope import AGGREGATE, SORT, Column, Ref, Relation
from lakeport.lineage.bind.struct_fields import (
    part_named,
    query_inside,
    row_field,
    written_parts,
)

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.struct_fields import Part
    from lakeport.lineage.types import SqlType

_Field: TypeAlias = "tuple[list[Ref], SqlType | None]"
# What a row goes through and is still a row, or a list of rows.
AROUND = (
    exp.AnyValue,
    exp.ArgMax,
    exp.ArgMin,
    exp.ArrayAgg,
    exp.Bracket,
    exp.First,
    exp.HavingMax,
    exp.IgnoreNulls,
    exp.Last,
    exp.Limit,
    exp.Order,
    exp.Paren,
    exp.RespectNulls,
)


def field_ref(binder: Binder, column: Column, path: str, role: int) -> Ref | None:
    """The field at the beginning of a path into a column, if the query tells what it is made of."""
    name, _, rest = path.partition(".")
    field = field_column(binder, column, name)
    return None if field is None else Ref(field, role, path=rest or None)


def field_column(binder: Binder, column: Column, name: str) -> Column | None:
    """One field of a value that a query of the statement put together."""
    part, handed = binder.folding.column(name), dict[int, Column]()
    current, made = column, None
    while made is None:
        owner = current.relation
        if owner is None or owner.local_kind is None or not current.refs or id(current) in handed:
            return None
        made = binder.row_fields.get((id(current), part))
        if made is None and current.identity and len(current.refs) == 1:
            origin = current.refs[0].origin
            if not isinstance(origin, Column) or current.refs[0].path:
                return None
            handed[id(current)], current = current, origin
        elif made is None:
            field = field_inputs(binder, current, name)
            if field is None:
                return None
            made = _added(binder, owner, current, name, field)
    for copy in reversed(handed.values()):
        if copy.relation is not None:
            made = _added(binder, copy.relation, copy, name, ([Ref(made)], made.type))
    return made


def _added(binder: Binder, owner: Relation, column: Column, name: str, field: _Field) -> Column:
    """A column for the field beside the one it belongs to."""
    part = binder.folding.column(name)
    made = Column(f"{column.name}.{name}", f"{column.key}.{part}", owner)
    made.refs, made.identity = field[0], column.identity
    made.type, made.typed = field[1], True
    made.approximate = any(ref.approximate for ref in made.refs)
    owner.extra = (*owner.extra, made)
    binder.row_fields[id(column), part] = made
    return made


def row_behind(column: Column) -> Relation | None:
    """The relation whose row a column is, through the queries that hand it on."""
    while column.identity and len(column.refs) == 1:
        origin = column.refs[0].origin
        if not isinstance(origin, Column) or column.refs[0].path:
            return None
        column = origin
    node = value_inside(column.expression)
    if not isinstance(node, exp.Column) or node.args.get("table") is not None:
        return None
    values = [ref for ref in column.refs if ref.role <= AGGREGATE]
    if not values:
        return None
    first = values[0].origin
    relation = first.relation if isinstance(first, Column) else first
    if relation is None:
        return None
    # All of its columns, in order, or what there is of them and the relation itself.
    origins = [ref.origin for ref in values]
    whole: list[Column | Relation] = [*relation.known()]
    if not relation.complete:
        whole = [origin for origin in origins if isinstance(origin, Column)]
        whole.append(relation)
    return relation if origins == whole else None


def field_inputs(binder: Binder, column: Column, name: str) -> _Field | None:
    """The inputs of a field and its type, where the value is put together."""
    struct = value_inside(column.expression)
    parts = written_parts(binder, struct)
    if parts is not None:
        return _field_of_struct(binder, column, parts, name)
    made = row_field(binder, query_inside(struct), name) if binder.struct_rows else None
    if made is not None:
        return made.refs, binder.types.of_column(made)
    relation = row_behind(column)
    if relation is None:
        return None
    key = binder.folding.column(name)
    found = relation.find(key) or infer(binder, relation, name, key)
    if found is None:
        return None
    role = max(ref.role for ref in column.refs if ref.role <= AGGREGATE)
    choosing = [ref for ref in _choosing(binder, column) if ref.origin is not found]
    return [Ref(found, role, derived=True), *choosing], binder.types.of_column(found)


def _choosing(binder: Binder, column: Column) -> list[Ref]:
    """What chooses a row decides about each of its fields; it may be a column of that row, too."""
    node = column.expression
    found = list(node.find_all(exp.Ordered, exp.HavingMax)) if node is not None else []
    ordered = [item.expression if isinstance(item, exp.HavingMax) else item for item in found]
    keys = {binder.key(used.this) for item in ordered for used in item.find_all(exp.Column)}
    return [
        ref if ref.role > AGGREGATE else replace(ref, role=SORT)
        for ref in column.refs
        if ref.role > AGGREGATE or (isinstance(ref.origin, Column) and ref.origin.key in keys)
    ]


def value_inside(node: exp.Expr | None) -> exp.Expr | None:
    """What is a row, or a list of rows, without what only chooses among them."""
    while isinstance(node, AROUND):
        node = node.this
    return node


def _field_of_struct(binder: Binder, column: Column, parts: list[Part], name: str) -> _Field | None:
    """The inputs of the struct that its field names; None if one cannot be told from another."""
    part = part_named(binder, parts, name)
    if part is None or any(part.value.find_all(exp.Query, exp.Star)):
        return None
    used = list(part.value.find_all(exp.Column))
    values = [ref for ref in column.refs if ref.role <= AGGREGATE]
    found = _called(binder, values, used) or _bound(binder, values, used)
    if found is None:
        return None
    meant = {id(ref) for ref in found}
    kept = [ref for ref in column.refs if ref.role > AGGREGATE or id(ref) in meant]
    return kept, binder.types.of(part.value)


def _called(binder: Binder, values: list[Ref], used: list[exp.Column]) -> list[Ref] | None:
    """The inputs of these names, if there is one for each."""
    keys = {binder.key(node.this) for node in used}
    found = [ref for ref in values if isinstance(ref.origin, Column) and ref.origin.key in keys]
    return found if len(found) == len(keys) else None


def _bound(binder: Binder, values: list[Ref], used: list[exp.Column]) -> list[Ref] | None:
    """The inputs that qualified names were bound to: columns of several tables have one name."""
    origins = set()
    for node in used:
        ref = binder.types.bound.get(id(node))
        if ref is None or node.args.get("table") is None:
            return None
        origins.add(id(ref.origin))
    found = [ref for ref in values if id(ref.origin) in origins]
    return found if len(found) == len(origins) else None
