"""A model's rows on the run's branch: audited there as the table would be, and published or kept for the end.

Rows that an earlier process of the same run left are taken up here, too, if nothing they were made of has been
made anew.
"""

from __future__ import annotations

from contextlib import suppress

from lakeport.core.errors import LakeportError
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.running.way import Way
from lakeport.pipeline.target import (
    Branched,
    Head,
    MovedError,
    Run,
    can_publish,
    drop_branches,
    publish,
)
from lakeport.pipeline.target.run import FINGERPRINT
from lakeport.pipeline.writing import Engine, Outcome, Point, WriteRequest
from lakeport.pipeline.writing.engine import recovered


def go_on(way: Way, engine: Engine | None, made: Outcome, run: Run) -> bool:
    """With rows on a branch: audited, and published unless the whole run is. False if main moved."""
    context, node = way.context, way.node
    branched = Branched(made.table, run.branch)
    is_atomic = way.mode == "run-atomic"
    if made.branch is not None and is_atomic:
        context.branches.put(node.name, run.branch)
    try:
        if engine is not None and node.audits:
            catalog = engine.around.catalog
            relation = context.reading(catalog).relation(made.table, made.branch)
            way.audit(engine, catalog, relation, _whole(way, made), run)
        if not is_atomic and made.branch is not None:
            publish(context.tables, [branched])
            way.tell(Point.PUBLISHED)
    except MovedError:
        drop_branches(context.tables, [branched])
        way.status = "succeeded"
        return False
    except BaseException:
        context.branches.forget(node.name)
        with suppress(LakeportError):  # what is told is what failed first
            drop_branches(context.tables, [branched])
        raise
    way.outcome = made
    return True


def recover(way: Way, head: Head | None, run: Run) -> Outcome | None:
    """What this run has done before it was cut off. Rows that wait on a branch are given back."""
    tables, node = way.context.tables, way.node
    if head is None:
        return None
    branched = Branched(head.name, run.branch)
    request = WriteRequest(node.table)
    way.outcome = recovered(tables, request, run)
    if way.outcome is not None:
        way.status = "recovered"
        _compare(way, head, run)
        if run.branch in head.branches:
            drop_branches(tables, [branched])
        return None
    if run.branch not in head.branches:
        return None
    left = recovered(tables, request, run, branch=run.branch)
    above = way.context.graph.ancestors([node.name])
    is_good = left is not None and way.mode != "direct" and can_publish(head, run.branch)
    if is_good and not way.context.branches.has_made(above):
        way.status = "recovered"
        return left
    drop_branches(tables, [branched])
    return None


def _compare(way: Way, head: Head, run: Run) -> None:
    made = head.commit_of(run.id, run.model or "")
    if made is not None and made.summary.get(FINGERPRINT) != run.fingerprint:
        way.warnings.append(
            "this run wrote it before its file was changed, and a run writes a table once:"
            " run it again without --retry"
        )


def _whole(way: Way, made: Outcome) -> Schema:
    return way.context.tables.columns(made.table) if made.growth is None else made.growth.after
