"""What a reader of rows is told: which columns are wanted, which rows, as of when.

All of it is a hint but `at` and `row_ids`: a reader that gives more columns, or rows that nobody asked
for, is right all the same, because conditions and the limit are applied to whatever it gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakeport.catalog.expressions import Expression
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Predicate
from lakeport.catalog.where import Mapped, Where, duckdb_of, where_of
from lakeport.core.timepoint import TimePoint


@dataclass(frozen=True, slots=True)
class Scan:
    """`columns` are what is shown and what the conditions read, in the table's own spelling.

    A row is wanted where `predicate` and `expression` are both TRUE; `where` gives them as SQL. With
    `row_ids` the row id is wanted, too.
    """

    columns: tuple[str, ...]
    predicate: Predicate | None = None
    expression: Expression | None = None
    limit: int | None = None
    at: TimePoint | None = None
    row_ids: bool = False

    @classmethod
    def of(
        cls, request: ScanRequest, columns: tuple[str, ...], predicate: Predicate | None
    ) -> Scan:
        is_whole = predicate is None and request.expression is None
        return cls(
            columns,
            predicate,
            request.expression,
            request.limit if is_whole else None,  # it counts rows that were chosen
            request.at,
            request.row_ids,
        )

    def where(self, columns: Mapping[str, Mapped] | None = None) -> Where:
        """The conditions for a database of one's own, wide enough to lose no row (`where.py`).

        `columns` says what a column is there: another name, an SQL expression (`sql("lower(x)")`), or None
        for what it does not have. Those that are not named are called as here.
        """
        return where_of(self.predicate, columns)

    def duckdb(self, columns: Mapping[str, Mapped] | None = None) -> str:
        """The same, and what only an engine can evaluate, as a condition for DuckDB."""
        return duckdb_of(self.predicate, self.expression, columns)
