"""Rows that come in: statements by DoExchange and DoPut, and functions that are called with rows."""

from lakeport.airport.exchange.operation import exchange
from lakeport.airport.exchange.put import put
from lakeport.airport.exchange.statement import Statements

__all__ = ["Statements", "exchange", "put"]
