"""DuckDB's pushed-down filters: its JSON of a bound WHERE clause, as conditions of ours.

    pushed = parse_filters(json_filters, table_schema)
    ScanRequest(predicate=pushed.predicate, expression=pushed.expression)

The client applies its whole WHERE clause again, so a part that is not understood may be left out, but
no row that it would keep may be lost. `docs/reference/filters.md` says what is evaluated.
"""

from lakeport.airport.pushdown.parse import Pushed, parse_filters

__all__ = ["Pushed", "parse_filters"]
