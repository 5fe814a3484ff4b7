"""Staging tables of runs that were killed: found by their age, and removed with their files."""

from __future__ import annotations

import time
from datetime import timedelta

from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName
from lakeport.pipeline.staging.stage import STAGING, discard
from lakeport.pipeline.target.head import last_change
from lakeport.pipeline.target.tables import Tables


def remove_leftovers(
    tables: Tables, older_than: timedelta, *, now: float | None = None
) -> tuple[TableName, ...]:
    """Those that nobody has written to for that long. Longer than any run takes, or it loses its rows."""
    engines = tables.engines
    try:
        names = [TableName(STAGING, table) for table in engines.tables(STAGING)]
    except NotFoundError:
        return ()
    latest = ((time.time() if now is None else now) - older_than.total_seconds()) * 1000
    removed = []
    for name in names:
        try:
            found = engines.load(engines.find(name))
        except NotFoundError:  # its run has just ended
            continue
        if last_change(found.metadata) <= latest:
            discard(tables, name)
            removed.append(name)
    return tuple(removed)
