"""The `app_metadata` of a catalog object: what turns a FlightInfo into a table or function of DuckDB's.

An object without it is skipped by the client, one with an unknown `type` makes its whole schema fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from lakeport.airport.wire.packing import pack


@dataclass(frozen=True, slots=True)
class ObjectMetadata:
    """`catalog` must be spelled as the client attached it, the empty name included."""

    type: Literal["table", "table_function", "scalar_function"]
    catalog: str
    schema: str
    name: str
    comment: str | None = None
    description: str | None = None
    input_schema: pa.Schema | None = None
    extra_data: bytes | None = None

    def encode(self) -> bytes:
        inputs = None if self.input_schema is None else schema_bytes(self.input_schema)
        return pack(
            {
                "type": self.type,
                "catalog": self.catalog,
                "schema": self.schema,
                "name": self.name,
                "comment": self.comment,
                "description": self.description,
                "input_schema": inputs,
                "action_name": None,
                "extra_data": self.extra_data,
            }
        )


def schema_bytes(schema: pa.Schema) -> bytes:
    """The IPC schema message, as every field of the protocol carries schemas."""
    return schema.serialize().to_pybytes()
