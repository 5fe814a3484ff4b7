"""Views of the catalog: made anew by every run, since what they read may have grown."""

from __future__ import annotations

from lakeport.core.errors import LakeportError, PreconditionError, UnsupportedError
from lakeport.core.names import quoted
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.graph import Node
from lakeport.pipeline.planning.interval import interval_of
from lakeport.pipeline.planning.statements import view_text
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.rows import columns_in
from lakeport.pipeline.running.way import Way
from lakeport.pipeline.writing import Engine, Point
from lakeport.pipeline.writing.failures import of_query


def build_view(way: Way) -> None:
    context, node = way.context, way.node
    way.strategy = "view"
    way.interval = interval_of(node.model.settings, context.wanted.asked, None)
    _require_plain(node)
    with (
        context.sessions.engine(observe=way.observe) as engine,
        context.stop.watching(engine.around.console.session),
    ):
        computing = way.computing(engine, is_incremental=False)
        frame = computing.frame(node)
        way.columns = columns_in(frame)  # for the next plan, which else would have to ask Spark
        if node.audits:
            run = context.run_of(node, None)
            with computing.as_view(frame) as rows:
                way.audit(engine, computing.reading.catalog, rows, way.columns, run)
        if not context.wanted.is_atomic:  # else after all tables are published
            create_view(context, node, engine)
        way.tell(Point.DONE)


def create_view(context: RunContext, node: Node, engine: Engine) -> None:
    """Its text names tables as any session of the lake does, and those of the project without branches."""
    tables, name = context.tables, quoted(str(node.table))
    if not tables.engines.keeps_views:
        raise UnsupportedError(
            f"catalog {quoted(tables.catalog.name)} keeps no views, and {name} is one",
            hint='set materialized = "table" or "ephemeral"',
        )
    tables.ensure_namespace(node.table.namespace)
    text = view_text(context.graph, node, engine.around.catalog, context.run.id)
    try:
        engine.around.console.run(text)
    except SparkError as error:
        reading = Reading(context.graph, None)
        head = text.count("\n") - reading.rewritten(node.query).count("\n")
        raise placed(_refused(error, node, engine), node, reading, head) from error


def _refused(error: SparkError, node: Node, engine: Engine) -> LakeportError:
    if error.cause("TableAlreadyExistsException", "AlreadyExistsException") or (
        "EXPECT_VIEW_NOT_TABLE" in error.sentence or "ALREADY_EXISTS" in error.sentence
    ):
        return PreconditionError(
            f"{quoted(str(node.table))} is a table, and the model builds a view",
            hint='drop or rename the table first, or set materialized = "table"',
        )
    return of_query(error, engine.around.console.spark.log)


def _require_plain(node: Node) -> None:
    path = node.model.path
    if node.model.language == "python":
        raise UnsupportedError(
            f"{path}: a view is a query, and this model is Python",
            hint='set materialized = "table"',
        )
    used = next(iter(node.query.parameters), None)
    if used is not None:
        raise UnsupportedError(
            f"{used.place}: a view has no parameters, and this one names {quoted(f':{used.name}')}",
            hint='write the value, or set materialized = "table"',
        )
