"""DEFAULTs and constraints, which Iceberg lacks, in table properties: by field id, so that a rename by
another engine does not lose them.

`lakeport.defaults` is `{"3": "now()"}`; `lakeport.constraints` a list of `{"kind", "name", "columns"}`,
a CHECK with its `expression` too. `columns` are the names an entry uses with their ids; a name that now
belongs to another column, or to none, is brought up to date when read. An entry that cannot be read
becomes a CHECK that cannot be evaluated: rows can be read, and none is written unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Check, Constraint, PrimaryKey, Unique, default_of
from lakeport.catalog.expressions import column_names, rename_column
from lakeport.catalog.iceberg.types import Column
from lakeport.core.errors import LakeportError
from lakeport.core.names import NameMap, fold

DEFAULTS = "lakeport.defaults"
CONSTRAINTS = "lakeport.constraints"

_PRIMARY_KEY, _UNIQUE, _CHECK = "primary key", "unique", "check"


def write_defaults(columns: Iterable[Column], expressions: Mapping[str, str]) -> str | None:
    """`expressions` by column name; None when there are none."""
    by_name = NameMap(expressions.items())
    entries = {
        str(column.field.field_id): by_name[column.arrow.name]
        for column in columns
        if column.arrow.name in by_name
    }
    return _written(entries) if entries else None


def read_defaults(text: str | None) -> dict[int, str]:
    found = _read(text)
    if not isinstance(found, dict):
        return {}
    return {
        int(key): expression
        for key, expression in found.items()
        if key.isascii() and key.isdigit() and isinstance(expression, str)
    }


def default_expressions(columns: Iterable[Field]) -> dict[str, str]:
    """The DEFAULT of each Arrow field that has one."""
    defaults = ((column.name, default_of(column)) for column in columns)
    return {name: expression for name, expression in defaults if expression is not None}


def write_constraints(constraints: Sequence[Constraint], columns: Iterable[Column]) -> str | None:
    """None when there are none."""
    ids = NameMap((column.arrow.name, column.field.field_id) for column in columns)
    entries = [_entry(constraint, ids) for constraint in constraints]
    return _written(entries) if entries else None


def read_constraints(
    text: str | None, columns: Iterable[Column], *, is_current: bool = True
) -> tuple[Constraint, ...]:
    """Of an older schema, only those whose columns were there: nobody writes with it any more."""
    if text is None:
        return ()
    names = {column.field.field_id: column.arrow.name for column in columns}
    found = _read(text)
    if not isinstance(found, list):
        return (_unreadable("constraints", text),)
    return tuple(_constraint(e, names) for e in found if is_current or _field_ids(e) <= set(names))


def _field_ids(entry: object) -> set[int]:
    match entry:
        case {"columns": dict(ids)}:
            return {field_id for field_id in ids.values() if isinstance(field_id, int)}
    return set()


def _entry(constraint: Constraint, ids: Mapping[str, int]) -> dict[str, object]:
    if isinstance(constraint, Check):
        read = sorted(column_names(constraint.expression))
        columns = {name: ids[name] for name in read if name in ids}
        return {
            "kind": _CHECK,
            "name": constraint.name,
            "expression": constraint.expression,
            "columns": columns,
        }
    kind = _PRIMARY_KEY if isinstance(constraint, PrimaryKey) else _UNIQUE
    columns = {name: ids[name] for name in constraint.columns}
    return {"kind": kind, "name": constraint.name, "columns": columns}


def _constraint(entry: object, names: Mapping[int, str]) -> Constraint:
    match entry:
        case {
            "kind": "primary key" | "unique" as kind,
            "name": str(name),
            "columns": dict(ids),
        } if ids and _are_ids(ids):
            columns = tuple(names.get(field_id, before) for before, field_id in ids.items())
            return PrimaryKey(columns, name) if kind == _PRIMARY_KEY else Unique(columns, name)
        case {
            "kind": "check",
            "name": str(name),
            "expression": str(expression),
            "columns": dict(ids),
        } if _are_ids(ids):
            moved = {
                before: names[field_id]
                for before, field_id in ids.items()
                if field_id in names and fold(names[field_id]) != fold(before)
            }
            return Check(_renamed(expression, moved), name)
    return _unreadable("constraint", _written(entry))


def _are_ids(ids: Mapping[str, object]) -> bool:
    return all(isinstance(field_id, int) for field_id in ids.values())


def _renamed(expression: str, moved: Mapping[str, str]) -> str:
    """All at once: two columns may have changed places."""
    try:
        for at, before in enumerate(moved):
            expression = rename_column(expression, before, f"\x01{at}")
        for at, after in enumerate(moved.values()):
            expression = rename_column(expression, f"\x01{at}", after)
    except LakeportError:
        return expression  # nobody could evaluate it before, either
    return expression


def _unreadable(what: str, text: str) -> Check:
    return Check(f"unreadable {what}: {text}", f"unreadable {what}")


def _read(text: str | None) -> object:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def _written(entries: object) -> str:
    return json.dumps(entries, separators=(",", ":"), ensure_ascii=False)
