"""DoPut for standard clients: a stream of rows is appended to a table, all or none of them.

The descriptor is a table's path or contract 001's JSON. Columns go by their names, and those that are
not sent get their DEFAULT, or NULL. One PutResult comes when all is committed: its metadata is the
last message of DoExchange, msgpack `{"total_changed": n}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import Kind
from lakeport.airport.exchange.statement import Statements
from lakeport.airport.requested import requested
from lakeport.airport.wire.packing import pack
from lakeport.flight.service import Incoming


def put(statements: Statements, caller: Caller, incoming: Incoming) -> Iterator[bytes]:
    statement = statements.open(caller, requested(incoming.descriptor), Kind.INSERT)
    with statement.target.write:
        statement.take(incoming)
        changed = statement.commit()
    yield pack({"total_changed": changed})
