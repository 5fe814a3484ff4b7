"""One model of a run: its lease, its way as a table or a view, and what came of it.

A crash anywhere leaves the table as it was, or complete: the next run finds out which by asking it. Nothing is
raised here but the end of the process.
"""

from __future__ import annotations

import logging

from lakeport.core.errors import InternalError, LakeportError
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.graph import Node
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.events import ModelBegan
from lakeport.pipeline.running.leases import leased, was_lost
from lakeport.pipeline.running.result import ModelResult, ModelStatus
from lakeport.pipeline.running.sources import require_sources
from lakeport.pipeline.running.stop import StoppedError
from lakeport.pipeline.running.tables import build_table
from lakeport.pipeline.running.views import build_view
from lakeport.pipeline.running.way import Way
from lakeport.pipeline.writing import Point
from lakeport.pipeline.writing.failures import of_query

_log = logging.getLogger(__name__)


def run_model(context: RunContext, node: Node) -> ModelResult:
    way = Way(context, node, started_ns=context.clock())
    context.tell(ModelBegan(node.name))
    try:
        _walk(way)
    except StoppedError as error:
        return way.result("stopped", error)
    except SparkError as error:
        spark = placed(of_query(error, "Spark's log"), node)
        return way.result("stopped" if context.stop.is_asked else "failed", spark)
    except LakeportError as error:
        # What a cancelled statement says is about cancelling.
        return way.result("stopped" if context.stop.is_asked else "failed", error)
    except Exception as error:  # noqa: BLE001  told as a bug of ours, with its trace in the log
        _log.exception("model.crashed", extra={"model": str(node.name)})
        crash = InternalError(
            f"an internal error: {type(error).__name__}", hint="this is a bug of Lakeport"
        )
        return way.result("failed", crash)
    return way.result(way.status)


def not_begun(node: Node, status: ModelStatus, blamed: TableName | None = None) -> ModelResult:
    return ModelResult(
        model=node.name,
        table=node.table,
        path=node.model.path,
        materialized=node.model.settings.materialized,
        status=status,
        blocked_by=blamed,
    )


def _walk(way: Way) -> None:
    context, node = way.context, way.node
    context.stop.require()
    require_sources(context, node)
    if context.wanted.is_atomic:  # all leases were taken before the first model
        _build(way)
        return
    with leased(context, node):
        _build(way)
        if was_lost(context, node.table):
            way.warnings.append(
                f"the lease of table {quoted(str(node.table))} was lost while it was written:"
                " another run may have written to it, too"
            )


def _build(way: Way) -> None:
    way.tell(Point.LEASED)
    is_view = way.node.model.settings.materialized == "view"
    (build_view if is_view else build_table)(way)
