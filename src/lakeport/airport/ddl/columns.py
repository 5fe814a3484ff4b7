"""Every other ALTER: the request is read straight into the change it asks for, and one handler makes it.

The answer is always the FlightInfo of the table after the change, also of a change that changed
nothing. `ignore_not_found` excuses a missing table and nothing else: neither column nor catalog.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lakeport.airport.actions.registry import Desk
from lakeport.airport.caller import Caller
from lakeport.airport.ddl.answers import changed_table
from lakeport.airport.ddl.arrow import column_in, unknown_extension
from lakeport.airport.ddl.places import context_of, table_to_change
from lakeport.airport.wire.fields import Fields
from lakeport.catalog import changes
from lakeport.catalog.changes import Change, Path
from lakeport.catalog.expressions.constraint_sql import constraint_from_sql
from lakeport.catalog.geometry import WKB
from lakeport.catalog.ports import Alterable, require
from lakeport.core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName, fold, quoted
from lakeport.flight.messages import FlightInfo

GEOMETRY = WKB.decode()


@dataclass(frozen=True, slots=True)
class Alteration:
    catalog: str
    name: TableName
    ignore_not_found: bool
    change: Change


def altering(read: Callable[[Fields], Change]) -> Callable[[Fields], Alteration]:
    """The reader of a whole request, of which `read` understands what is its action's own."""

    def of(fields: Fields) -> Alteration:
        name = TableName(fields.required_text("schema"), fields.required_text("name"))
        return Alteration(
            fields.text("catalog"), name, fields.flag("ignore_not_found"), read(fields)
        )

    return of


def alter(desk: Desk, caller: Caller, body: Alteration) -> FlightInfo | None:
    catalog = caller.visible.catalog(body.catalog)
    try:
        found = table_to_change(caller, catalog, body.name)
    except NotFoundError:
        if body.ignore_not_found:
            return None
        raise
    table = require(found.table, Alterable, f"table {quoted(str(found.table.name))}")
    with caller.seeing(found):
        state = table.alter([body.change], context_of(caller))
    return changed_table(desk, caller, body.catalog, found, state)


# -- what each action asks for -------------------------------------------------------------------


def add_column(fields: Fields) -> Change:
    if_absent = fields.flag("if_column_not_exists")
    return changes.AddColumn(column_in(fields, "column_schema"), if_absent=if_absent)


def remove_column(fields: Fields) -> Change:
    return changes.DropColumn(
        fields.required_text("removed_column"),
        if_exists=fields.flag("if_column_exists"),
        cascade=fields.flag("cascade"),
    )


def rename_column(fields: Fields) -> Change:
    return changes.RenameColumn(fields.required_text("old_name"), fields.required_text("new_name"))


def change_column_type(fields: Fields) -> Change:
    column = column_in(fields, "column_schema")
    extension = unknown_extension(column)
    if extension not in {None, GEOMETRY}:
        raise UnsupportedError(
            f"column {quoted(column.name)} cannot become {quoted(extension or '')} by ALTER",
            hint="add a column of that type and fill it by UPDATE",
        )
    return changes.ChangeType.to_column(column.name, column, fields.text("expression") or None)


def set_default(fields: Fields) -> Change:
    """An empty expression removes the DEFAULT: no SQL of DuckDB's says so, other clients may."""
    name = fields.required_text("column_name")
    if "expression" not in fields.values:
        raise InvalidRequestError(
            f"{fields.what} needs `expression`", hint="send SQL, or nil to have no DEFAULT"
        )
    return changes.SetDefault(name, fields.text("expression") or None)


def set_not_null(fields: Fields) -> Change:
    return changes.RequireColumn(fields.required_text("column_name"))


def drop_not_null(fields: Fields) -> Change:
    return changes.RelaxColumn((fields.required_text("column_name"),))


def add_field(fields: Fields) -> Change:
    """DuckDB loses the new field's name on the way and sends that of the column instead (chapter 4)."""
    parent, field = _path(fields), column_in(fields, "column_schema")
    if fold(field.name) == fold(parent[0]):
        raise InvalidRequestError(
            f"{fields.what} does not carry the name of the new field",
            hint="DuckDB's client does not send it: recreate the column, or use another client",
        )
    return changes.AddField(parent, field, if_absent=fields.flag("if_field_not_exists"))


def remove_field(fields: Fields) -> Change:
    return changes.DropField(
        _path(fields),
        if_exists=fields.flag("if_column_exists"),
        cascade=fields.flag("cascade"),
    )


def rename_field(fields: Fields) -> Change:
    return changes.RenameField(_path(fields), fields.required_text("new_name"))


def add_constraint(fields: Fields) -> Change:
    return changes.AddConstraint(constraint_from_sql(fields.required_text("constraint")))


def _path(fields: Fields) -> Path:
    path = fields.texts("column_path")
    if not path:
        raise InvalidRequestError(
            f"{fields.what} needs `column_path`", hint="send the column's name, then its fields'"
        )
    return path
