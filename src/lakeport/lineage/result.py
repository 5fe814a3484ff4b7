"""What an analysis answers: statements with their graphs, the global graph, issues, the schema used.

Lists are in a deterministic order, so equal requests give equal bytes. `encode_result` is the one
way to JSON; its `flowscope` style renames edge ends and kinds for consumers of that engine.
"""

# ruff: noqa: RUF012 - msgspec copies mutable defaults and reads annotations at run time

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from lakeport.lineage.issues import Issue, ResolutionSource
from lakeport.lineage.request import ColumnTag, FieldStyle, ForeignKey
from lakeport.lineage.wire import Record, Span, Wire

NodeType: TypeAlias = Literal["table", "view", "cte", "output", "column"]
EdgeType: TypeAlias = Literal[
    "ownership",
    "data_flow",
    "derivation",
    "join_dependency",
    "cross_statement",
    "indirect_dependency",
]
ClauseType: TypeAlias = Literal["WHERE", "HAVING", "JOIN_ON", "QUALIFY"]
Origin: TypeAlias = Literal["imported", "implied"]
TypeOrigin: TypeAlias = Literal["declared", "inferred"]


class Filter(Wire, frozen=True):
    """One conjunct of a predicate that mentions the relation it is attached to."""

    expression: str
    clause_type: ClauseType


class Aggregation(Wire, frozen=True):
    """How a column takes part in a grouping query."""

    is_grouping_key: bool
    function: str | None = None
    distinct: bool = False


class Node(Record):
    """A relation or a column inside one statement.

    Equal metadata is one map in many nodes: give a node another, never change the one it has.
    """

    id: str
    node_type: NodeType
    label: str
    qualified_name: str | None = None
    expression: str | None = None
    span: Span | None = None
    name_spans: Sequence[Span] = ()
    body_span: Span | None = None
    resolution_source: ResolutionSource | None = None
    filters: Sequence[Filter] = ()
    join_type: str | None = None
    join_condition: str | None = None
    aggregation: Aggregation | None = None
    description: str | None = None
    tags: Sequence[ColumnTag] = ()
    metadata: dict[str, Any] = {}


class Edge(Record):
    """A dependency between two nodes of one statement."""

    id: str
    source: str
    target: str
    edge_type: EdgeType
    expression: str | None = None
    operation: str | None = None
    join_type: str | None = None
    join_condition: str | None = None
    approximate: bool = False
    metadata: dict[str, Any] = {}


class LocalColumn(Wire, frozen=True):
    """An output column of a relation that lives inside one statement."""

    name: str
    data_type: str | None = None


class LocalRelation(Wire, frozen=True):
    """A CTE, derived table or lateral of one statement, with its columns."""

    name: str
    kind: Literal["cte", "derived", "lateral"]
    columns: list[LocalColumn]
    complete: bool = True
    span: Span | None = None


class StatementLineage(Record):
    """One statement: its kind, its graph and where it stands in its source."""

    statement_index: int
    statement_type: str
    nodes: list[Node]
    edges: list[Edge]
    span: Span
    join_count: int
    complexity_score: int
    source_name: str | None = None
    resolved_sql: str | None = None
    local_schema: list[LocalRelation] = []
    reads: list[str] = []
    writes: list[str] = []
    metadata: dict[str, Any] = {}


class CanonicalName(Wire, frozen=True):
    """A name in parts; never re-split a dotted string, parts may contain dots."""

    name: str
    catalog: str | None = None
    schema: str | None = None
    column: str | None = None


class StatementRef(Wire, frozen=True):
    """Where a global node occurs."""

    statement_index: int
    node_id: str | None = None


class GlobalNode(Record):
    """A relation or column over the whole workload."""

    id: str
    node_type: NodeType
    label: str
    canonical_name: CanonicalName
    statement_refs: list[StatementRef]
    resolution_source: ResolutionSource | None = None
    tags: Sequence[ColumnTag] = ()
    metadata: dict[str, Any] = {}


class GlobalEdge(Record):
    """A dependency over the whole workload."""

    id: str
    source: str
    target: str
    edge_type: EdgeType
    approximate: bool = False
    metadata: dict[str, Any] = {}
    producer_statement: int | None = None
    consumer_statement: int | None = None


class GlobalLineage(Record):
    """The graph of all statements, one node per canonical name."""

    nodes: list[GlobalNode]
    edges: list[GlobalEdge]


class IssueCount(Wire, frozen=True):
    """Issues by severity."""

    errors: int
    warnings: int
    infos: int


class TagCount(Wire, frozen=True):
    """How far a tag reaches."""

    tag: str
    columns: int
    tables: int
    sources: list[str] = []


class TagFlow(Wire, frozen=True):
    """From which columns a tag flows into which."""

    tag: str
    sources: list[str]
    targets: list[str]


class Summary(Record):
    """The numbers of one analysis."""

    statement_count: int
    table_count: int
    column_count: int
    join_count: int
    complexity_score: int
    issue_count: IssueCount
    has_errors: bool
    approximate_edge_count: int
    unresolved_table_count: int
    tag_counts: list[TagCount] = []
    tag_flows: list[TagFlow] = []


