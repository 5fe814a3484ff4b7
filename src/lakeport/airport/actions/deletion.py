"""Contract 001's `Delete`: rows by their ids, in JSON, for clients that send no exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import msgspec
import pyarrow as pa

from lakeport.airport.actions.registry import Desk, Entry
from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import Kind
from lakeport.airport.exchange.target import require_uuid
from lakeport.airport.requested import Requested
from lakeport.airport.wire.fields import Fields
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName

_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Delete:
    wanted: Requested
    row_ids: tuple[int, ...]
    table_uuid: str

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_json(body, what)
        name = TableName(fields.required_text("schema_name"), fields.required_text("table_name"))
        if "rowids" not in fields:
            raise InvalidRequestError(f"{what} needs `rowids`", hint="send an array of row ids")
        row_ids = fields.numbers("rowids")
        if any(each > _LARGEST for each in row_ids):
            raise InvalidRequestError(f"{what}: a row id is a 64-bit integer")
        wanted = Requested(name, catalog=fields.text("catalog_name") or None)
        return cls(wanted, row_ids, fields.text("table_uuid"))


def delete(desk: Desk, caller: Caller, body: Delete) -> object:
    statement = desk.statements.open(caller, body.wanted, Kind.DELETE)
    with statement.target.write:
        if body.table_uuid:
            require_uuid(statement.target.state, body.table_uuid)
        statement.count(len(body.row_ids))
        ids = pa.array(body.row_ids, pa.int64())
        statement.add(pa.RecordBatch.from_arrays([ids], schema=pa.schema([ROW_ID_FIELD])))
        return {"deleted": statement.commit().rows}


ENTRIES = (Entry("Delete", "Delete rows by rowid", Delete.decode, delete, msgspec.json.encode),)
