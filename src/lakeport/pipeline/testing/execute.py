"""One test on Spark: the model's query with given rows in the place of its tables, and nothing stored."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa

from lakeport.core.errors import LakeportError
from lakeport.pipeline.console import Console, SparkError
from lakeport.pipeline.graph import Graph, Node, Reference, build_graph
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.project.model import Project, Value
from lakeport.pipeline.project.template import sql_name
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.queries.sentences import in_short
from lakeport.pipeline.running.parameters import parameters_of
from lakeport.pipeline.running.python import Authors, rows_of
from lakeport.pipeline.running.python_context import Context
from lakeport.pipeline.staging import arrow_columns, columns_of, is_frame
from lakeport.pipeline.testing.compare import UnknownColumnError, compare
from lakeport.pipeline.testing.model import Difference, Status, TestResult, UnitTest
from lakeport.pipeline.testing.tables import AnyTable, Tables, TestProblemError
from lakeport.pipeline.writing.failures import of_query

_START, _END = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_RUN = "test"
_POINTS = ("start", "end")


class _WrongError(Exception):
    """The model itself fails. An `expect_error` is compared with what was `said`, word for word."""

    def __init__(self, message: str, hint: str | None = None, said: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint, self.said = message, hint, said or message


@dataclass
class Executor:
    """Tests of one project, one after the other in one session; graphs are kept, for most are the same."""

    project: Project
    console: Console
    clock: Callable[[], float] = time.perf_counter
    _graphs: dict[str, Graph] = field(default_factory=dict)

    def run(self, test: UnitTest) -> TestResult:
        begun = self.clock()
        status: Status = "error"
        message = hint = None
        difference: Difference | None = None
        place = test.place
        try:
            difference = self._difference(test)
        except TestProblemError as wrong:
            message, hint, place = wrong.problem.message, wrong.problem.hint, wrong.problem.place
        except UnknownColumnError as wrong:
            status, message, hint = "failed", str(wrong), wrong.hint
            place = test.expect_place or place
        except _WrongError as wrong:
            status, message, hint = self._failure(test, wrong)
        else:
            if test.expect_error is not None:
                status = "failed"
                message = f"the model did not fail, and {test.expect_error!r} was expected"
            else:
                status = "failed" if difference else "passed"
        return TestResult(
            test.name,
            str(test.model),
            place.path,
            place.line or 1,
            status,
            round(self.clock() - begun, 3),
            message,
            hint,
            difference or None,
        )

    def _failure(self, test: UnitTest, wrong: _WrongError) -> tuple[Status, str | None, str | None]:
        if test.expect_error is None:
            return "error", wrong.message, wrong.hint
        if test.expect_error.casefold() in wrong.said.casefold():
            return "passed", None, None
        said, hint = in_short(wrong.said)
        return "failed", f"it failed otherwise than expected: {said}", hint or wrong.hint

    def _difference(self, test: UnitTest) -> Difference | None:
        graph = self._graph(test)
        node = graph.node(test.model)
        tables = Tables(test, graph)
        tables.check()
        schema, rows = self._rows(test, node, tables)
        if test.expect is None:
            return None
        return compare(test.expect, schema, rows, ordered=test.ordered)

    def _graph(self, test: UnitTest) -> Graph:
        """As the model is with these vars, on its first run or on a later one."""
        key = repr((test.is_incremental, sorted(test.vars.items(), key=str)))
        found = self._graphs.get(key)
        if found is None:
            project = replace(self.project, vars={**self.project.vars, **test.vars})
            found = build_graph(project, AnyTable(project), lambda _name: test.is_incremental)
            self._graphs[key] = found
        return found

    # -- rows ------------------------------------------------------------------------------------

    def _rows(
        self, test: UnitTest, node: Node, tables: Tables
    ) -> tuple[Schema, list[dict[str, Any]]]:
        try:
            if node.model.language == "python":
                return self._python(test, node, tables)
            text = self._text(node, tables)
            frame = self.console.frame(text, self._parameters(test, node, tables))
            with self.console.failing():
                return columns_of(frame), frame.toArrow().to_pylist()
        except SparkError as error:
            if error.gone is not None:
                raise error.gone from error
            found = placed(
                of_query(error, self.console.spark.log), node, self._reading(tables), head=0
            )
            raise _WrongError(found.message, found.hint, error.sentence) from error
        except LakeportError as error:
            raise _WrongError(error.message, error.hint) from error

    def _text(self, node: Node, tables: Tables) -> str:
        text = node.rewritten(lambda reference: self._inline(reference, tables))
        return text.strip().rstrip(";").rstrip()

    def _inline(self, reference: Reference, tables: Tables) -> str:
        given = tables.query(reference)
        if given is not None:
            return given
        return f"(\n{self._text(tables.graph.node(reference.table), tables)}\n)"

    def _reading(self, tables: Tables) -> Reading:
        return _GivenReading(tables.graph, None, inline=lambda one: self._inline(one, tables))

    def _parameters(self, test: UnitTest, node: Node, tables: Tables) -> dict[str, object]:
        """Those that the query names, or a query inside of it."""
        inside = [node.query]
        pending = list(node.references)
        while pending:
            reference = pending.pop()
            if reference.kind == "model" and tables.is_inside(reference):
                above = tables.graph.node(reference.table)
                inside.append(above.query)
                pending += above.references
        return parameters_of(inside, self._values(test))

    def _values(self, test: UnitTest) -> dict[str, Value]:
        built_in: dict[str, Value] = {"run_id": _RUN, "start": _START, "end": _END}
        values = {**built_in, **self.project.parameters, **test.parameters}
        return {name: _point(value) if name in _POINTS else value for name, value in values.items()}

    def _python(
        self, test: UnitTest, node: Node, tables: Tables
    ) -> tuple[Schema, list[dict[str, Any]]]:
        values = self._values(test)
        start, end = values["start"], values["end"]
        context = Context(
            spark=self.console.session,
            parameters=values,
            vars=tables.graph.project.vars,
            run_id=str(values["run_id"]),
            start=start if isinstance(start, datetime) else _START,
            end=end if isinstance(end, datetime) else _END,
            this=sql_name(node.name),
            is_incremental=test.is_incremental,
            _node=node,
            _reading=self._reading(tables),
        )
        authors = Authors(node, self.project.root, self.console.session)
        returned = rows_of(node, context, self.console.session, authors)
        if is_frame(returned):
            frame: Any = returned
            with self.console.failing():
                return columns_of(frame), frame.toArrow().to_pylist()
        stream: Any = returned
        with authors, pa.RecordBatchReader.from_stream(stream) as reader:
            columns, _ = arrow_columns(reader.schema)
            return columns, reader.read_all().to_pylist()


@dataclass(frozen=True, slots=True)
class _GivenReading(Reading):
    """What stands in the place of a model's tables."""

    inline: Callable[[Reference], str] = str

    def name(self, reference: Reference) -> str:
        return self.inline(reference)


def _point(value: Value) -> Value:
    """`:start` and `:end` are points in time, however a test writes them."""
    if isinstance(value, str):
        try:
            return _point(datetime.fromisoformat(value))
        except ValueError:
            return value
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return (
        value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
    )
