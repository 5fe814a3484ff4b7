"""Rows that change: DoExchange for DuckDB, DoPut for standard clients, statements for both."""

from lakeport.airport.exchange.exchange import exchange
from lakeport.airport.exchange.put import put
from lakeport.airport.exchange.statement import Statements

__all__ = ["Statements", "exchange", "put"]
