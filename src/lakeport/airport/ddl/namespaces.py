"""`create_schema` and `drop_schema`: namespaces made and dropped.

IF NOT EXISTS and CASCADE never reach a server: an existing namespace is ALREADY_EXISTS (unless the
server is told to take it for success), one that holds tables is FAILED_PRECONDITION.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from lakeport.airport.actions.registry import Desk
from lakeport.airport.caller import Caller
from lakeport.airport.ddl.answers import namespace_contents
from lakeport.airport.ddl.places import catalog_to_change
from lakeport.airport.listing import UNUSABLE_IN_DUCKDB
from lakeport.airport.wire.contents import schema_contents
from lakeport.airport.wire.fields import Fields
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import fold, quoted


@dataclass(frozen=True, slots=True)
class CreateSchema:
    catalog_name: str
    info: NamespaceInfo

    @classmethod
    def of(cls, fields: Fields) -> Self:
        info = NamespaceInfo(
            fields.required_text("schema"),
            fields.text("comment") or None,
            fields.text_map("tags"),
        )
        return cls(fields.text("catalog_name"), info)


@dataclass(frozen=True, slots=True)
class DropSchema:
    catalog_name: str
    name: str
    ignore_not_found: bool

    @classmethod
    def of(cls, fields: Fields) -> Self:
        check_kind(fields, "schema")
        schema_name = fields.text("schema_name")
        name = fields.text("name") or schema_name
        if schema_name and fold(schema_name) != fold(name):
            raise InvalidRequestError(
                f"{fields.what} names {quoted(name)} and {quoted(schema_name)}",
                hint="send the schema's name as `name`",
            )
        if not name:
            raise InvalidRequestError(f"{fields.what} needs `name`", hint="send a non-empty `name`")
        return cls(fields.text("catalog_name"), name, fields.flag("ignore_not_found"))


def create_schema(desk: Desk, caller: Caller, body: CreateSchema) -> bytes:
    name = body.info.name
    catalog = caller.visible.catalog(body.catalog_name)
    changing = catalog_to_change(caller, catalog, name)
    if caller.call.is_airport and fold(name) == UNUSABLE_IN_DUCKDB:
        raise InvalidRequestError(
            f"DuckDB keeps the name {quoted(name)} for itself and could not use the schema",
            hint="choose another name",
        )
    try:
        changing.create_namespace(body.info)
    except AlreadyExistsError:
        if not desk.existing_schema_ok:
            raise
        return namespace_contents(desk, caller, catalog, name)
    return schema_contents([])


def drop_schema(desk: Desk, caller: Caller, body: DropSchema) -> None:
    del desk
    catalog = caller.visible.catalog(body.catalog_name)
    changing = catalog_to_change(caller, catalog, body.name)
    sees_all = caller.identity.reads_all(catalog.name)
    try:
        changing.drop_namespace(body.name)
    except NotFoundError:
        if body.ignore_not_found:
            return
        if sees_all:
            raise
        raise NotFoundError(f"there is no namespace {quoted(body.name)}") from None
    except PreconditionError as error:
        if sees_all:
            raise
        # The catalog's own sentence names tables that this caller may not know of.
        raise PreconditionError(
            f"namespace {quoted(body.name)} is not empty", hint="drop its tables first"
        ) from error


def check_kind(fields: Fields, kind: str) -> None:
    given = fields.text("type") or kind
    if given != kind:
        raise InvalidRequestError(
            f"{fields.what}: `type` is {quoted(given)}", hint=f"send {quoted(kind)}, or nothing"
        )
