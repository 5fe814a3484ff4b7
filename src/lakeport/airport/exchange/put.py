"""DoPut for standard clients: a stream of rows is appended to a table, all or none of them.

The descriptor is a table's path or contract 001's JSON. Columns go by their names, and those that are
not sent get their DEFAULT, or NULL. With the header `lakeport-put: replace` the rows take the place of
all that are there. One PutResult comes when all is committed: its metadata is the last message of
DoExchange, msgpack `{"total_changed": n}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import put_kind_of
from lakeport.airport.exchange.statement import Statements
from lakeport.airport.requested import requested
from lakeport.flight.service import Incoming


def put(statements: Statements, caller: Caller, incoming: Incoming) -> Iterator[bytes]:
    kind = put_kind_of(caller.call)
    statement = statements.open(caller, requested(incoming.descriptor), kind)
    with statement.target.write:
        statement.take(incoming)
        written = statement.commit()
    yield statement.told(written)
