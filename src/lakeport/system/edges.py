"""One column that feeds another, as tables and functions of lineage show it."""

from __future__ import annotations

import pyarrow as pa

from lakeport.state import StoredEdge
from lakeport.system.form import Column, Row

EDGE: tuple[Column, ...] = (
    ("environment", pa.string()),
    ("source_namespace", pa.string()),
    ("source_table", pa.string()),
    ("source_column", pa.string()),
    ("target_namespace", pa.string()),
    ("target_table", pa.string()),
    ("target_column", pa.string()),
    ("kind", pa.string()),
    ("approximate", pa.bool_()),
)


def edge_row(environment: str | None, edge: StoredEdge) -> Row:
    return {
        "environment": environment,
        "source_namespace": edge.source.namespace,
        "source_table": edge.source.table,
        "source_column": edge.source_column,
        "target_namespace": edge.target.namespace,
        "target_table": edge.target.table,
        "target_column": edge.target_column,
        "kind": edge.kind,
        "approximate": edge.approximate,
    }
