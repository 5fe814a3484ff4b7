"""Imported views by their text: bound once, so that lineage passes through them."""

from __future__ import annotations

import logging
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from lakeport.lineage.bind.binder import Binder
from lakeport.lineage.capture import output_columns
from lakeport.lineage.emit import Emitter
from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.open_ends import opened_by
from lakeport.lineage.parse import StatementParser
from lakeport.lineage.result import StatementLineage
from lakeport.lineage.split import split
from lakeport.lineage.statements.define import apply_list
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.globalgraph import GlobalGraph
    from lakeport.lineage.names import Name
    from lakeport.lineage.request import SchemaView
    from lakeport.lineage.session import Session

# Views belong to no statement of the workload.
_NO_STATEMENT = -1

_logger = logging.getLogger(__name__)


class _View(NamedTuple):
    """One imported view whose text is a query, or a statement around one."""

    view: SchemaView
    name: Name
    tree: exp.Expr
    chunk: Chunk

    @property
    def query(self) -> exp.Expr:
        body = self.tree.args.get("expression") if self.tree.key == "create" else None
        return body or self.tree


def load_views(session: Session, graph: GlobalGraph) -> None:
    """Register every imported view and put its inner lineage into the global graph."""
    schema = session.request.schema
    if schema is None or not schema.views:
        return
    read = [found for view in schema.views if (found := _read(session, view)) is not None]
    for view in _in_order(session, read):
        _load(session, graph, view)


def _read(session: Session, view: SchemaView) -> _View | None:
    chunks = split(view.sql, session.dialect.parser)
    parsed = StatementParser(view.sql, session.dialect).parse(chunks[0]) if chunks else None
    if parsed is None or parsed.tree is None:
        session.source = SourceText(view.sql, view.name, session.request.encoding)
        session.report(
            IssueCode.PARSE_ERROR,
            f"the text of imported view `{view.name}` does not parse",
            relation=view.name,
            hint="correct schema.views, or list the view's columns in schema.tables",
        )
        return None
    parts = tuple(session.folding.table(part) for part in _parts(view))
    return _View(view, session.registry.namespaces.canonical(parts), parsed.tree, chunks[0])


def _parts(view: SchemaView) -> tuple[str, ...]:
    return tuple(part for part in (view.catalog, view.schema, view.name) if part)


def _in_order(session: Session, views: list[_View]) -> list[_View]:
    """A view stands behind those it reads, in whatever order they were listed."""
    places = {view.name: place for place, view in enumerate(views)}
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for place, view in enumerate(views):
        needed = {places[name] for name in _names_read(session, view) if name in places}
        sorter.add(place, *sorted(needed - {place}))
    try:
        return [views[place] for place in sorter.static_order()]
    except CycleError as error:
        names = [views[place].view.name for place in error.args[1]]
        session.report(
            IssueCode.CYCLIC_DEPENDENCY,
            f"these imported views read each other: {' → '.join(names)}",
            hint="break the cycle; the order given is used",
        )
        return views


def _names_read(session: Session, view: _View) -> list[Name]:
    """Whatever the names in its query may mean."""
    local = {cte.alias for cte in view.query.find_all(exp.CTE)}
    with session.registry.namespaces.inside(view.name[:-1]):
        return [
            name
            for table in view.query.find_all(exp.Table)
            if isinstance(table.this, exp.Identifier)
            and not (len(table.parts) == 1 and table.name in local)
            for name in session.registry.candidates(
                tuple(
                    session.folding.table(part.name, quoted=bool(part.args.get("quoted")))
                    for part in table.parts
                )
            )
        ]


def _load(session: Session, graph: GlobalGraph, read: _View) -> None:
    view = read.view
    session.source = SourceText(view.sql, view.name, session.request.encoding)
    session.registry.begin(_NO_STATEMENT)
    try:
        # A view means the tables of its own namespace, whoever reads it from wherever.
        with session.registry.namespaces.inside(read.name[:-1]):
            _bind(session, graph, read)
    except Exception:
        # A bug of ours on one view must not cost the workload; what it was is for our log alone.
        _logger.exception("lineage.bug", extra={"view": view.name})
        session.report(
            IssueCode.UNSUPPORTED_SYNTAX,
            f"the text of imported view `{view.name}` could not be bound, because of an error of ours",
            relation=view.name,
            hint="list the view's columns in schema.tables",
        )


def _bind(session: Session, graph: GlobalGraph, read: _View) -> None:
    view, name, tree, chunk = read
    binder = Binder(session, chunk, view.sql, _NO_STATEMENT)
    output = binder.query(read.query, None, {})
    target = binder.relation("view", view.name, name)
    target.resolution = "imported"
    target.written = True
    target.receive(output)
    if tree.key == "create" and isinstance(tree.this, exp.Schema):
        apply_list(binder, target, tree.this, [])
    columns = [
        ColumnEntry(c.name, c.key, "imported", c.data_type, c.type_origin)
        for c in output_columns(binder, target)
    ]
    entry = TableEntry(
        name, _parts(view), columns, "imported", complete=not target.tails, kind="view"
    )
    session.registry.import_table(entry)
    emitter = Emitter(binder)
    emitter.emit()
    inner = StatementLineage(
        statement_index=_NO_STATEMENT,
        statement_type="CREATE_VIEW",
        nodes=emitter.nodes,
        edges=emitter.edges,
        span=session.source.span(0, len(view.sql)),
        join_count=0,
        complexity_score=1,
    )
    names = {r.node: r.name for r in binder.relations if r.node and r.local_kind is None}
    opened = [opened_by(target, certain=True)] if target.tails else []
    graph.add(inner, names, emitter.fields, opened=opened)
