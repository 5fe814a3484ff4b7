"""Changes of definitions, written as the actions of contract 000 that carry them to a server.

Every change is an action of its own, so it is a version of its own, too. What no action says is refused
here, before anything is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.airport.requested import from_path
from lakeport.airport.wire.packing import pack
from lakeport.app.lake.undo import undoing
from lakeport.catalog import changes
from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import Change
from lakeport.catalog.definition import COMMENT, Definition
from lakeport.catalog.evolution.define import define
from lakeport.catalog.expressions.constraint_sql import constraint_to_sql
from lakeport.catalog.ports import NamespaceInfo, OnConflict
from lakeport.core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName
from lakeport.flight.client import FlightClient
from lakeport.flight.messages import FlightInfo

Members: TypeAlias = dict[str, object]


class RemoteDdl:
    """`catalog` is one of the server's; None means its first."""

    def __init__(self, client: FlightClient, catalog: str | None = None) -> None:
        self._client = client
        self._catalog = catalog or ""

    def create_namespace(self, info: NamespaceInfo) -> None:
        self._client.act(
            "create_schema",
            self._body(
                {"schema": info.name, "comment": info.comment, "tags": dict(info.properties)}
            ),
        )

    def drop_namespace(self, name: str) -> None:
        self._client.tell("drop_schema", self._body({"type": "schema", "name": name}))

    def create_table(
        self, name: TableName, definition: Definition, on_conflict: OnConflict = "error"
    ) -> TableName:
        """The name as it is spelled. What is wrong with the definition is said as it is said here."""
        body = self._body(
            {
                "schema_name": name.namespace,
                "table_name": name.table,
                "on_conflict": on_conflict,
                **_described(define(definition)),
            }
        )
        info = FlightInfo.decode(self._client.act("create_table", body))
        path = None if info.descriptor is None else info.descriptor.path
        return from_path(path).name if path else name

    def create_with_namespace(
        self, name: TableName, definition: Definition, on_conflict: OnConflict = "error"
    ) -> tuple[TableName, bool]:
        """Also whether its namespace had to be made, which goes again if the table cannot be made.

        The table is tried first: who may make it need not be allowed to make a namespace.
        """
        try:
            return self.create_table(name, definition, on_conflict), False
        except NotFoundError:
            is_made = self._ensure_namespace(name.namespace)
        with undoing(lambda: self.drop_namespace(name.namespace)) if is_made else nullcontext():
            return self.create_table(name, definition, on_conflict), is_made

    def drop_table(self, name: TableName) -> None:
        body = {"type": "table", "schema_name": name.namespace, "name": name.table}
        self._client.tell("drop_table", self._body(body))

    def rename_table(self, name: TableName, to: str) -> TableName:
        self._client.act("rename_table", self._about(name, {"new_table_name": to}))
        return TableName(name.namespace, to)

    def alter(self, name: TableName, change: Change) -> None:
        action, body = _action(change)
        self._client.act(action, self._about(name, body))

    def _ensure_namespace(self, name: str) -> bool:
        """Whether it had to be made."""
        try:
            self.create_namespace(NamespaceInfo(name))
        except AlreadyExistsError:  # another program was faster
            return False
        return True

    def _body(self, members: Mapping[str, object]) -> bytes:
        return pack({"catalog_name": self._catalog, **members})

    def _about(self, name: TableName, members: Mapping[str, object]) -> bytes:
        """The ALTERs spell these names otherwise."""
        base = {"catalog": self._catalog, "schema": name.namespace, "name": name.table}
        return pack({**base, **members})


def _described(definition: Definition) -> Members:
    if definition.properties:
        raise UnsupportedError(
            "a table's properties cannot be sent to a server", hint="leave them out"
        )
    comment = {} if definition.comment is None else {COMMENT: definition.comment.encode()}
    return {
        "arrow_schema": _bytes(definition.schema.with_metadata(comment)),
        "extra_constraints": [constraint_to_sql(each) for each in definition.constraints],
        "partitioned_by": list(definition.partitioned_by),
        "sorted_by": list(definition.sorted_by),
    }


def _action(change: Change) -> tuple[str, Members]:
    known = _ACTIONS.get(type(change))
    is_nested = isinstance(change, changes.RelaxColumn) and len(change.path) > 1
    if known is None or is_nested:
        raise UnsupportedError(
            f"{type(change).__name__} is no change that can be sent to a server",
            hint="make it where the lake is, with `lakeport.open`",
        )
    action, members = known
    return action, members(change)


def _one(column: Field) -> bytes:
    return _bytes(pa.schema([column]))


def _bytes(schema: pa.Schema) -> bytes:
    return bytes(schema.serialize())


_ACTIONS: dict[type, tuple[str, Callable[[Any], Members]]] = {
    changes.AddColumn: (
        "add_column",
        lambda it: {"column_schema": _one(it.column), "if_column_not_exists": it.if_absent},
    ),
    changes.AddField: (
        "add_field",
        lambda it: {
            "column_path": list(it.parent),
            "column_schema": _one(it.field),
            "if_field_not_exists": it.if_absent,
        },
    ),
    changes.DropColumn: (
        "remove_column",
        lambda it: {
            "removed_column": it.name,
            "if_column_exists": it.if_exists,
            "cascade": it.cascade,
        },
    ),
    changes.DropField: (
        "remove_field",
        lambda it: {
            "column_path": list(it.path),
            "if_column_exists": it.if_exists,
            "cascade": it.cascade,
        },
    ),
    changes.RenameColumn: (
        "rename_column",
        lambda it: {"old_name": it.name, "new_name": it.to},
    ),
    changes.RenameField: (
        "rename_field",
        lambda it: {"column_path": list(it.path), "new_name": it.to},
    ),
    changes.ChangeType: (
        "change_column_type",
        lambda it: {
            "column_schema": _one(pa.field(it.name, it.to, metadata=dict(it.extension))),
            "expression": it.using or "",
        },
    ),
    changes.SetDefault: (
        "set_default",
        lambda it: {"column_name": it.name, "expression": it.expression},
    ),
    changes.RequireColumn: ("set_not_null", lambda it: {"column_name": it.name}),
    changes.RelaxColumn: ("drop_not_null", lambda it: {"column_name": it.path[0]}),
    changes.AddConstraint: (
        "add_constraint",
        lambda it: {"constraint": constraint_to_sql(it.constraint)},
    ),
}
