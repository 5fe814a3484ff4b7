"""All that is known of one table without reading a row of it: what `lakeport show` shows.

A table that lacks an ability has nothing to say there: no refs, no storage, no history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from lakeport.catalog.definition import (
    Check,
    Constraint,
    PrimaryKey,
    comment_of,
    default_of,
)
from lakeport.catalog.expressions import type_text
from lakeport.catalog.ports import (
    Referable,
    Storage,
    Stored,
    Table,
    TableState,
    Travelable,
    require,
)
from lakeport.catalog.reports.figures import UNKNOWN, Figures, figures_of
from lakeport.catalog.reports.history import Commit, history_of
from lakeport.catalog.views import View, ViewQuery, ViewTable
from lakeport.core.names import quoted
from lakeport.core.timepoint import TimePoint


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """`type` as DuckDB writes it, `arrow` as Arrow does."""

    name: str
    type: str
    arrow: str
    nullable: bool
    default: str | None
    comment: str | None


@dataclass(frozen=True, slots=True)
class RefDescription:
    name: str
    kind: str
    snapshot_id: int


@dataclass(frozen=True, slots=True)
class TableDescription:
    """`snapshot` is the one described: the newest, or that of the point asked for.

    A view has `queries` in place of rows, and `version` counts its definitions.
    """

    name: str
    uuid: str
    comment: str | None
    columns: tuple[ColumnDescription, ...]
    constraints: tuple[str, ...]
    partitioned_by: tuple[str, ...]
    sorted_by: tuple[str, ...]
    version: int
    schema_id: int
    snapshot: Commit | None
    snapshots: int
    figures: Figures
    refs: tuple[RefDescription, ...]
    storage: Storage | None
    properties: Mapping[str, str]
    kind: Literal["table", "view"] = "table"
    queries: tuple[ViewQuery, ...] = ()


def describe_table(table: Table, at: TimePoint | None = None) -> TableDescription:
    if isinstance(table, ViewTable) and at is None:
        return _describe_view(table.view)
    state = _state(table, at)
    definition = state.definition
    commits, snapshot, figures = _past(table, state)
    return TableDescription(
        name=str(state.name),
        uuid=state.uuid,
        comment=definition.comment,
        columns=_columns(definition.schema),
        constraints=tuple(constraint_text(constraint) for constraint in definition.constraints),
        partitioned_by=definition.partitioned_by,
        sorted_by=definition.sorted_by,
        version=state.version,
        schema_id=state.schema_id,
        snapshot=snapshot,
        snapshots=len(commits),
        figures=figures,
        refs=_refs(table),
        storage=table.storage() if isinstance(table, Stored) else None,
        properties=dict(definition.properties),
    )


def _describe_view(view: View) -> TableDescription:
    return TableDescription(
        name=str(view.name),
        uuid=view.uuid,
        comment=view.comment,
        columns=_columns(view.schema),
        constraints=(),
        partitioned_by=(),
        sorted_by=(),
        version=view.version,
        schema_id=view.version,
        snapshot=None,
        snapshots=0,
        figures=UNKNOWN,
        refs=(),
        storage=None,
        properties=dict(view.properties),
        kind="view",
        queries=view.queries,
    )


def constraint_text(constraint: Constraint) -> str:
    """As SQL would declare it."""
    match constraint:
        case Check():
            return f"CONSTRAINT {constraint.name} CHECK {_bracketed(constraint.expression)}"
        case PrimaryKey():
            return f"PRIMARY KEY ({', '.join(constraint.columns)})"
    return f"CONSTRAINT {constraint.name} UNIQUE ({', '.join(constraint.columns)})"


def _bracketed(expression: str) -> str:
    """In one pair of brackets: DuckDB writes most expressions with their own."""
    depth = 0
    for place, character in enumerate(expression):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            # The first bracket, if there is one, closes here.
            return expression if 0 < place == len(expression) - 1 else f"({expression})"
    return f"({expression})"


def _state(table: Table, at: TimePoint | None) -> TableState:
    if at is None:
        return table.state()
    return require(table, Travelable, f"table {quoted(str(table.name))}").state_at(at)


def _past(table: Table, state: TableState) -> tuple[tuple[Commit, ...], Commit | None, Figures]:
    """All commits, the one described, and how large the table was then."""
    if not isinstance(table, Travelable):
        return (), None, UNKNOWN
    commits = history_of(table)
    snapshot = next((c for c in commits if c.snapshot_id == state.snapshot_id), None)
    return commits, snapshot, figures_of(None if snapshot is None else snapshot.summary)


def _columns(schema: pa.Schema) -> tuple[ColumnDescription, ...]:
    return tuple(
        ColumnDescription(
            name=column.name,
            type=type_text(column),
            arrow=str(column.type),
            nullable=column.nullable,
            default=default_of(column),
            comment=comment_of(column),
        )
        for column in schema
    )


def _refs(table: Table) -> tuple[RefDescription, ...]:
    if not isinstance(table, Referable):
        return ()
    return tuple(RefDescription(ref.name, ref.kind, ref.snapshot_id) for ref in table.refs())
