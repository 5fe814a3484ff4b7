"""The actions that change definitions: contract 000's, DuckDB's other ALTERs, contract 001's aliases, and
our own that bring dropped tables back.

An alias takes the same keys as JSON, bytes as base64, and yields the same bytes. Descriptions are
those of the contracts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from lakeport.airport.actions.registry import Entry
from lakeport.airport.ddl import columns
from lakeport.airport.ddl.columns import alter, altering
from lakeport.airport.ddl.namespaces import CreateSchema, DropSchema, create_schema, drop_schema
from lakeport.airport.ddl.tables import (
    CreateTable,
    DropTable,
    RenameTable,
    create_table,
    drop_table,
    rename_table,
)
from lakeport.airport.ddl.undrop import ListDropped, list_dropped, undrop
from lakeport.airport.wire.contents import contents_record
from lakeport.airport.wire.fields import Fields
from lakeport.airport.wire.packing import pack
from lakeport.airport.wire.questions import TableQuestion
from lakeport.catalog.changes import Change
from lakeport.flight.messages import FlightInfo

Q = TypeVar("Q")


def _packed(read: Callable[[Fields], Q]) -> Callable[[bytes, str], Q]:
    return lambda body, what: read(Fields.of_msgpack(body, what))


def _written(read: Callable[[Fields], Q]) -> Callable[[bytes, str], Q]:
    return lambda body, what: read(Fields.of_json(body, what))


def _contents(answer: bytes) -> bytes:
    return pack(contents_record(answer))


def _nothing(answer: None) -> None:
    return answer


def _info(answer: FlightInfo | None) -> bytes | None:
    return None if answer is None else answer.encode()


def _alter(name: str, description: str, read: Callable[[Fields], Change]) -> Entry[Any, Any]:
    return Entry(name, description, _packed(altering(read)), alter, _info)


ENTRIES: tuple[Entry[Any, Any], ...] = (
    Entry(
        "create_schema",
        "Create a new schema",
        _packed(CreateSchema.of),
        create_schema,
        _contents,
    ),
    Entry("drop_schema", "Drop an existing schema", _packed(DropSchema.of), drop_schema, _nothing),
    Entry("create_table", "Create a new table", _packed(CreateTable.of), create_table, _info),
    Entry("drop_table", "Drop an existing table", _packed(DropTable.of), drop_table, _nothing),
    Entry("rename_table", "Rename a table", _packed(RenameTable.of), rename_table, _info),
    _alter("add_column", "Add column to table", columns.add_column),
    _alter("remove_column", "Remove column from table", columns.remove_column),
    _alter("rename_column", "Rename a column", columns.rename_column),
    _alter("change_column_type", "Change column type", columns.change_column_type),
    _alter("set_not_null", "Add NOT NULL constraint", columns.set_not_null),
    _alter("drop_not_null", "Remove NOT NULL constraint", columns.drop_not_null),
    _alter("set_default", "Set column default value", columns.set_default),
    _alter("add_field", "Add field to struct column", columns.add_field),
    _alter("remove_field", "Remove field from struct column", columns.remove_field),
    _alter("rename_field", "Rename field in struct column", columns.rename_field),
    _alter("add_constraint", "Add constraint to table", columns.add_constraint),
    Entry(
        "CreateSchema",
        "Create a new schema",
        _written(CreateSchema.of),
        create_schema,
        _contents,
    ),
    Entry("DropSchema", "Drop an existing schema", _written(DropSchema.of), drop_schema, _nothing),
    Entry(
        "CreateTable",
        "Create a new table with Arrow schema",
        _written(CreateTable.of),
        create_table,
        _info,
    ),
    Entry("DropTable", "Drop an existing table", _written(DropTable.of), drop_table, _nothing),
    Entry(
        "AlterTableAddColumn",
        "Add a column to a table",
        _written(altering(columns.add_column)),
        alter,
        _info,
    ),
    Entry(
        "AlterTableDropColumn",
        "Drop a column from a table",
        _written(altering(columns.remove_column)),
        alter,
        _info,
    ),
    Entry(
        "ListDroppedTables",
        "List dropped tables that can be brought back",
        ListDropped.decode,
        list_dropped,
        msgspec.json.encode,
    ),
    Entry(
        "UndropTable",
        "Bring a dropped table back",
        TableQuestion.decode,
        undrop,
        msgspec.json.encode,
    ),
)
