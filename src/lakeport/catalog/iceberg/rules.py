"""DEFAULTs and constraints, which Iceberg lacks, in table properties: by field id, so that a rename by
another engine does not lose them.

`lakeport.defaults` is `{"3": "now()"}`; `lakeport.constraints` a list of `{"kind", "name", "columns"}`,
a CHECK with its `expression` and the `fields` inside columns that it reads, too. `columns` and `fields` are
the names an entry uses with their ids: a column that is called something else by now is found by its id
when the entry is read, and a new column never takes the place of one that is gone. An entry that cannot
be read becomes a CHECK that cannot be evaluated: rows can be read, and none is written unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyiceberg.types import ListType, MapType, NestedField, StructType

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import Path
from lakeport.catalog.definition import Check, Constraint, PrimaryKey, Unique, default_of
from lakeport.catalog.expressions import column_names, rename_column
from lakeport.catalog.expressions.fields import rename_field
from lakeport.catalog.iceberg.types import Column
from lakeport.core.errors import LakeportError
from lakeport.core.names import NameMap, fold

DEFAULTS = "lakeport.defaults"

_PRIMARY_KEY, _UNIQUE, _CHECK = "primary key", "unique", "check"
_ONE, _ALL = "constraint", "constraints"
_NOBODY = "\x01"  # begins no user's name


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


def write_constraints(
    constraints: Sequence[Constraint], columns: Iterable[Column], before: str | None = None
) -> str | None:
    """None when there are none. What `before` says is left as it is where it still means the same."""
    names = _Names.of(columns)
    known = _read(before)
    if constraints == (_unreadable(_ALL, before or ""),):
        return before
    kept = {
        _constraint(entry, names): entry for entry in (known if isinstance(known, list) else ())
    }
    entries = [kept.get(constraint) or _entry(constraint, names) for constraint in constraints]
    return _written(entries) if entries else None


def read_constraints(
    text: str | None, columns: Iterable[Column], *, is_current: bool = True
) -> tuple[Constraint, ...]:
    """Of an older schema, only those whose columns were there: nobody writes with it any more."""
    if text is None:
        return ()
    names = _Names.of(columns)
    found = _read(text)
    if not isinstance(found, list):
        return (_unreadable(_ALL, text),)
    return tuple(
        _constraint(entry, names)
        for entry in found
        if is_current or _field_ids(entry) <= names.columns.keys()
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """How columns, and the fields inside them, are called today, by id."""

    columns: Mapping[int, str]
    fields: Mapping[int, Path]

    @classmethod
    def of(cls, columns: Iterable[Column]) -> _Names:
        columns = tuple(columns)
        return cls(
            {column.field.field_id: column.arrow.name for column in columns},
            dict(
                found for column in columns for found in _inside(column.field, (column.arrow.name,))
            ),
        )

    def now(self, field_id: int, before: str) -> str:
        """Today's name of a column that was called `before`; nobody else's if it is gone."""
        known = self.columns.get(field_id)
        if known is not None:
            return known
        taken = {fold(name) for name in self.columns.values()}
        return f"{before} (dropped)" if fold(before) in taken else before


def _inside(field: NestedField, path: Path) -> Iterator[tuple[int, Path]]:
    """The fields of structs below a field, with the paths of `changes`."""
    match field.field_type:
        case StructType():
            for child in field.field_type.fields:
                below = (*path, child.name)
                yield child.field_id, below
                yield from _inside(child, below)
        case ListType():
            yield from _inside(field.field_type.element_field, (*path, "element"))
        case MapType():
            yield from _inside(field.field_type.value_field, (*path, "value"))


def _field_ids(entry: object) -> set[int]:
    match entry:
        case {"columns": dict(ids)}:
            return {field_id for field_id in ids.values() if isinstance(field_id, int)}
    return set()


def _entry(constraint: Constraint, names: _Names) -> dict[str, object]:
    ids = NameMap((name, field_id) for field_id, name in names.columns.items())
    if isinstance(constraint, Check):
        text = constraint.expression
        columns = {name: ids[name] for name in sorted(column_names(text)) if name in ids}
        entry: dict[str, object] = {
            "kind": _CHECK,
            "name": constraint.name,
            "expression": text,
            "columns": columns,
        }
        fields = {
            str(field_id): path
            for field_id, path in names.fields.items()
            if path[0] in columns and rename_field(text, path, _NOBODY) != text
        }
        return {**entry, "fields": fields} if fields else entry
    kind = _PRIMARY_KEY if isinstance(constraint, PrimaryKey) else _UNIQUE
    columns = {name: ids[name] for name in constraint.columns}
    return {"kind": kind, "name": constraint.name, "columns": columns}


def _constraint(entry: object, names: _Names) -> Constraint:
    match entry:
        case {
            "kind": "primary key" | "unique" as kind,
            "name": str(name),
            "columns": dict(ids),
        } if ids and _are_ids(ids):
            columns = tuple(names.now(field_id, before) for before, field_id in ids.items())
            return PrimaryKey(columns, name) if kind == _PRIMARY_KEY else Unique(columns, name)
        case {
            "kind": "check",
            "name": str(name),
            "expression": str(expression),
            "columns": dict(ids),
            **others,
        } if _are_ids(ids):
            text = _with_fields(expression, others.get("fields"), names)
            moved = {before: names.now(field_id, before) for before, field_id in ids.items()}
            return Check(_renamed(text, moved), name)
    return _unreadable(_ONE, _written(entry))


def _are_ids(ids: Mapping[str, object]) -> bool:
    return all(isinstance(field_id, int) for field_id in ids.values())


def _with_fields(expression: str, fields: object, names: _Names) -> str:
    """The expression with today's names of the fields inside columns."""
    moved: dict[int, dict[Path, str]] = {}
    for key, path in (fields if isinstance(fields, dict) else {}).items():
        now = names.fields.get(int(key)) if key.isascii() and key.isdigit() else None
        if now and isinstance(path, list) and path and fold(str(path[-1])) != fold(now[-1]):
            moved.setdefault(len(path), {})[tuple(map(str, path))] = now[-1]
    try:
        # The deepest first, while what they are in still has its old name.
        for depth in sorted(moved, reverse=True):
            expression = _with_siblings(expression, moved[depth])
    except LakeportError:
        return expression  # nobody could evaluate it before, either
    return expression


def _with_siblings(expression: str, moved: Mapping[Path, str]) -> str:
    """All at once: two fields may have changed places."""
    for at, path in enumerate(moved):
        expression = rename_field(expression, path, f"{_NOBODY}{at}")
    for at, (path, after) in enumerate(moved.items()):
        expression = rename_field(expression, (*path[:-1], f"{_NOBODY}{at}"), after)
    return expression


def _renamed(expression: str, moved: Mapping[str, str]) -> str:
    """All at once: two columns may have changed places."""
    moved = {before: after for before, after in moved.items() if fold(before) != fold(after)}
    try:
        for at, before in enumerate(moved):
            expression = rename_column(expression, before, f"{_NOBODY}{at}")
        for at, after in enumerate(moved.values()):
            expression = rename_column(expression, f"{_NOBODY}{at}", after)
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
