"""Which column feeds which, as the last run of each environment knew it, and what was wrong with its SQL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import delete, insert, select, union

from lakeport.core.names import TableName
from lakeport.state.database import Database
from lakeport.state.tables import EDGES, ISSUES
from lakeport.state.texts import storable

_LONGEST = 10_000
_PIECE = 1_000


class StoredEdge(NamedTuple):
    """`kind` is the edge's in the words of lineage; `approximate` ones may not be all there are."""

    source: TableName
    source_column: str
    target: TableName
    target_column: str
    kind: str = "data_flow"
    approximate: bool = False


class StoredIssue(NamedTuple):
    """About the model of a table, at a place of its file."""

    table: TableName
    code: str
    severity: str
    message: str
    hint: str | None = None
    path: str | None = None
    line: int | None = None
    column: int | None = None


class LineageTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        catalog: str,
        environment: str | None,
        edges: Iterable[StoredEdge],
        issues: Iterable[StoredIssue],
    ) -> None:
        """In place of what was known of this environment, at once."""
        place = {"catalog": catalog, "environment": environment or ""}
        rows = {
            EDGES: [place | _edge_row(edge) for edge in edges],
            ISSUES: [place | _issue_row(issue) for issue in issues],
        }
        with self._database.changing() as connection:
            for table, new in rows.items():
                mine = (table.c.catalog == catalog) & (table.c.environment == place["environment"])
                connection.execute(delete(table).where(mine))
                for start in range(0, len(new), _PIECE):
                    connection.execute(insert(table), new[start : start + _PIECE])

    def environments(self, catalog: str) -> list[str | None]:
        asked = union(
            *(
                select(each.c.environment).where(each.c.catalog == catalog)
                for each in (EDGES, ISSUES)
            )
        )
        with self._database.reading() as connection:
            return [name or None for name in sorted(connection.execute(asked).scalars())]

    def edges(self, catalog: str, environment: str | None = None) -> list[StoredEdge]:
        """In the order in which they were given."""
        mine = (EDGES.c.catalog == catalog) & (EDGES.c.environment == (environment or ""))
        with self._database.reading() as connection:
            rows = connection.execute(select(EDGES).where(mine).order_by(EDGES.c.id)).all()
        return [
            StoredEdge(
                TableName(row.source_namespace, row.source_table),
                row.source_column,
                TableName(row.target_namespace, row.target_table),
                row.target_column,
                row.kind,
                bool(row.approximate),
            )
            for row in rows
        ]

    def issues(self, catalog: str, environment: str | None = None) -> list[StoredIssue]:
        """In the order in which they were given."""
        mine = (ISSUES.c.catalog == catalog) & (ISSUES.c.environment == (environment or ""))
        with self._database.reading() as connection:
            rows = connection.execute(select(ISSUES).where(mine).order_by(ISSUES.c.id)).all()
        return [
            StoredIssue(
                TableName(row.namespace, row.table),
                row.code,
                row.severity,
                row.message,
                row.hint,
                row.path,
                row.line,
                row.column,
            )
            for row in rows
        ]


def _edge_row(edge: StoredEdge) -> dict[str, object]:
    return storable(
        {
            "source_namespace": edge.source.namespace,
            "source_table": edge.source.table,
            "source_column": edge.source_column,
            "target_namespace": edge.target.namespace,
            "target_table": edge.target.table,
            "target_column": edge.target_column,
            "kind": edge.kind,
            "approximate": int(edge.approximate),
        },
        longest=_LONGEST,
    )


def _issue_row(issue: StoredIssue) -> dict[str, object]:
    row = {"namespace": issue.table.namespace, **issue._asdict(), "table": issue.table.table}
    return storable(row, longest=_LONGEST)
