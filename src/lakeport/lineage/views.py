"""Imported views by their text: bound once, so that lineage passes through them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lakeport.lineage.bind.binder import Binder
from lakeport.lineage.capture import output_columns
from lakeport.lineage.emit import Emitter
from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.parse import StatementParser
from lakeport.lineage.result import StatementLineage
from lakeport.lineage.split import split
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from sqlglot import exp

    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.globalgraph import GlobalGraph
    from lakeport.lineage.request import SchemaView
    from lakeport.lineage.session import Session

# Views belong to no statement of the workload.
_NO_STATEMENT = -1

_logger = logging.getLogger(__name__)


def load_views(session: Session, graph: GlobalGraph) -> None:
    """Register every imported view and put its inner lineage into the global graph."""
    schema = session.request.schema
    for view in schema.views if schema is not None else []:
        _load(session, graph, view)


def _load(session: Session, graph: GlobalGraph, view: SchemaView) -> None:
    source = SourceText(view.sql, view.name, session.request.encoding)
    chunks = split(view.sql, session.dialect.parser)
    parsed = StatementParser(view.sql, session.dialect).parse(chunks[0]) if chunks else None
    if parsed is None or parsed.tree is None:
        session.report(
            IssueCode.PARSE_ERROR,
            f"the text of imported view `{view.name}` does not parse",
            relation=view.name,
            hint="correct schema.views, or list the view's columns in schema.tables",
        )
        return
    tree = parsed.tree
    query = (
        tree.args["expression"] if tree.key == "create" and tree.args.get("expression") else tree
    )
    session.source = source
    session.registry.begin(_NO_STATEMENT)
    try:
        _bind(session, graph, view, query, chunks[0])
    except Exception:
        # A bug of ours on one view must not cost the workload; what it was is for our log alone.
        _logger.exception("lineage.bug", extra={"view": view.name})
        session.report(
            IssueCode.UNSUPPORTED_SYNTAX,
            f"the text of imported view `{view.name}` could not be bound, because of an error of ours",
            relation=view.name,
            hint="list the view's columns in schema.tables",
        )


def _bind(
    session: Session, graph: GlobalGraph, view: SchemaView, query: exp.Expr, chunk: Chunk
) -> None:
    binder = Binder(session, chunk, view.sql, _NO_STATEMENT)
    parts = tuple(part for part in (view.catalog, view.schema, view.name) if part)
    name = session.registry.canonical(tuple(session.folding.table(part) for part in parts))
    output = binder.query(query, None, {})
    target = binder.relation("view", view.name, name)
    target.resolution = "imported"
    target.written = True
    target.receive(output)
    columns = [
        ColumnEntry(c.name, c.key, "imported", c.data_type, c.type_origin)
        for c in output_columns(binder, target)
    ]
    entry = TableEntry(name, parts, columns, "imported", complete=not target.tails, kind="view")
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
    graph.add(inner, names, emitter.fields)
