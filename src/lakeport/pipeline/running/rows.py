"""What a model computes, as something that can be staged: a frame of its query, or what its function gave."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass

import pyarrow as pa

from lakeport.core.names import OWN_PREFIX
from lakeport.pipeline.console import Console, SparkError
from lakeport.pipeline.graph import Node
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.planning.interval import Interval
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.parameters import parameters_of
from lakeport.pipeline.running.python import Authors, rows_of
from lakeport.pipeline.running.python_context import Context
from lakeport.pipeline.session import Frame
from lakeport.pipeline.staging import ArrowStream, Given, Query, arrow_columns, columns_of, is_frame
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.writing import Engine
from lakeport.pipeline.writing.failures import of_query


@dataclass(frozen=True, slots=True)
class Computing:
    """One model in one session."""

    context: RunContext
    node: Node
    engine: Engine
    reading: Reading
    interval: Interval
    is_incremental: bool
    authors: Authors

    @property
    def console(self) -> Console:
        return self.engine.around.console

    def given(self) -> Given:
        """Nothing is computed yet, unless a model in Python does."""
        if self.node.model.language == "python":
            return rows_of(self.node, self._context(), self.console.session, self.authors)
        return self.frame(self.node)

    @property
    def watching(self) -> AbstractContextManager[None]:
        """Around whatever computes the rows."""
        return self.authors if self.node.model.language == "python" else nullcontext()

    def frame(self, node: Node) -> Frame:
        """Of SQL, analysed; what Spark has against it is told with the author's line."""
        inside = [each.query for each in self.reading.expanded(node)]
        values = self.context.values(self.interval)
        parameters = parameters_of([node.query, *inside], values)
        text = Query(self.reading.rewritten(node.query), parameters).text
        try:
            return self.console.frame(text, parameters)
        except SparkError as error:
            found = of_query(error, self.console.spark.log)
            raise placed(found, node, self.reading) from error

    @contextmanager
    def as_view(self, frame: Frame) -> Iterator[Relation]:
        """Rows by a name, for who asks about them without storing any."""
        name = f"{OWN_PREFIX}_{uuid.uuid4().hex[:12]}"
        with self.console.failing():
            frame.createOrReplaceTempView(name)
        try:
            yield Relation((name,))
        finally:
            with suppress(SparkError):  # it goes with its session
                self.console.run(f"DROP VIEW IF EXISTS {identifier(name)}")

    # -- inside ----------------------------------------------------------------------------------

    def _context(self) -> Context:
        return Context(
            spark=self.console.session,
            parameters=self.context.values(self.interval),
            vars=self.context.project.vars,
            run_id=self.context.run.id,
            start=self.interval.start,
            end=self.interval.end,
            this=self.reading.relation(self.node.table).sql,
            is_incremental=self.is_incremental,
            _node=self.node,
            _reading=self.reading,
        )


def columns_in(given: Given) -> Schema:
    if isinstance(given, Query):
        return ()
    if is_frame(given):
        return columns_of(given)  # type: ignore[arg-type]  # asked for just before
    known = getattr(given, "schema", None)
    if isinstance(known, pa.Schema):
        return arrow_columns(known)[0]
    with pa.RecordBatchReader.from_stream(_stream(given)) as reader:
        return arrow_columns(reader.schema)[0]


def _stream(given: Given) -> ArrowStream:
    return given  # type: ignore[return-value]  # neither of the other two
