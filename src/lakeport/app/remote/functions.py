"""A function of a server's, for Python programs: `lake.function("geo.area")`.

A table function is called with its arguments and gives rows. A scalar function is called over rows: their
columns are its arguments, by name where they have the names of its parameters, else in their order.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.airport.exchange.kinds import OPERATION_HEADER, Operation
from lakeport.airport.functions.asked import FunctionCall
from lakeport.app.lake.given import GivenRows, given_rows
from lakeport.catalog.arrow import Array
from lakeport.catalog.statements import batches_of
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.flight.client import FlightClient
from lakeport.flight.messages import FlightDescriptor

_ROWS = 16_384


class RemoteFunction:
    """Looked up with every call."""

    def __init__(self, client: FlightClient, name: str, catalog: str | None) -> None:
        namespace, dot, function = name.rpartition(".")
        if not dot or not namespace or not function:
            raise InvalidRequestError(
                f"{quoted(name)} is no function", hint="write NAMESPACE.FUNCTION"
            )
        self.name = name
        self._client = client
        self._call = FunctionCall(function, {}, namespace, catalog)

    def __repr__(self) -> str:
        return f"<lakeport function {self.name} at {self._client.target}>"

    def __call__(self, *arguments: Any, **named: Any) -> pa.Table:
        """The rows of a table function, called with values in order or by name."""
        with self.stream(*arguments, **named) as rows:
            return rows.read_all()

    def stream(self, *arguments: Any, **named: Any) -> BatchStream:
        """The same, batch by batch."""
        if arguments and named:
            raise InvalidRequestError(
                f"function {quoted(self.name)} was given arguments in order and by name",
                hint="give all of them in one way",
            )
        ticket = FunctionCall(
            self._call.function_name,
            arguments or named,
            self._call.schema_name,
            self._call.catalog_name,
        )
        return self._client.get(ticket.encode())

    def over(self, rows: GivenRows) -> Array:
        """The values of a scalar function, one for each row."""
        batches = batches_of(given_rows(rows), lambda: pa.schema([]))
        first = next(batches, None)
        if first is None:
            raise InvalidRequestError(f"function {quoted(self.name)} was given no rows")
        descriptor = FlightDescriptor(command=self._call.encode())
        header = (OPERATION_HEADER, Operation.SCALAR_FUNCTION)
        answers: list[pa.RecordBatch] = []
        with self._client.rounds(descriptor, first.schema, header) as rounds:
            for batch in (first, *batches):
                for start in range(0, batch.num_rows, _ROWS):
                    answers += rounds.ask(batch.slice(start, _ROWS))
            rounds.finish()
            declared = rounds.schema.field(0)
        columns = [answer.column(0) for answer in answers]
        return pa.concat_arrays(columns) if columns else pa.array([], declared.type)
