"""The order of models, what they read, which columns they make and whom a change reaches. No Spark."""

from __future__ import annotations

from lakeport.pipeline.graph.build import build_graph
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.graph.model import (
    AffectedColumn,
    AffectedRows,
    AuditNode,
    CatalogSchema,
    Column,
    ColumnEdge,
    GraphIssue,
    KnownTable,
    Node,
    ParameterUse,
    Qualifier,
    Query,
    Reference,
    ReferenceKind,
    RowEdge,
)
from lakeport.pipeline.graph.selection import Modified

__all__ = [
    "AffectedColumn",
    "AffectedRows",
    "AuditNode",
    "CatalogSchema",
    "Column",
    "ColumnEdge",
    "Graph",
    "GraphIssue",
    "KnownTable",
    "Modified",
    "Node",
    "ParameterUse",
    "Qualifier",
    "Query",
    "Reference",
    "ReferenceKind",
    "RowEdge",
    "build_graph",
]
