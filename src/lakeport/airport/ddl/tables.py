"""`create_table`, `drop_table` and `rename_table`: tables made, dropped and called otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from lakeport.access import Ability
from lakeport.airport.actions.registry import Desk
from lakeport.airport.caller import Caller
from lakeport.airport.ddl.answers import changed_table, new_table
from lakeport.airport.ddl.definition import definition_in
from lakeport.airport.ddl.namespaces import check_kind
from lakeport.airport.ddl.places import (
    context_of,
    namespace_to_change,
    table_to_change,
)
from lakeport.airport.visible import Found
from lakeport.airport.wire.fields import Fields
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import OnConflict
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from lakeport.core.names import TableName, quoted
from lakeport.flight.messages import FlightInfo

_ON_CONFLICT: dict[str, OnConflict] = {"error": "error", "ignore": "ignore", "replace": "replace"}


@dataclass(frozen=True, slots=True)
class CreateTable:
    catalog_name: str
    name: TableName
    definition: Definition
    on_conflict: OnConflict

    @classmethod
    def of(cls, fields: Fields) -> Self:
        name = TableName(fields.required_text("schema_name"), fields.required_text("table_name"))
        word = fields.text("on_conflict") or "error"
        on_conflict = _ON_CONFLICT.get(word)
        if on_conflict is None:
            raise InvalidRequestError(
                f"{fields.what}: `on_conflict` is {quoted(word)}",
                hint="send error, ignore or replace",
            )
        return cls(fields.text("catalog_name"), name, definition_in(fields), on_conflict)


@dataclass(frozen=True, slots=True)
class DropTable:
    catalog_name: str
    name: TableName
    ignore_not_found: bool

    @classmethod
    def of(cls, fields: Fields) -> Self:
        check_kind(fields, "table")
        name = TableName(fields.required_text("schema_name"), fields.required_text("name"))
        return cls(fields.text("catalog_name"), name, fields.flag("ignore_not_found"))


@dataclass(frozen=True, slots=True)
class RenameTable:
    catalog: str
    name: TableName
    to: TableName
    ignore_not_found: bool

    @classmethod
    def of(cls, fields: Fields) -> Self:
        name = TableName(fields.required_text("schema"), fields.required_text("name"))
        to = TableName(name.namespace, fields.required_text("new_table_name"))
        return cls(fields.text("catalog"), name, to, fields.flag("ignore_not_found"))


def create_table(desk: Desk, caller: Caller, body: CreateTable) -> FlightInfo:
    catalog = caller.visible.catalog(body.catalog_name)
    namespace = namespace_to_change(caller, catalog, body.name)
    name, context = body.name.table, context_of(caller)
    try:
        # Whether it is new decides what the answer means, so making it is tried first.
        made = namespace.create_table(name, body.definition, context=context)
    except AlreadyExistsError:
        if body.on_conflict == "error":
            raise
    else:
        return new_table(desk, caller, body.catalog_name, Found(catalog, made))
    there = namespace.create_table(
        name, body.definition, on_conflict=body.on_conflict, context=context
    )
    found = Found(catalog, there)
    return changed_table(desk, caller, body.catalog_name, found, there.state())


def drop_table(desk: Desk, caller: Caller, body: DropTable) -> None:
    del desk
    catalog = caller.visible.catalog(body.catalog_name)
    try:
        namespace = namespace_to_change(caller, catalog, body.name)
        found = table_to_change(caller, catalog, body.name)
        namespace.drop_table(found.table.name.table)
    except NotFoundError:
        if not body.ignore_not_found:
            raise


def rename_table(desk: Desk, caller: Caller, body: RenameTable) -> FlightInfo | None:
    catalog = caller.visible.catalog(body.catalog)
    caller.identity.require(Ability.DDL, catalog.name, body.to.namespace, body.to.table)
    try:
        namespace = namespace_to_change(caller, catalog, body.name)
        found = table_to_change(caller, catalog, body.name)
        renamed = namespace.rename_table(found.table.name.table, body.to.table)
    except NotFoundError:
        if body.ignore_not_found:
            return None
        raise
    found = Found(catalog, renamed)
    return changed_table(desk, caller, body.catalog, found, renamed.state())
