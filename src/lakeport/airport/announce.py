"""The schema a table is announced with: its columns, the row id, and what DuckDB reads in metadata.

Every FlightInfo, GetSchema and stream of a table has exactly this schema. The row id is the last
field in every layout: positions may differ between two layouts of a table, because a client's
descriptor says which one it holds (chapter 2.1), and statistics need it last (chapter 3.4).
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.airport.wire.packing import pack
from lakeport.airport.wire_types import wire_field
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.ports import Deletable, Scannable, Table, TableState, Updatable, is_able

CHECK_CONSTRAINTS = b"check_constraints"
STATISTICS = b"can_produce_statistics"


def announced_schema(table: Table, state: TableState, *, statistics: bool = False) -> pa.Schema:
    """`statistics` lets the client ask for them; an answer it cannot take fails its statement."""
    definition = state.definition
    fields = [wire_field(column) for column in definition.schema]
    if has_row_id(table, state):
        fields.append(ROW_ID_FIELD)
    metadata: dict[bytes | str, bytes | str] = {}
    if definition.checks:
        metadata[CHECK_CONSTRAINTS] = pack(
            {"constraints": [check.expression for check in definition.checks]}
        )
    if statistics:
        metadata[STATISTICS] = b"1"
    return pa.schema(fields, metadata=metadata or None)


def has_row_id(table: Table, state: TableState) -> bool:
    """What cannot be changed row by row needs none; what format 1 wrote has none (decision 22)."""
    numbered = state.version > 0 or state.snapshot_id is None
    changeable = is_able(table, Updatable) or is_able(table, Deletable)
    return numbered and changeable and is_able(table, Scannable)
