"""What `lakeport tables`, `show` and `history` print, for `--server` and whoever else wants it.

JSON in, JSON out: an answer is what the command prints with `--json`, of what its caller may read. A
commit of `TableHistory` has `timestamp_ns`, `schema_id` and `parent_id` besides.
"""

from __future__ import annotations

import msgspec

from lakeport.airport.actions.registry import Desk, Entry
from lakeport.airport.caller import Caller
from lakeport.airport.named import named_table, visible_places
from lakeport.airport.wire.questions import TableQuestion, TablesQuestion
from lakeport.catalog.reports.description import TableDescription, describe_table
from lakeport.catalog.reports.history import Recorded, records_of
from lakeport.catalog.reports.listing import Listed, list_tables
from lakeport.catalog.views import table_or_view
from lakeport.core.errors import InvalidRequestError
from lakeport.core.timepoint import parse_point


def list_all(desk: Desk, caller: Caller, body: TablesQuestion) -> tuple[Listed, ...]:
    del desk
    catalog = caller.visible.catalog(body.catalog)
    return list_tables(visible_places(caller.visible, catalog, body.namespace), long=body.long)


def details(desk: Desk, caller: Caller, body: TableQuestion) -> TableDescription:
    del desk
    table = table_or_view(lambda: named_table(caller.visible, body.table, body.catalog))
    return describe_table(table, None if body.at is None else parse_point(body.at))


def history(desk: Desk, caller: Caller, body: TableQuestion) -> tuple[Recorded, ...]:
    del desk
    if body.at is not None:
        raise InvalidRequestError("a history is the whole one", hint="leave `at` out")
    return records_of(named_table(caller.visible, body.table, body.catalog))


ENTRIES = (
    Entry(
        "ListTables",
        "List tables with what is known of them",
        TablesQuestion.decode,
        list_all,
        msgspec.json.encode,
    ),
    Entry(
        "TableDetails",
        "Describe a table, now or at a point in time",
        TableQuestion.decode,
        details,
        msgspec.json.encode,
    ),
    Entry(
        "TableHistory",
        "List the snapshots of a table",
        TableQuestion.decode,
        history,
        msgspec.json.encode,
    ),
)
