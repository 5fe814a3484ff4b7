"""DuckDB's Airport protocol and the contracts for standard Flight clients, over any catalog.

No gRPC in sight: `AirportService` is a `FlightService`, and `flight` puts it on the wire.
"""
