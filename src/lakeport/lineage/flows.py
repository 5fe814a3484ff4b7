"""What flows between the nodes of one statement: values, whole relations, rows, conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lakeport.lineage.bind.scope import FILTER, SUBTYPES, VALUE, Column
from lakeport.lineage.graph import edge_id, node_id
from lakeport.lineage.names import dotted
from lakeport.lineage.result import Edge, Node
from lakeport.lineage.types import field_type

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation
    from lakeport.lineage.request import Options
    from lakeport.lineage.result import EdgeType


def _transformation(kind: str, subtype: str, *, masking: bool) -> dict[str, Any]:
    return {"transformation": {"type": kind, "subtype": subtype, "masking": masking}}


# Shared by many edges: these maps are never changed after they are built.
IDENTITY = _transformation("DIRECT", "IDENTITY", masking=False)
_DIRECT = tuple(
    tuple(
        _transformation("INDIRECT" if role == FILTER else "DIRECT", name, masking=masking)
        for masking in (False, True)
    )
    for role, name in enumerate(SUBTYPES)
)


# Whole relations that decide which rows another keeps, and give it none.
_DECIDES = {"metadata": _transformation("INDIRECT", "FILTER", masking=False)}
_ROWS_ONLY = {"DELETE": _DECIDES, "MERGE_DELETE": _DECIDES}
# What the ids of edges between columns begin with.
_DERIVED, _COPIED = (edge_id("", "", kind)[:-1] for kind in ("derivation", "data_flow"))


def _is_constant(column: Column) -> bool:
    """Made of literals: without an edge from the rows it is counted on, its table would be orphaned."""
    expression = column.expression
    return expression is not None and not column.refs and expression.find(exp.Column) is None


class Flows:
    """Adds the edges of one statement, and nodes for the fields that they start from."""

    __slots__ = (
        "_binder",
        "_edges",
        "_fields",
        "_nodes",
        "_operations",
    )

    def __init__(
        self, binder: Binder, nodes: list[Node], edges: list[Edge], fields: dict[str, str]
    ) -> None:
        self._binder = binder
        self._nodes = nodes
        self._edges = edges
        self._fields = fields
        # The operation of each edge so far, by edge id.
        self._operations: dict[str, str | None] = {}

    def emit(self, options: Options) -> None:
        """All that flows into each relation, in their order."""
        for relation in self._binder.relations:
            if options.enable_column_lineage:
                self._into(relation)
            else:
                self._table_flows(relation)
            if relation.table_inputs:
                self._whole(relation)
            if options.include_indirect:
                self._indirect(relation)

    def _claim(self, source: str, target: str, kind: EdgeType, operation: str | None) -> str | None:
        """The id of a new edge; None if there is one that says the same."""
        operations = self._operations
        identifier = edge_id(source, target, kind)
        if identifier in operations:
            if operations[identifier] == operation:
                return None
            # The same two columns by two operations, as in MERGE.
            identifier = edge_id(source, target, kind, f"_{operation}")
            if identifier in operations:
                return None
        operations[identifier] = operation
        return identifier

    def _edge(
        self,
        source: str,
        target: str,
        kind: EdgeType,
        *,
        operation: str | None = None,
        **facts: Any,
    ) -> None:
        identifier = self._claim(source, target, kind, operation)
        if identifier is None:
            return
        self._edges.append(
            Edge(
                id=identifier,
                source=source,
                target=target,
                edge_type=kind,
                operation=operation,
                **facts,
            )
        )

    # -- columns -----------------------------------------------------------------------------

    def _into(self, relation: Relation) -> None:
        columns = relation.columns
        if relation.extra:
            columns = [*columns, *relation.extra]
        fed: set[Relation | None] = set()
        for column in columns:
            if column.refs:
                self._into_column(column, fed)
        for tail in relation.tails:
            fed.add(tail.relation)
            if tail.relation.node is not None and relation.node is not None:
                self._edge(tail.relation.node, relation.node, "data_flow", approximate=True)
        fed.update(other for other, _ in relation.table_inputs)
        if relation.inputs:
            self._join_dependencies(relation, fed)

    def _into_column(self, column: Column, fed: set[Relation | None]) -> None:
        """An edge per input: the other loop that most of a result comes from."""
        target = column.node or ""
        ending, operations = f"_{target[-16:]}", self._operations
        copied = column.identity
        for ref in column.refs:
            origin = ref.origin
            if origin.__class__ is Column:
                owner: Relation | None = origin.relation
                derived = not copied or ref.role != VALUE or ref.derived
            else:
                owner, derived = origin, True  # type: ignore[assignment] # no column: a relation
            fed.add(owner)
            source = origin.node
            if source is None:
                continue
            metadata = _DIRECT[ref.role][ref.masking] if derived else IDENTITY
            if ref.path:
                if isinstance(origin, Column):
                    self._nested(origin, ref.path, source)
                metadata = {**metadata, "fieldPath": ref.path}
            kind: EdgeType = "derivation" if derived else "data_flow"
            operation = ref.operation
            # As `edge_id` makes it; only a second edge between the same two has to be claimed.
            identifier = f"{_DERIVED if derived else _COPIED}{source[-16:]}{ending}"
            if identifier in operations:
                claimed = self._claim(source, target, kind, operation)
                if claimed is None:
                    continue
                identifier = claimed
            else:
                operations[identifier] = operation
            self._edges.append(
                Edge(
                    identifier,
                    source,
                    target,
                    kind,
                    (ref.text or column.text) if derived else None,
                    operation,
                    None,
                    None,
                    # Read after a DROP: the last known columns, which may be gone.
                    ref.approximate or (owner is not None and owner.stale),
                    metadata,
                )
            )

    def _nested(self, column: Column, path: str, base: str) -> None:
        """A field as a node of its own under its column, when the type says it exists."""
        types = self._binder.types
        kind = types.text(field_type(types.of_column(column), path.split(".")))
        if kind is None:
            return
        identifier = node_id("column", base, path.lower())
        if identifier in self._fields:
            return
        owner = dotted(column.relation.name) if column.relation else ""
        self._nodes.append(
            Node(
                id=identifier,
                node_type="column",
                label=path.rsplit(".", 1)[-1],
                qualified_name=f"{owner}.{column.key}.{path}",
                metadata={"dataType": kind, "dataTypeOrigin": "inferred", "field": True},
            )
        )
        self._fields[identifier] = base
        self._edge(base, identifier, "ownership")

    def _indirect(self, relation: Relation) -> None:
        for ref, subtype in relation.indirect:
            origin = ref.origin
            if isinstance(origin, Column) and origin.node is not None and relation.node is not None:
                self._edge(
                    origin.node,
                    relation.node,
                    "indirect_dependency",
                    operation=subtype,
                    approximate=ref.approximate,
                    metadata=_transformation("INDIRECT", subtype, masking=False),
                )

    # -- relations ---------------------------------------------------------------------------

    def _join_dependencies(self, relation: Relation, fed: set[Relation | None]) -> None:
        """Relations of the FROM clause that give no column still decide about rows."""
        own = relation.node
        inputs = dict.fromkeys(relation.inputs)
        if len(inputs) == 1 and not fed and relation.columns:
            self._row(relation.inputs[0], relation)
            return
        if len(inputs) > 1:
            fed |= _behind_generators(fed)
        for other in inputs:
            if other in fed or other is relation or other.node is None or own is None:
                continue
            operation = _joined_by(other)
            identifier = self._claim(other.node, own, "join_dependency", operation)
            if identifier is not None:
                self._edges.append(
                    Edge(
                        identifier,
                        other.node,
                        own,
                        "join_dependency",
                        None,
                        operation,
                        other.join_type,
                        other.join_condition,
                        False,  # noqa: FBT003 - fields in their order
                        _DIRECT[FILTER][0],
                    )
                )

    def _row(self, source: Relation, relation: Relation) -> None:
        """Constants alone: there is one per row of the only input."""
        constant = next((column for column in relation.columns if _is_constant(column)), None)
        if source.node is not None and constant is not None and constant.node is not None:
            self._edge(
                source.node,
                constant.node,
                "derivation",
                operation="ROW",
                metadata=_DIRECT[VALUE][0],
            )

    def _table_flows(self, relation: Relation) -> None:
        """Without column lineage: relation to relation."""
        open_ends = dict.fromkeys(tail.relation for tail in relation.tails)
        origins = [ref.origin for column in relation.columns for ref in column.refs]
        feeding = [one.relation if isinstance(one, Column) else one for one in origins]
        for other in dict.fromkeys([*relation.inputs, *open_ends, *feeding]):
            if other is None or other is relation:
                continue
            if other.node is not None and relation.node is not None:
                self._edge(
                    other.node,
                    relation.node,
                    "data_flow",
                    approximate=other in open_ends,
                    operation=_joined_by(other),
                    join_type=other.join_type,
                    join_condition=other.join_condition,
                )

    def _whole(self, relation: Relation) -> None:
        for other, operation in relation.table_inputs:
            if other.node is not None and relation.node is not None:
                approximate = operation == "SALVAGED" or (
                    operation in {"MERGE_UPDATE", "MERGE_INSERT", "CLONE"} and not other.complete
                )
                self._edge(
                    other.node,
                    relation.node,
                    "data_flow",
                    operation=operation,
                    approximate=approximate,
                    **_ROWS_ONLY.get(operation, {}),
                )


def _joined_by(relation: Relation) -> str | None:
    kind = relation.join_type
    return f"{kind}_JOIN" if kind and not kind.endswith("APPLY") else kind


def _behind_generators(fed: set[Relation | None]) -> set[Relation | None]:
    """The relations whose columns reach an output as elements of what they hold."""
    return {
        ref.origin.relation
        for generator in fed
        if generator is not None and generator.local_kind == "lateral"
        for column in generator.columns
        for ref in column.refs
        if isinstance(ref.origin, Column)
    }