class ResolvedColumn(Wire, frozen=True):
    """A column as the analysis knows it in the end. `quoted`: unquoted, SQL would fold its name to another."""

    name: str
    data_type: str | None = None
    origin: Origin | None = None
    is_primary_key: bool = False
    foreign_key: ForeignKey | None = None
    data_type_origin: TypeOrigin | None = None
    nullable: bool | None = None
    renamed_from: str | None = None
    tags: Sequence[ColumnTag] = ()
    quoted: bool = False


class ImportedColumns(list[ResolvedColumn]):
    """The columns of an imported table: every request that reads it shows them, so they are written once.

    Results share the list; nobody changes it.
    """

    __slots__ = ("_json",)

    def __init__(self, columns: list[ResolvedColumn]) -> None:
        super().__init__(columns)
        self._json: msgspec.Raw | None = None

    def json(self) -> msgspec.Raw:
        """The list as JSON."""
        if self._json is None:
            self._json = msgspec.Raw(_ENCODER.encode(self))
        return self._json


class Constraint(Wire, frozen=True):
    """A key of a table."""

    constraint_type: Literal["primary_key", "foreign_key", "unique"]
    columns: list[str]
    referenced_table: str | None = None
    referenced_columns: list[str] = []


class Conflict(Wire, frozen=True):
    """How the workload's definition of an imported table differs from the import."""

    extra: list[str]
    missing: list[str]
    type_changed: list[str]


class ResolvedTable(Wire, frozen=True):
    """A table the workload used, with where its columns come from. Re-imports as `schema.tables`.

    `quoted`: the parts of its name are exact; unquoted, SQL would fold one of them to another.
    """

    name: str
    columns: list[ResolvedColumn]
    origin: Origin
    updated_at: str
    kind: Literal["table", "view"]
    complete: bool
    catalog: str | None = None
    schema: str | None = None
    source_statement_index: int | None = None
    source_name: str | None = None
    temporary: bool = False
    constraints: list[Constraint] = []
    inference: Literal["ddl", "usage"] | None = None
    referenced_by: list[int] = []
    conflict: Conflict | None = None
    description: str | None = None
    quoted: bool = False


class TableVersion(Wire, frozen=True):
    """The columns of an implied table between two statements (`valid_to` is exclusive)."""

    name: str
    version: int
    valid_from: int
    columns: list[ResolvedColumn]
    catalog: str | None = None
    schema: str | None = None
    valid_to: int | None = None


class ResolvedSchema(Wire, frozen=True):
    """The schema used, at the end of the workload."""

    tables: list[ResolvedTable]
    history: list[TableVersion] = []


class AnalyzeResult(Record):
    """The whole answer."""

    statements: list[StatementLineage]
    global_lineage: GlobalLineage
    issues: list[Issue]
    summary: Summary
    resolved_schema: ResolvedSchema | None = None


class SplitResult(Wire, frozen=True):
    """Where each statement stands; `error` tells why the rest of the text was not split."""

    statements: list[Span]
    error: str | None = None


_ENCODER = msgspec.json.Encoder()
_FLOWSCOPE_EDGE_NAMES = {"source": "from", "target": "to", "edgeType": "type"}
_FLOWSCOPE_NODE_NAMES = {"nodeType": "type"}


def encode_result(result: AnalyzeResult, style: FieldStyle = "seed") -> bytes:
    """The result as JSON."""
    if style == "seed":
        schema = result.resolved_schema
        return _ENCODER.encode(
            _with_written_columns(result, schema) if schema is not None else result
        )
    return _ENCODER.encode(_flowscope_style(msgspec.to_builtins(result)))


def _with_written_columns(result: AnalyzeResult, schema: ResolvedSchema) -> AnalyzeResult:
    """A result for the encoder alone, with the columns of imported tables as they were written before."""
    tables = [
        replace(table, columns=table.columns.json())
        if table.columns.__class__ is ImportedColumns
        else table
        for table in schema.tables
    ]
    return replace(result, resolved_schema=ResolvedSchema(tables=tables, history=schema.history))


def _flowscope_style(plain: dict[str, Any]) -> dict[str, Any]:
    """FlowScope's names for edges and nodes, plus its flat top-level lists."""
    nodes: dict[str, Any] = {}
    edges: dict[str, Any] = {}
    for statement in plain["statements"]:
        index = statement["statementIndex"]
        statement["nodes"] = [_renamed(node, _FLOWSCOPE_NODE_NAMES) for node in statement["nodes"]]
        statement["edges"] = [_renamed(edge, _FLOWSCOPE_EDGE_NAMES) for edge in statement["edges"]]
        for flat, items in ((nodes, statement["nodes"]), (edges, statement["edges"])):
            for item in items:
                flat.setdefault(item["id"], {**item, "statementIds": []})["statementIds"].append(
                    index
                )
    lineage = plain["globalLineage"]
    lineage["nodes"] = [_renamed(node, _FLOWSCOPE_NODE_NAMES) for node in lineage["nodes"]]
    lineage["edges"] = [_renamed(edge, _FLOWSCOPE_EDGE_NAMES) for edge in lineage["edges"]]
    return {**plain, "nodes": list(nodes.values()), "edges": list(edges.values())}


def _renamed(item: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names.get(key, key): value for key, value in item.items()}
