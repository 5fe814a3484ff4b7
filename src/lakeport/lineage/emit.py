"""From a bound statement to nodes and edges."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from lakeport.lineage.bind.scope import FILTER, SUBTYPES, VALUE, Column, Ref, Relation
from lakeport.lineage.graph import edge_id, node_id
from lakeport.lineage.names import dotted
from lakeport.lineage.result import Aggregation, Edge, Filter, LocalColumn, LocalRelation, Node
from lakeport.lineage.types import field_type

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.issues import ResolutionSource
    from lakeport.lineage.result import ClauseType, EdgeType, NodeType


def _transformation(kind: str, subtype: str, *, masking: bool) -> dict[str, Any]:
    return {"transformation": {"type": kind, "subtype": subtype, "masking": masking}}


# Shared by many nodes and edges: these maps are never changed after they are built.
_IDENTITY = _transformation("DIRECT", "IDENTITY", masking=False)
_DIRECT = tuple(
    tuple(
        _transformation("INDIRECT" if role == FILTER else "DIRECT", name, masking=masking)
        for masking in (False, True)
    )
    for role, name in enumerate(SUBTYPES)
)


@lru_cache(maxsize=4096)
def _typed(kind: str, origin: str) -> dict[str, Any]:
    return {"dataType": kind, "dataTypeOrigin": origin}


@lru_cache(maxsize=256)
def _aggregation(key: bool, function: str | None, distinct: bool) -> Aggregation:  # noqa: FBT001 - the fields of a tuple
    return Aggregation(is_grouping_key=key, function=function, distinct=distinct)


def _resolution(relation: Relation, column: Column) -> ResolutionSource | None:
    """Where a column of a stored relation is known from."""
    if column.entry is not None:
        return column.entry.origin
    if column.inferred:
        return "implied" if not column.approximate else "unknown"
    return "implied" if relation.written else None


def _filters(relation: Relation) -> list[Filter]:
    return [
        Filter(expression=text, clause_type=cast("ClauseType", clause))
        for text, clause in dict.fromkeys(relation.filters)
    ]


def _is_constant(column: Column) -> bool:
    """Made of literals: without an edge from the rows it is counted on, its table would be orphaned."""
    expression = column.expression
    return expression is not None and not column.refs and expression.find(exp.Column) is None


class Emitter:
    """Builds the graph of one statement."""

    def __init__(self, binder: Binder) -> None:
        self._binder = binder
        self._types = binder.types
        self._source = binder.session.source
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self._relation_ids: dict[int, str] = {}
        self._column_ids: dict[int, str] = {}
        # The node that each column or field belongs to, by ids.
        self.owners: dict[str, str] = {}
        # The operation of each edge between columns, by edge id.
        self._operations: dict[str, str | None] = {}

    def emit(self) -> None:
        """Relations with their columns first, then what flows between them."""
        binder = self._binder
        columns = binder.session.options.enable_column_lineage
        spans: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for relation in binder.relations:
            if relation.local_kind is None and relation.span is not None:
                spans.setdefault(relation.name, []).append(relation.span)
        for relation in binder.relations:
            self._relation(relation, spans.get(relation.name, []))
            if columns:
                self._columns(relation)
        for relation in binder.relations:
            if columns:
                self._flows(relation)
            else:
                self._table_flows(relation)
            self._whole(relation)
            if binder.session.options.include_indirect:
                self._indirect(relation)

    # -- nodes -------------------------------------------------------------------------------

    def _relation(self, relation: Relation, occurrences: list[tuple[int, int]]) -> None:
        identifier = self.relation_id(relation)
        name = dotted(relation.name) if relation.kind != "output" else None
        spans = relation.name_spans or occurrences
        convert = self._source.span
        metadata = relation.metadata
        if relation.instance > 1 and relation.local_kind is None:
            metadata["instance"] = relation.instance
        if relation.local_kind == "cte" and not relation.used:
            metadata["unused"] = True
        if relation.join_keys:
            metadata["joinKeys"] = relation.join_keys
        description = metadata.pop("description", None) or (
            relation.entry.description if relation.entry else None
        )
        node = Node(
            id=identifier,
            node_type=cast("NodeType", relation.kind),
            label=relation.label,
            qualified_name=name,
            name_spans=[convert(*span) for span in spans] or (),
            resolution_source=cast("ResolutionSource | None", relation.resolution),
            description=description,
            metadata=metadata,
        )
        if relation.span is not None:
            node.span = convert(*relation.span)
        if relation.body_span is not None:
            node.body_span = convert(*relation.body_span)
        if relation.filters:
            node.filters = _filters(relation)
        if relation.join_type is not None:
            node.join_type, node.join_condition = relation.join_type, relation.join_condition
        self.nodes.append(node)

    def relation_id(self, relation: Relation) -> str:
        """Tables by canonical name, local relations by statement and path."""
        found = self._relation_ids.get(id(relation))
        if found is None:
            found = self._relation_ids[id(relation)] = self._new_relation_id(relation)
        return found

    def canonical_id(self, relation: Relation) -> str:
        """The id of a relation's first instance, which is its id in the global graph."""
        return node_id("table", *relation.name)

    def _new_relation_id(self, relation: Relation) -> str:
        index = str(self._binder.index)
        if relation.kind == "output":
            return node_id("output", index)
        if relation.local_kind is not None:
            return node_id("cte", index, relation.path, relation.name[0])
        if relation.instance > 1:
            return node_id("table", *relation.name, f"#{relation.instance}")
        return node_id("table", *relation.name)

    def _columns(self, relation: Relation) -> None:
        """A node and an ownership edge per column: most of what a result is made of."""
        owner = self.relation_id(relation)
        edge_prefix = edge_id(owner, "", "ownership")
        name_prefix = f"{dotted(relation.name)}." if relation.kind != "output" else ""
        stored = relation.local_kind is None and relation.kind != "output"
        counts: dict[str, int] = {}
        for column in (*relation.columns, *relation.extra) if relation.extra else relation.columns:
            key = column.key
            seen = counts.get(key, 0)
            counts[key] = seen + 1
            identifier = (
                node_id("column", owner, key, str(seen)) if seen else node_id("column", owner, key)
            )
            self._column_ids[id(column)] = identifier
            self.owners[identifier] = owner
            node = Node(
                id=identifier,
                node_type="column",
                label=column.name,
                qualified_name=name_prefix + key,
                metadata=self._type_facts(column),
            )
            if stored:
                node.resolution_source = _resolution(relation, column)
            # Most columns have none of these, and a keyword costs even when it is empty.
            if column.text is not None:
                node.expression = column.text
            if column.span is not None:
                node.span = self._source.span(*column.span)
            if column.aggregation is not None:
                node.aggregation = _aggregation(*column.aggregation)
            if column.entry is not None and column.entry.description:
                node.description = column.entry.description
            self.nodes.append(node)
            # Ownership is unique by construction, so it needs no look-up.
            self.edges.append(
                Edge(
                    id=edge_prefix + identifier[-16:],
                    source=owner,
                    target=identifier,
                    edge_type="ownership",
                )
            )

    def _type_facts(self, column: Column) -> dict[str, Any]:
        entry = column.entry
        if entry is None:
            kind = self._types.shown(column)
            return _typed(kind, "inferred") if kind is not None else {}
        kind = entry.data_type or self._types.shown(column)
        if kind is None:
            return {}
        return _typed(kind, "inferred" if entry.type_origin == "inferred" else "declared")

    # -- edges -------------------------------------------------------------------------------

    def _edge(
        self,
        source: str,
        target: str,
        kind: EdgeType,
        *,
        operation: str | None = None,
        **facts: Any,
    ) -> None:
        identifier = edge_id(source, target, kind)
        operations = self._operations
        if identifier in operations:
            if operations[identifier] == operation:
                return
            # The same two columns by two operations, as in MERGE.
            identifier = edge_id(source, target, kind, f"_{operation}")
            if identifier in operations:
                return
        operations[identifier] = operation
        self.edges.append(
            Edge(
                id=identifier,
                source=source,
                target=target,
                edge_type=kind,
                operation=operation,
                **facts,
            )
        )

    def _origin_id(self, ref: Ref) -> str | None:
        if isinstance(ref.origin, Relation):
            return self._relation_ids.get(id(ref.origin))
        return self._column_ids.get(id(ref.origin))

    def _flows(self, relation: Relation) -> None:
        fed: set[int] = set()
        for column in (*relation.columns, *relation.extra) if relation.extra else relation.columns:
            if column.refs:
                target = self._column_ids[id(column)]
                for ref in column.refs:
                    self._flow(column, ref, target, fed)
        for tail in relation.tails:
            fed.add(id(tail.relation))
            source = self._relation_ids.get(id(tail.relation))
            if source is not None:
                self._edge(source, self.relation_id(relation), "data_flow", approximate=True)
        self._join_dependencies(relation, fed)

    def _flow(self, column: Column, ref: Ref, target: str, fed: set[int]) -> None:
        origin = ref.origin
        if isinstance(origin, Relation):
            owner: Relation | None = origin
            source = self._relation_ids.get(id(origin))
            derived = True
        else:
            owner = origin.relation
            source = self._column_ids.get(id(origin))
            derived = ref.derived or not column.identity or ref.role != VALUE
        fed.add(id(owner))
        if source is None:
            return
        metadata = _DIRECT[ref.role][ref.masking] if derived else _IDENTITY
        if ref.path:
            if isinstance(origin, Column):
                self._nested(origin, ref.path, source)
            metadata = {**metadata, "fieldPath": ref.path}
        self._edge(
            source,
            target,
            "derivation" if derived else "data_flow",
            expression=(ref.text or column.text) if derived else None,
            operation=ref.operation,
            # Read after a DROP: the last known columns, which may be gone.
            approximate=ref.approximate or (owner is not None and owner.stale),
            metadata=metadata,
        )

    def _nested(self, column: Column, path: str, base: str) -> None:
        """A field as a node of its own under its column, when the type says it exists."""
        kind = self._types.text(field_type(self._types.of_column(column), path.split(".")))
        if kind is None:
            return
        identifier = node_id("column", base, path.lower())
        if edge_id(base, identifier, "ownership") in self._operations:
            return
        owner = dotted(column.relation.name) if column.relation else ""
        self.nodes.append(
            Node(
                id=identifier,
                node_type="column",
                label=path.rsplit(".", 1)[-1],
                qualified_name=f"{owner}.{column.key}.{path}",
                metadata={"dataType": kind, "dataTypeOrigin": "inferred", "field": True},
            )
        )
        self.owners[identifier] = base
        self._edge(base, identifier, "ownership")

    def _join_dependencies(self, relation: Relation, fed: set[int]) -> None:
        """Relations of the FROM clause that give no column still decide about rows."""
        if not relation.inputs:
            return
        inputs = list(dict.fromkeys(relation.inputs))
        target = self.relation_id(relation)
        if len(inputs) == 1 and not fed and relation.columns:
            constant = next((column for column in relation.columns if _is_constant(column)), None)
            source = self._relation_ids.get(id(inputs[0]))
            if source is not None and constant is not None:
                self._edge(
                    source,
                    self._column_ids[id(constant)],
                    "derivation",
                    operation="ROW",
                    metadata=_DIRECT[VALUE][0],
                )
            return
        for other in inputs:
            source = self._relation_ids.get(id(other))
            if id(other) in fed or source is None or other is relation:
                continue
            kind = other.join_type
            self._edge(
                source,
                target,
                "join_dependency",
                operation=f"{kind}_JOIN" if kind and not kind.endswith("APPLY") else kind,
                join_type=kind,
                join_condition=other.join_condition,
                metadata=_DIRECT[FILTER][0],
            )

    def _table_flows(self, relation: Relation) -> None:
        """Without column lineage: relation to relation."""
        target = self.relation_id(relation)
        for other in dict.fromkeys([*relation.inputs, *(tail.relation for tail in relation.tails)]):
            source = self._relation_ids.get(id(other))
            if source is not None and other is not relation:
                self._edge(
                    source,
                    target,
                    "data_flow",
                    join_type=other.join_type,
                    join_condition=other.join_condition,
                )

    def _whole(self, relation: Relation) -> None:
        for other, operation in relation.table_inputs:
            source = self._relation_ids.get(id(other))
            if source is not None:
                approximate = (
                    operation in {"MERGE_UPDATE", "MERGE_INSERT", "CLONE"} and not other.complete
                )
                self._edge(
                    source,
                    self.relation_id(relation),
                    "data_flow",
                    operation=operation,
                    approximate=approximate,
                )

    def _indirect(self, relation: Relation) -> None:
        target = self.relation_id(relation)
        for ref, subtype in relation.indirect:
            source = self._origin_id(ref)
            if source is not None and isinstance(ref.origin, Column):
                self._edge(
                    source,
                    target,
                    "indirect_dependency",
                    operation=subtype,
                    approximate=ref.approximate,
                    metadata=_transformation("INDIRECT", subtype, masking=False),
                )

    # -- local schema ------------------------------------------------------------------------

    def local_schema(self) -> list[LocalRelation]:
        """CTEs, derived tables and generators with their columns."""
        found: list[LocalRelation] = []
        for relation in self._binder.relations:
            if relation.local_kind is None:
                continue
            columns = [
                LocalColumn(name=column.name, data_type=self._types.shown(column))
                for column in relation.columns
            ]
            found.append(
                LocalRelation(
                    name=relation.label,
                    kind=relation.local_kind,  # type: ignore[arg-type] # one of three words
                    columns=columns,
                    complete=relation.complete,
                    span=self._source.span(*relation.span) if relation.span else None,
                )
            )
        return found
