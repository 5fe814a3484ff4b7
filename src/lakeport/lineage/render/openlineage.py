"""The analysis as OpenLineage run events, one JSON object per line and per writing statement.

Ids are derived from the content, so the same analysis gives the same events. Column sources are
those of the table columns: CTEs are a statement's own business and are traced through.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from lakeport.lineage.labels import dotted

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult, Edge, ResolvedTable, StatementLineage

_PRODUCER = "urn:lakeport:lineage"
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACETS = "https://openlineage.io/spec/facets/"
_RUNS = uuid.uuid5(uuid.NAMESPACE_URL, _PRODUCER)
_VALUES = frozenset({"data_flow", "derivation"})
Json = dict[str, Any]
Source = tuple[str, str]


def openlineage(
    result: AnalyzeResult, *, namespace: str = "lakeport", time: str | None = None
) -> str:
    """`time` stamps the events; without it, the time the schema was resolved."""
    tables = result.resolved_schema.tables if result.resolved_schema else []
    schemas = {dotted(table): table for table in tables}
    moment = time or max((table.updated_at for table in tables), default="1970-01-01T00:00:00Z")
    events = [
        _event(statement, schemas, namespace, moment)
        for statement in result.statements
        if statement.writes
    ]
    return "".join(msgspec.json.encode(event).decode() + "\n" for event in events)


def _event(
    statement: StatementLineage, schemas: dict[str, ResolvedTable], namespace: str, moment: str
) -> Json:
    graph = _Traced(statement)
    source = statement.source_name or "sql"
    job = f"{source}.{statement.statement_index}"
    content = msgspec.json.encode([namespace, job, moment, statement.reads, statement.writes])
    return {
        "eventTime": moment,
        "eventType": "COMPLETE",
        "producer": _PRODUCER,
        "schemaURL": _SPEC,
        "run": {"runId": str(uuid.uuid5(_RUNS, content.hex()))},
        "job": {"namespace": namespace, "name": job},
        "inputs": [_dataset(namespace, name, schemas) for name in statement.reads],
        "outputs": [_output(graph, namespace, name, schemas) for name in statement.writes],
    }


def _dataset(namespace: str, name: str, schemas: dict[str, ResolvedTable]) -> Json:
    dataset: Json = {"namespace": namespace, "name": name}
    table = schemas.get(name)
    if table is not None and table.columns:
        fields = [
            {"name": column.name, **({"type": column.data_type} if column.data_type else {})}
            for column in table.columns
        ]
        dataset["facets"] = {"schema": _facet("1-1-1/SchemaDatasetFacet", fields=fields)}
    return dataset


def _output(graph: _Traced, namespace: str, name: str, schemas: dict[str, ResolvedTable]) -> Json:
    dataset = _dataset(namespace, name, schemas)
    fields = {
        column: {"inputFields": _input_fields(sources, namespace)}
        for column, sources in graph.columns_of(name).items()
        if sources
    }
    whole = _input_fields(graph.indirect_of(name), namespace)
    if fields or whole:
        facet = _facet("1-2-0/ColumnLineageDatasetFacet", fields=fields)
        if whole:
            facet["dataset"] = whole
        dataset.setdefault("facets", {})["columnLineage"] = facet
    return dataset


def _input_fields(sources: dict[Source, list[Json]], namespace: str) -> list[Json]:
    return [
        {"namespace": namespace, "name": table, "field": column, "transformations": transformations}
        for (table, column), transformations in sources.items()
    ]


def _facet(name: str, **content: Any) -> Json:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_FACETS}{name}.json", **content}


class _Traced:
    """A statement's graph with CTEs and derived tables looked through."""

    def __init__(self, statement: StatementLineage) -> None:
        self._nodes = {node.id: node for node in statement.nodes}
        self._owner = {e.target: e.source for e in statement.edges if e.edge_type == "ownership"}
        self._incoming: dict[str, list[Edge]] = defaultdict(list)
        for edge in statement.edges:
            self._incoming[edge.target].append(edge)

    def columns_of(self, relation: str) -> dict[str, dict[Source, list[Json]]]:
        found: dict[str, dict[Source, list[Json]]] = {}
        for column, owner in self._owner.items():
            if self._nodes[owner].qualified_name == relation and self._is_table(owner):
                values = [e for e in self._incoming[column] if e.edge_type in _VALUES]
                found.setdefault(self._label(column), {}).update(self._sources(values))
        return found

    def indirect_of(self, relation: str) -> dict[Source, list[Json]]:
        """What filters, joins, groups or sorts the rows of a relation, CTEs on the way included."""
        pending = [key for key, node in self._nodes.items() if node.qualified_name == relation]
        seen: set[str] = set()
        edges: list[Edge] = []
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            edges += [e for e in self._incoming[current] if e.edge_type == "indirect_dependency"]
            owned = [column for column, owner in self._owner.items() if owner == current]
            sources = {e.source for end in (current, *owned) for e in self._incoming[end]}
            homes = {self._owner.get(source, source) for source in sources}
            pending += sorted(home for home in homes if not self._is_table(home))
        return self._sources(edges)

    def _sources(self, edges: list[Edge]) -> dict[Source, list[Json]]:
        """Table columns behind these edges; the edge nearest to the target names the transformation."""
        found: dict[Source, list[Json]] = {}
        for edge in edges:
            shown = _transformation(edge)
            pending, seen = [edge.source], {edge.source}
            while pending:
                current = pending.pop()
                owner = self._owner.get(current)
                if owner is None:
                    continue
                if self._is_table(owner):
                    listed = found.setdefault((self._name(owner), self._label(current)), [])
                    if shown not in listed:
                        listed.append(shown)
                    continue
                above = [e.source for e in self._incoming[current] if e.edge_type in _VALUES]
                pending += [source for source in above if source not in seen]
                seen.update(above)
        return found

    def _is_table(self, node_id: str) -> bool:
        return self._nodes[node_id].node_type in {"table", "view"}

    def _name(self, node_id: str) -> str:
        return self._nodes[node_id].qualified_name or self._nodes[node_id].label

    def _label(self, column: str) -> str:
        owner, name = self._name(self._owner[column]), self._name(column)
        return name.removeprefix(f"{owner}.")


def _transformation(edge: Edge) -> Json:
    known = edge.metadata.get("transformation")
    if known is None:
        known = {"type": "DIRECT", "subtype": "IDENTITY", "masking": False}
    return {**known, "description": edge.expression or ""}
