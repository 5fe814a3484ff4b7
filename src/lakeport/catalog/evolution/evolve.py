"""Schema changes planned: a definition and changes in, an `Evolution` or a reasoned refusal out.

Pure: no row is read here. What only the rows can answer (is there a NULL, does a CHECK hold) is written
down in the evolution for whoever holds them. Changes of one statement apply in order, each to what
the one before left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.catalog import changes as change
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import (
    Check,
    Constraint,
    Definition,
    PrimaryKey,
    check_column_name,
    check_type,
    column_index,
    default_of,
    require_column,
    with_comment,
    with_default,
)
from lakeport.catalog.evolution import dependents, nested
from lakeport.catalog.evolution.define import check_default, with_constraint
from lakeport.catalog.evolution.nested import (
    Cast,
    Edit,
    Same,
    Shape,
    child_at,
    edit_at,
    requires_inside,
)
from lakeport.catalog.evolution.plan import (
    ColumnSource,
    Computed,
    Converted,
    Evolution,
    Filled,
    Kept,
    Row,
    changes_values,
)
from lakeport.catalog.evolution.retype import retyped
from lakeport.catalog.evolution.widening import is_widening
from lakeport.catalog.rows.keys import check_key_type
from lakeport.core.errors import (
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import fold, quoted


def evolve(definition: Definition, changes: Sequence[change.Change]) -> Evolution:
    """What all changes together make of the table; the first one that cannot be refuses them all."""
    draft = _Draft(definition, tuple(Kept(index) for index in range(len(definition.schema))))
    for one in changes:
        draft = _STEPS[type(one)](draft, one)
    return Evolution(
        before=definition,
        definition=draft.definition,
        columns=draft.columns,
        must_not_be_null=_unproven_columns(definition, draft),
        constraints_to_check=_unproven_constraints(draft),
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """The table after the changes so far; `fresh` names the constraints that they added."""

    definition: Definition
    columns: tuple[ColumnSource, ...]
    fresh: frozenset[str] = field(default_factory=frozenset)

    @property
    def schema(self) -> pa.Schema:
        return self.definition.schema

    def with_definition(self, definition: Definition) -> _Draft:
        return replace(self, definition=definition)

    def with_column(self, index: int, column: Field, source: ColumnSource | None = None) -> _Draft:
        columns = list(self.columns)
        columns[index] = columns[index] if source is None else source
        schema = self.schema.set(index, column)
        return replace(
            self, definition=replace(self.definition, schema=schema), columns=tuple(columns)
        )

    def with_edited(self, path: change.Path, edit: Edit) -> _Draft:
        """`edit` applied to the column or field at `path`."""
        index = require_column(self.schema, path[0])
        before = self.schema.field(index)
        after, shape = edit_at(before, path[1:], edit)
        if after.type.equals(before.type, check_metadata=True):
            return self.with_column(index, after)
        return self.with_column(index, after, Converted(self.columns[index], shape, after.type))


# -- growth --------------------------------------------------------------------------------------


def _add_column(draft: _Draft, one: change.AddColumn) -> _Draft:
    column = one.column
    if column_index(draft.schema, column.name) is not None:
        if one.if_absent:
            return draft
        raise nested.taken("column", column.name)
    check_column_name(column.name)
    check_type(column.type, column.name)
    check_default(column)
    return replace(
        draft,
        definition=replace(draft.definition, schema=draft.schema.append(column)),
        columns=(*draft.columns, Filled(default_of(column), column.type)),
    )


def _add_field(draft: _Draft, one: change.AddField) -> _Draft:
    if not one.parent:
        return _add_column(draft, change.AddColumn(one.field, if_absent=one.if_absent))
    edit = nested.adding(one.field, ".".join(one.parent), if_absent=one.if_absent)
    return draft.with_edited(one.parent, edit)


def _widen(draft: _Draft, one: change.WidenColumn) -> _Draft:
    where = ".".join(_path(one.path))

    def widen(old: Field) -> tuple[Field, Shape]:
        if old.type.equals(one.to, check_metadata=True):
            return old, Same()
        if not is_widening(old.type, one.to):
            raise InvalidRequestError(
                f"{quoted(where)} cannot be widened from {old.type} to {one.to}:"
                " not every value would stay what it is",
                hint="change the type explicitly (ALTER … TYPE), which rewrites the column",
            )
        check_type(one.to, where)
        return old.with_type(one.to), Cast(widens=True)

    widened = draft.with_edited(one.path, widen)
    dependents.check_still_evaluated(widened.definition, one.path[0])
    return widened


def _relax(draft: _Draft, one: change.RelaxColumn) -> _Draft:
    path = _path(one.path)
    for key in draft.definition.keys:
        if len(path) == 1 and isinstance(key, PrimaryKey) and dependents.reads(key, path[0]):
            raise PreconditionError(
                f"column {quoted(path[0])} belongs to {dependents.named(key)}, so it stays NOT NULL",
                hint="drop the primary key first",
            )

    def relax(old: Field) -> tuple[Field, Shape]:
        return old.with_nullable(nullable=True), Same()

    return draft.with_edited(path, relax)


# -- columns by explicit wish --------------------------------------------------------------------


def _require(draft: _Draft, one: change.RequireColumn) -> _Draft:
    index = require_column(draft.schema, one.name)
    column = draft.schema.field(index)
    if pa.types.is_null(column.type):
        # Arrow has no such field, whether there are rows or not.
        raise InvalidRequestError(
            f"column {quoted(column.name)} has the type null and cannot be NOT NULL",
            hint="give it another type first",
        )
    return draft.with_column(index, column.with_nullable(nullable=False))


def _rename_column(draft: _Draft, one: change.RenameColumn) -> _Draft:
    index = require_column(draft.schema, one.name)
    column = draft.schema.field(index)
    if column.name == one.to:
        return draft
    check_column_name(one.to)
    if column_index(draft.schema, one.to) not in {None, index}:
        raise nested.taken("column", one.to)
    definition = dependents.renamed(draft.definition, (column.name,), one.to)
    return draft.with_definition(definition).with_column(index, column.with_name(one.to))


def _rename_field(draft: _Draft, one: change.RenameField) -> _Draft:
    path = _path(one.path)
    if len(path) == 1:
        return _rename_column(draft, change.RenameColumn(path[0], one.to))
    edited = draft.with_edited(path[:-1], nested.renaming(path[-1], one.to, ".".join(path[:-1])))
    followed = dependents.renamed(draft.definition, path, one.to)
    renamed = edited.with_definition(replace(followed, schema=edited.schema))
    dependents.check_still_evaluated(renamed.definition, path[0])
    return renamed


def _drop_column(draft: _Draft, one: change.DropColumn) -> _Draft:
    index = column_index(draft.schema, one.name)
    if index is None and one.if_exists:
        return draft
    index = require_column(draft.schema, one.name)
    if len(draft.schema) == 1:
        raise PreconditionError(
            f"{quoted(one.name)} is the table's only column", hint="drop the table instead"
        )
    found = dependents.of_column(draft.definition, one.name)
    _check_cascade("column", one.name, found, cascade=one.cascade)
    definition = dependents.dropped(draft.definition, found)
    return replace(
        draft,
        definition=replace(definition, schema=draft.schema.remove(index)),
        columns=draft.columns[:index] + draft.columns[index + 1 :],
    )


def _drop_field(draft: _Draft, one: change.DropField) -> _Draft:
    path = _path(one.path)
    if len(path) == 1:
        return _drop_column(
            draft, change.DropColumn(path[0], if_exists=one.if_exists, cascade=one.cascade)
        )
    if one.if_exists and not _exists(draft.schema, path):
        return draft
    edited = draft.with_edited(path[:-1], nested.dropping(path[-1], ".".join(path[:-1])))
    found = dependents.of_field(draft.definition, path, edited.schema)
    _check_cascade("field", ".".join(path), found, cascade=one.cascade)
    definition = dependents.dropped(draft.definition, found)
    return edited.with_definition(replace(definition, schema=edited.schema))


def _change_type(draft: _Draft, one: change.ChangeType) -> _Draft:
    index = require_column(draft.schema, one.name)
    column = draft.schema.field(index)
    check_type(one.to, column.name)
    changed = _typed(column, one.to, one.extension)
    source = retyped(Row(draft.schema, draft.columns), index, one)
    if source is None:
        return draft.with_column(index, changed)
    check_default(changed)
    for key in draft.definition.keys:
        if dependents.reads(key, column.name):
            check_key_type(changed)
    done = draft.with_column(index, changed, source)
    dependents.check_still_evaluated(done.definition, column.name)
    return done


def _set_default(draft: _Draft, one: change.SetDefault) -> _Draft:
    index = require_column(draft.schema, one.name)
    column = with_default(draft.schema.field(index), one.expression)
    check_default(column)
    return draft.with_column(index, column)


def _set_comment(draft: _Draft, one: change.SetComment) -> _Draft:
    if one.name is None:
        return draft.with_definition(replace(draft.definition, comment=one.comment))
    index = require_column(draft.schema, one.name)
    return draft.with_column(index, with_comment(draft.schema.field(index), one.comment))


# -- constraints ---------------------------------------------------------------------------------


def _add_constraint(draft: _Draft, one: change.AddConstraint) -> _Draft:
    definition = with_constraint(draft.definition, one.constraint)
    return replace(
        draft, definition=definition, fresh=draft.fresh | {definition.constraints[-1].name}
    )


def _drop_constraint(draft: _Draft, one: change.DropConstraint) -> _Draft:
    constraints = draft.definition.constraints
    left = tuple(c for c in constraints if fold(c.name) != fold(one.name))
    if len(left) == len(constraints):
        raise NotFoundError.among(
            "constraint", one.name, (c.name for c in constraints), where="the table"
        )
    return replace(
        draft,
        definition=replace(draft.definition, constraints=left),
        fresh=frozenset(c.name for c in left) & draft.fresh,
    )


# -- what the rows have to prove -----------------------------------------------------------------


def _unproven_columns(before: Definition, draft: _Draft) -> tuple[str, ...]:
    return tuple(
        column.name
        for column, source in zip(draft.schema, draft.columns, strict=True)
        if (not column.nullable and not _is_never_null(source, before.schema))
        or (requires_inside(column.type) and changes_values(source))
    )


def _is_never_null(source: ColumnSource, before: pa.Schema) -> bool:
    match source:
        case Kept():
            return not before.field(source.index).nullable
        case Filled() | Computed():
            return False
        case Converted():
            return _is_never_null(source.source, before)


def _unproven_constraints(draft: _Draft) -> tuple[Constraint, ...]:
    def is_unproven(constraint: Constraint) -> bool:
        if constraint.name in draft.fresh:
            return True
        # A wider type keeps keys apart but may change what an expression makes of the value.
        touched = (
            (lambda source: not isinstance(source, Kept))
            if isinstance(constraint, Check)
            else changes_values
        )
        return any(
            touched(source) and dependents.reads(constraint, column.name)
            for column, source in zip(draft.schema, draft.columns, strict=True)
        )

    return tuple(c for c in draft.definition.constraints if is_unproven(c))


# -- refusals ------------------------------------------------------------------------------------


def _check_cascade(kind: str, name: str, found: dependents.Dependents, *, cascade: bool) -> None:
    if found and not cascade:
        raise PreconditionError(
            f"{kind} {quoted(name)} is used by {found}",
            hint="drop it with CASCADE, which takes them along, or drop them first",
        )


def _path(path: change.Path) -> change.Path:
    if not path:
        raise InvalidRequestError(
            "the path of a column has no part", hint="name the column, then fields inside it"
        )
    return path


def _exists(schema: pa.Schema, path: change.Path) -> bool:
    try:
        child_at(schema.field(require_column(schema, path[0])), path[1:])
    except NotFoundError:
        return False
    return True


def _typed(column: Field, to: pa.DataType, extension: change.Extension = ()) -> Field:
    """The field with another type; an extension name in its metadata belonged to the old one."""
    told = column.metadata or {}
    kept: dict[bytes | str, bytes | str] = {
        key: value for key, value in told.items() if not key.startswith(change.EXTENSION)
    }
    kept.update(extension)
    return pa.field(column.name, to, nullable=column.nullable, metadata=kept or None)


_Step: TypeAlias = Callable[[_Draft, Any], _Draft]

_STEPS: dict[type[change.Change], _Step] = {
    change.AddColumn: _add_column,
    change.AddField: _add_field,
    change.WidenColumn: _widen,
    change.RelaxColumn: _relax,
    change.RequireColumn: _require,
    change.RenameColumn: _rename_column,
    change.RenameField: _rename_field,
    change.DropColumn: _drop_column,
    change.DropField: _drop_field,
    change.ChangeType: _change_type,
    change.SetDefault: _set_default,
    change.SetComment: _set_comment,
    change.AddConstraint: _add_constraint,
    change.DropConstraint: _drop_constraint,
}
