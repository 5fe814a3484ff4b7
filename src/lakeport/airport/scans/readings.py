"""One read, resolved: the rows of which state, shown in the columns of which.

The two differ where a client holds older columns than the table has. Columns are then matched by
name, which is what the user wrote; one that is gone or has changed its type cannot be shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from lakeport.airport.announce import announced_schema, has_row_id
from lakeport.airport.scans.layouts import lost_column
from lakeport.airport.visible import Found
from lakeport.airport.wire_types import wire_type
from lakeport.catalog.definition import column_index
from lakeport.catalog.ports import TableState
from lakeport.core.timepoint import TimePoint


@dataclass(frozen=True, slots=True)
class Reading:
    """`at` is how a scan is told of the state that is read; None for the head."""

    found: Found
    rows: TableState
    layout: TableState
    at: TimePoint | None = None

    @property
    def schema(self) -> pa.Schema:
        """What the stream declares: the layout's columns, the row id last."""
        return announced_schema(self.found.table, self.layout)

    @property
    def has_row_id(self) -> bool:
        return has_row_id(self.found.table, self.layout)

    def column(self, index: int) -> str:
        """The column of the rows read that the layout shows at this position."""
        wanted = self.layout.definition.schema.field(index)
        if self.layout is self.rows:
            return wanted.name
        schema = self.rows.definition.schema
        found = column_index(schema, wanted.name)
        if found is None or wire_type(schema.field(found).type) != wire_type(wanted.type):
            raise lost_column(self.found, wanted.name)
        return schema.field(found).name
