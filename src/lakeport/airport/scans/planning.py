"""The plan of a scan is of the table that was looked at before it, or the whole of it is done again.

Looking at a table and planning a scan of it are two questions to the catalog, and others commit between
them: a column may have gone by then, or newer rows have come than a transaction may read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lakeport.airport.scans.readings import Reading
from lakeport.catalog.ports import Scannable, ScanPlan, ScanRequest, TableState, Travelable
from lakeport.core.errors import ConflictError, NotFoundError
from lakeport.core.names import quoted

T = TypeVar("T")

_ATTEMPTS = 3


class MovedError(ConflictError):
    """The table was changed while a scan of it was planned."""


def steadily(attempt: Callable[[], T]) -> T:
    """`attempt` looks at the table and plans; a few times, until nobody comes between."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return attempt()
        except MovedError:
            continue
    return attempt()


def plan_of(
    table: Scannable, request: ScanRequest, reading: Reading, *, same_rows: bool
) -> ScanPlan:
    """`same_rows`: the rows of the reading and no newer ones."""
    try:
        plan = table.plan(request)
    except NotFoundError as error:
        now, rows = reading.found.table.state(), reading.rows
        if (now.uuid, now.schema_id) == (rows.uuid, rows.schema_id):
            raise
        raise _moved(reading) from error
    require_unmoved(plan.state, reading, same_rows=same_rows)
    return plan


def require_unmoved(planned: TableState, reading: Reading, *, same_rows: bool) -> None:
    """That it is what was looked at before."""
    rows = reading.rows
    # Without a past it is read as it is.
    minded = same_rows and isinstance(reading.found.table, Travelable)
    if (planned.uuid, planned.schema_id) != (rows.uuid, rows.schema_id) or (
        minded and planned.snapshot_id != rows.snapshot_id
    ):
        raise _moved(reading)


def _moved(reading: Reading) -> MovedError:
    return MovedError(
        f"table {quoted(str(reading.found.table.name))} was changed while a scan of it was planned",
        hint="run the query again",
    )
