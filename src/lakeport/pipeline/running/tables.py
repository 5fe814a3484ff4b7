"""A model's table: recovery check, analyse, stage, audit, grow, write, verify, publish."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime
from itertools import count

from lakeport.catalog.views import NotATableError
from lakeport.core.errors import ConflictError, LakeportError, PreconditionError
from lakeport.core.names import quoted
from lakeport.pipeline.planning.interval import interval_of, last_end
from lakeport.pipeline.planning.request import write_request
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.running.aside import go_on, recover
from lakeport.pipeline.running.losses import Kept
from lakeport.pipeline.running.rows import Computing, columns_in
from lakeport.pipeline.running.way import Way
from lakeport.pipeline.staging import Given, Staged
from lakeport.pipeline.target import Head, Run
from lakeport.pipeline.writing import Engine, Point, WriteRequest
from lakeport.pipeline.writing.attempts import TRIES


def build_table(way: Way) -> None:
    context, node = way.context, way.node
    head = _head(way)
    way.interval = interval_of(node.model.settings, context.wanted.asked, _last_end(way, head))
    run = context.run_of(node, way.interval)
    left = recover(way, head, run) if context.resumed else None
    if way.status == "recovered" and left is None:
        return
    if left is not None and not node.audits and go_on(way, None, left, run):
        return
    keeps = node.model.language == "sql"  # what Python does to its session nobody knows
    with (
        context.sessions.engine(observe=way.observe, keep=keeps) as engine,
        context.stop.watching(engine.around.console.session),
    ):
        if left is not None and node.audits and go_on(way, engine, left, run):
            return
        context.branches.making(node.name)
        _write(way, engine, run, is_incremental=head is not None and not head.is_empty)


def _head(way: Way) -> Head | None:
    try:
        return way.context.tables.head(way.node.table)
    except NotATableError:
        raise PreconditionError(
            f"{quoted(str(way.node.table))} is a view, and the model builds a table",
            hint='drop the view first, or set materialized = "view"',
        ) from None


def _last_end(way: Way, head: Head | None) -> datetime | None:
    """Where the model's last commit ended; a table whose history was cut is not asked alone."""
    if head is None:
        return None
    model = str(way.node.name)
    found = last_end(model, head.commits)
    if found is None and not head.is_whole:
        return way.context.last_ends.get(model)
    return found


def _write(way: Way, engine: Engine, run: Run, *, is_incremental: bool) -> None:
    asked = way.context.wanted.asked
    computing = way.computing(engine, is_incremental=is_incremental and not asked.full_refresh)
    kept = Kept.of(way.context, way.node, engine)
    given = computing.given()
    request = _request(way, given)
    try:
        with _entered(computing.watching, engine.stage(given, request, run)) as staged:
            way.columns = staged.schema
            kept.require()
            _staged(way, computing, staged, request, run)
    except LakeportError as error:
        raise placed(error, way.node, computing.reading) from error


def _request(way: Way, given: Given) -> WriteRequest:
    model = way.node.model
    assert way.interval is not None  # noqa: S101  set before
    request = write_request(
        model,
        way.node.table,
        way.interval,
        columns_in(given) if model.settings.strategy == "time_range" else (),
        full_refresh=way.context.wanted.asked.full_refresh,
    )
    way.strategy = request.chosen
    return request


def _staged(
    way: Way, computing: Computing, staged: Staged, request: WriteRequest, run: Run
) -> None:
    engine = computing.engine
    if way.mode == "direct":
        way.audit(engine, computing.reading.catalog, staged.relation, staged.schema, run)
        way.outcome = engine.write_staged(staged, request, run)
        return
    for attempt in count(1):
        made = engine.write_staged(staged, request, run, aside=True)
        if go_on(way, engine, made, run):
            return
        if attempt >= TRIES:
            raise ConflictError(
                f"others wrote to table {quoted(str(request.into))} during each of {attempt}"
                " attempts to publish it",
                hint="run it again when fewer write to the table",
            )
        way.tell(Point.RETRYING, attempt, reason="others wrote to the table first")


@contextmanager
def _entered(
    watching: AbstractContextManager[None], staging: AbstractContextManager[Staged]
) -> Iterator[Staged]:
    """Rows staged; what is said about computing them is not about what is done with them."""
    with ExitStack() as stack:
        with watching:
            staged = stack.enter_context(staging)
        yield staged
