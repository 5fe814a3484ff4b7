"""From a bound statement to nodes, and by `flows` to the edges between them.

Most of an answer is made here, one node and one edge per column: the loop is long and flat on
purpose, because a call per fact would cost more than the fact.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from lakeport.lineage.flows import Flows
from lakeport.lineage.graph import MANY_COLUMNS, column_ids, node_id, table_id
from lakeport.lineage.names import dotted
from lakeport.lineage.result import Aggregation, Edge, Filter, LocalColumn, LocalRelation, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Column, Relation
    from lakeport.lineage.entries import Drawn
    from lakeport.lineage.issues import ResolutionSource
    from lakeport.lineage.wire import Span

_MANY_TYPES = 2048
# Shared by many nodes and edges: these maps are never changed after they are built.
_NOTHING: dict[str, Any] = {}
_QUOTES = "`\"'[]"
# What `copy.copy` would find after a while.
_copied = msgspec.Struct.__copy__  # type: ignore[attr-defined] # the stubs leave it out


class _Typed(dict[str, dict[str, Any]]):
    """The metadata of columns by the text of their type, each made when it is first asked for."""

    __slots__ = ("_origin",)

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def __missing__(self, kind: str) -> dict[str, Any]:
        made = {"dataType": kind, "dataTypeOrigin": self._origin}
        if len(self) < _MANY_TYPES:
            self[kind] = made
        return made


_DECLARED, _INFERRED = _Typed("declared"), _Typed("inferred")


# Of one name, for each node of it.
_MANY_PLACES = 100


@lru_cache(maxsize=256)
def _aggregation(key: bool, function: str | None, distinct: bool) -> Aggregation:  # noqa: FBT001 - the fields of a tuple
    return Aggregation(is_grouping_key=key, function=function, distinct=distinct)


def _resolution(relation: Relation, column: Column) -> ResolutionSource | None:
    """Where a column of a stored relation is known from, if its list does not tell."""
    if column.inferred:
        return "implied" if not column.approximate else "unknown"
    return "implied" if relation.written else None


def _filters(filters: list[tuple[str, str]]) -> list[Filter]:
    return [
        Filter(text, clause)  # type: ignore[arg-type] # one of four words
        for text, clause in (filters if len(filters) == 1 else dict.fromkeys(filters))
    ]


def _told_apart(columns: list[Column], owner: str) -> list[str]:
    """The ids of columns of which some share a name: the second and later ones are numbered."""
    seen: dict[str, int] = {}
    made: list[str] = []
    for column in columns:
        count = seen.get(column.key, 0)
        seen[column.key] = count + 1
        numbered = (str(count),) if count else ()
        made.append(node_id("column", owner, column.key, *numbered))
    return made


def leave_unplaced(binder: Binder) -> None:
    """Names that a statement puts together (`IDENTIFIER('or' || 'ders')`) are written nowhere as they are.

    Issues have told by now where they come from.
    """

    def place(span: tuple[int, int] | None, name: str) -> tuple[int, int] | None:
        shown = binder.text[slice(*span)].casefold() if span is not None else ""
        return span if name.casefold() in {shown, shown.strip(_QUOTES)} else None

    for relation in binder.relations:
        named = relation.name[-1] if relation.local_kind is None else relation.label
        if place(relation.span, named) is None:
            relation.span = place(relation.span, relation.label)
        relation.name_spans = [
            span
            for span in relation.name_spans
            if place(span, named) or place(span, relation.label)
        ]
        for column in relation.columns:
            column.span = place(column.span, column.name)


class Emitter:
    """Builds the graph of one statement."""

    __slots__ = (
        "_binder",
        "_source",
        "_statement",
        "_types",
        "edges",
        "fields",
        "nodes",
    )

    def __init__(self, binder: Binder) -> None:
        self._binder = binder
        self._types = binder.types
        self._source = binder.session.source
        self._statement = str(binder.index)
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        # The column that each field belongs to, by ids; a column belongs to the relation before it.
        self.fields: dict[str, str] = {}

    def emit(self) -> None:
        """Relations with their columns first, then what flows between them."""
        binder = self._binder
        options = binder.session.options
        spans = self._occurrences()
        for relation in binder.relations:
            title = dotted(relation.name) if relation.kind != "output" else None
            self._relation(relation, title, spans)
            if options.enable_column_lineage:
                self._columns(relation, title)
        Flows(binder, self.nodes, self.edges, self.fields).emit(options)

    def _occurrences(self) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        """Where the tables are named that are named several times."""
        spans: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        if self._binder.repeats:
            for relation in self._binder.relations:
                if relation.local_kind is None and relation.span is not None:
                    spans.setdefault(relation.name, []).append(relation.span)
        return spans

    # -- nodes -------------------------------------------------------------------------------

    def _relation(
        self,
        relation: Relation,
        title: str | None,
        occurrences: dict[tuple[str, ...], list[tuple[int, int]]],
    ) -> None:
        convert = self._source.span
        metadata, places = relation.metadata, relation.name_spans
        own, body = relation.span, relation.body_span
        span = convert(*own) if own is not None else None
        named: Sequence[Span] = ()
        if relation.local_kind is None:
            if not places and occurrences:
                written = occurrences.get(relation.name, ())
                # Of a table that is read hundreds of times only the first node tells all places: all of
                # them at each would be as many as there are pairs.
                places = written if len(written) <= _MANY_PLACES or relation.instance == 1 else ()
            if not places and span is not None:
                named = [span]
            if relation.instance > 1:
                metadata["instance"] = relation.instance
        elif not relation.used and relation.local_kind == "cte":
            metadata["unused"] = True
        if places:
            named = [convert(*place) for place in places]
        if relation.join_keys:
            metadata["joinKeys"] = relation.join_keys
        description = metadata.pop("description", None) if metadata else None
        entry = relation.entry
        relation.node = identifier = self._new_relation_id(relation)
        self.nodes.append(
            Node(
                identifier,
                relation.kind,  # type: ignore[arg-type] # one of four words
                relation.label,
                title,
                None,
                span,
                named,
                convert(*body) if body is not None else None,
                relation.resolution,  # type: ignore[arg-type] # one of three words
                _filters(relation.filters) if relation.filters else (),
                relation.join_type,
                relation.join_condition,
                None,
                description or (entry.description if entry is not None else None),
                (),
                metadata,
            )
        )

    def _new_relation_id(self, relation: Relation) -> str:
        """Tables by canonical name, local relations by statement and path."""
        if relation.local_kind is not None:
            return node_id("cte", self._statement, relation.path, relation.name[0])
        if relation.kind == "output":
            return node_id("output", self._statement)
        if relation.instance > 1:
            return node_id("table", *relation.name, f"#{relation.instance}")
        return table_id(relation.name)

    def _columns(self, relation: Relation, title: str | None) -> None:
        """A node and an ownership edge per column: most of what a result is made of."""
        extra = relation.extra
        columns = [*relation.columns, *extra] if extra else relation.columns
        if not columns:
            return
        owner = relation.node or ""
        ids = column_ids(owner)
        made = [ids[column.key] for column in columns]
        if len(set(made)) < len(made):
            made = _told_apart(columns, owner)
        drawn = self._drawn(relation, owner)
        add, own = self.nodes.append, self.edges.append
        for column, identifier in zip(columns, made, strict=True):
            column.node = identifier
            entry = column.entry
            # A column of a table that is read, as most are, looks as it did before.
            plain = column.span is None and column.text is None and column.aggregation is None
            if drawn is not None and plain:
                held = drawn.get(identifier)
                if held is not None and held[0] is entry and held[1].label == column.name:
                    add(_copied(held[1]))
                    own(_copied(held[2]))
                    continue
            node = self._column(relation, column, title)
            edge = Edge(
                ids.ownership + identifier[-16:],
                owner,
                identifier,
                "ownership",
                None,
                None,
                None,
                None,
                False,  # noqa: FBT003 - fields in their order, see `_column`
                _NOTHING,
            )
            keeps = drawn is not None and plain and len(drawn) < MANY_COLUMNS
            if keeps and drawn is not None and entry is not None and entry.data_type:
                drawn[identifier] = (entry, _copied(node), _copied(edge))
            add(node)
            # Ownership is unique by construction, so it needs no look-up.
            own(edge)

    def _column(self, relation: Relation, column: Column, title: str | None) -> Node:
        entry, span, aggregation = column.entry, column.span, column.aggregation
        stored = relation.local_kind is None and title is not None
        resolution: ResolutionSource | None = None
        description: str | None = None
        if entry is not None:
            kind = entry.data_type or self._types.shown(column)
            typed = _INFERRED if entry.type_origin == "inferred" else _DECLARED
            description = entry.description
            if stored:
                resolution = entry.origin
        else:
            kind, typed = self._types.shown(column), _INFERRED
            if stored:
                resolution = _resolution(relation, column)
        # Fields are given in their order: names would be looked up for each of many nodes.
        return Node(
            column.node or "",
            "column",
            column.name,
            f"{title}.{column.key}" if title is not None else column.key,
            column.text,
            self._source.span(*span) if span is not None else None,
            (),
            None,
            resolution,
            (),
            None,
            None,
            _aggregation(*aggregation) if aggregation is not None else None,
            description,
            (),
            typed[kind] if kind is not None else _NOTHING,
        )

    def _drawn(self, relation: Relation, owner: str) -> Drawn | None:
        """What earlier requests drew of a table that they import, too."""
        entry = relation.entry
        return entry.drawn_as(owner) if entry is not None and entry.origin == "imported" else None

    # -- local schema ------------------------------------------------------------------------

    def local_schema(self) -> list[LocalRelation]:
        """CTEs, derived tables and generators with their columns."""
        found: list[LocalRelation] = []
        shown = self._types.shown
        for relation in self._binder.relations:
            if relation.local_kind is None:
                continue
            found.append(
                LocalRelation(
                    name=relation.label,
                    kind=relation.local_kind,  # type: ignore[arg-type] # one of three words
                    columns=[
                        LocalColumn(column.name, shown(column)) for column in relation.columns
                    ],
                    complete=relation.complete,
                    span=self._source.span(*relation.span) if relation.span else None,
                )
            )
        return found
