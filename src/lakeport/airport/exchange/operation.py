"""DoExchange: what its header `airport-operation` says, a statement or a function."""

from __future__ import annotations

from lakeport.airport.caller import Caller
from lakeport.airport.exchange.calls import call_scalar, pass_rows
from lakeport.airport.exchange.exchange import change
from lakeport.airport.exchange.kinds import Operation, operation_of
from lakeport.airport.exchange.statement import Statements
from lakeport.flight.service import Incoming, Outgoing


def exchange(statements: Statements, caller: Caller, incoming: Incoming) -> Outgoing:
    operation = operation_of(caller.call)
    if operation is Operation.SCALAR_FUNCTION:
        return call_scalar(statements, caller, incoming)
    if operation in {Operation.TABLE_FUNCTION, Operation.TABLE_FUNCTION_IN_OUT}:
        return pass_rows(statements, caller, incoming)
    return change(statements, caller, incoming)
