"""A query's rows into one table: staged once, the table grown, written by one commit.

`Engine` is what every front end calls; its pieces (`analyze`, `plan`, `stage`, `write_staged`) can be called
alone, by whoever has something to do between them. The order is such that a crash at any point leaves
the table as it was, or complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import pyarrow as pa

from lakeport.catalog.history import MAIN
from lakeport.core.names import OWN_PREFIX
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.session import Frame
from lakeport.pipeline.staging import (
    ArrowStream,
    Form,
    Given,
    Query,
    Staged,
    Stager,
    arrow_columns,
    columns_of,
    is_frame,
)
from lakeport.pipeline.strategies import Relation, drop_branch
from lakeport.pipeline.target import Head, Run, Tables
from lakeport.pipeline.writing.attempts import Surroundings, Writing
from lakeport.pipeline.writing.examine import figures_of
from lakeport.pipeline.writing.failures import of_query
from lakeport.pipeline.writing.outcome import Outcome, Planned, counts_in
from lakeport.pipeline.writing.prepare import planned, prepared, texts, warnings
from lakeport.pipeline.writing.progress import Point, Progress
from lakeport.pipeline.writing.request import WriteRequest

_STAGED = Relation((f"{OWN_PREFIX}_staged",))


class Engine:
    """Of one session, and so for one write at a time: settings of a session are all statements'."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def analyze(self, given: Given) -> Schema:
        """The columns, without computing a row."""
        with self._asking():
            return columns_of(self._frame(given))

    def plan(self, given: Given, request: WriteRequest, run: Run | None = None) -> Planned:
        """What `write` would do. Nothing is computed, nothing is changed."""
        run = run or Run()
        head = self._around.tables.head(request.into)
        if isinstance(given, Query) or is_frame(given):
            return self._planned(self.analyze(given), head, request, run)
        with pa.RecordBatchReader.from_stream(_stream(given)) as reader:
            source, notes = arrow_columns(reader.schema)
        return self._planned(source, head, request, run, *notes)

    def write(self, given: Given, request: WriteRequest, run: Run | None = None) -> Outcome:
        """Once per run and model: a run that has committed is told so, and writes nothing again."""
        run = run or Run()
        before = self.recovered(request, run)
        if before is not None:
            self._tidy(before, run)
            return before
        with self.stage(given, request, run) as staged:
            return self.write_staged(staged, request, run)

    @property
    def around(self) -> Surroundings:
        return self._around

    def recovered(
        self, request: WriteRequest, run: Run, *, branch: str | None = None
    ) -> Outcome | None:
        return recovered(self._around.tables, request, run, branch=branch)

    @contextmanager
    def stage(
        self, given: Given, request: WriteRequest, run: Run, form: Form | None = None
    ) -> Iterator[Staged]:
        """The rows, until the block ends. What the table cannot take is refused before any is computed."""
        stager = self._stager(run)
        if not isinstance(given, Query) and not is_frame(given):
            with stager.arrow(_stream(given)) as staged:
                self._tell(Point.STAGED, request, run)
                yield staged
            return
        with self._asking():
            frame = self._frame(given)
            source = columns_of(frame)
        head = self._around.tables.head(request.into)
        plan = planned(head, source, request)
        plan.require(request.into)
        write = prepared(request, plan, head, _STAGED, _STAGED, run)
        figures = figures_of(request, write, plan, None if head is None else head.definition)
        self._tell(Point.ANALYSED, request, run)
        chosen = form or ("checkpoint" if self._around.console.spark.is_local else "table")
        with self._asking_first(stager.frame(frame, chosen, figures)) as staged:
            self._tell(Point.STAGED, request, run)
            yield staged

    def write_staged(
        self, staged: Staged, request: WriteRequest, run: Run, *, aside: bool = False
    ) -> Outcome:
        """With `aside` the rows stay on the run's branch: `target.publish` makes them the table's."""
        writing = Writing(self._around, staged, request, run, aside)
        try:
            return writing.carry_out()
        except SparkError as error:  # of a question about the staged rows
            raise of_query(error, self._around.console.spark.log) from error

    # -- inside ----------------------------------------------------------------------------------

    def _planned(
        self, source: Schema, head: Head | None, request: WriteRequest, run: Run, *notes: str
    ) -> Planned:
        plan = planned(head, source, request)
        into = request.into
        parts = (
            (into.namespace, into.table) if head is None else (head.name.namespace, head.name.table)
        )
        target = Relation((self._around.catalog, *parts[0].split("."), parts[1]))
        sql: tuple[str, ...] = ()
        if not plan.refused:
            write = prepared(request, plan, head, target, _STAGED, run)
            sql = texts(request, write, aside=head is not None and bool(head.definition.keys))
        return Planned(
            table=into if head is None else head.name,
            model=run.model or str(into),
            strategy=request.chosen,
            creates=head is None,
            growth=plan,
            sql=sql,
            warnings=(*notes, *warnings(request, plan, head)),
        )

    def _stager(self, run: Run) -> Stager:
        around = self._around
        return Stager(around.console, around.tables, around.catalog, run)

    def _frame(self, given: Given) -> Frame:
        if isinstance(given, Query):
            return self._around.console.frame(given.text, given.parameters)
        return given  # type: ignore[return-value] # of which `is_frame` was asked

    @contextmanager
    def _asking_first(self, staging: AbstractContextManager[Staged]) -> Iterator[Staged]:
        """What fails while the rows are computed is the query's; what the block does is not."""
        with self._asking():
            staged = staging.__enter__()
        try:
            yield staged
        except BaseException as error:
            if not staging.__exit__(type(error), error, error.__traceback__):
                raise
        else:
            staging.__exit__(None, None, None)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        console = self._around.console
        try:
            with console.failing():
                yield
        except SparkError as error:
            raise of_query(error, console.spark.log) from error

    def _tidy(self, before: Outcome, run: Run) -> None:
        """A run that was killed between its commit and its end may have left its branch."""
        around = self._around
        head = around.tables.head(before.table)
        if head is None or run.branch not in head.branches:
            return
        target = Relation((around.catalog, *around.tables.path(head.name)))
        statement = drop_branch(target, run.branch)
        with self._asking():
            around.console.run(statement.sql, statement.settings)

    def _tell(self, point: Point, request: WriteRequest, run: Run) -> None:
        self._around.observe(Progress(point, request.into, run.id))


def recovered(
    tables: Tables, request: WriteRequest, run: Run, *, branch: str | None = None
) -> Outcome | None:
    """What the table says about a run that has committed already, to main or to the branch."""
    head = tables.head(request.into)
    model = run.model or str(request.into)
    made = None if head is None else head.commit_of(run.id, model, branch or MAIN)
    if head is None or made is None:
        return None
    counts = counts_in(made.summary)
    return Outcome(
        table=head.name,
        model=model,
        run_id=run.id,
        strategy=request.chosen,
        rows=counts.get("added-records", 0),
        snapshot_id=made.snapshot_id,
        version=made.version,
        counts=counts,
        repeated=True,
        branch=branch,
    )


def _stream(given: Given) -> ArrowStream:
    return given  # type: ignore[return-value] # neither of the other two
