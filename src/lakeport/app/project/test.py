"""`lakeport test`: the unit tests of a project's models, on Spark and without its lake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakeport.app.project.daemon import open_spark
from lakeport.app.project.load import checked_project
from lakeport.pipeline.console import Console
from lakeport.pipeline.graph import build_graph
from lakeport.pipeline.project import Project, ProjectError
from lakeport.pipeline.testing import AnyTable, Executor, TestResult, UnitTest, read_tests

if TYPE_CHECKING:
    from lakeport.app.settings import Settings


@dataclass(frozen=True, slots=True)
class TestReport:
    """`untested` are models that were asked for and have no test."""

    __test__ = False  # pytest takes a class of this name for tests of its own

    tests: tuple[TestResult, ...]
    passed: int
    failed: int
    untested: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestRequest:
    __test__ = False

    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    environment: str | None = None


def run_tests(
    settings: Settings,
    request: TestRequest,
    told: Callable[[TestResult], None] = lambda _result: None,
) -> TestReport:
    """`told` hears of each test as it ends. Spark starts only if there is one to be run."""
    project = checked_project(settings, request.environment)
    read = read_tests(project)
    if read.problems:
        raise ProjectError(read.problems)
    graph = build_graph(project, AnyTable(project), lambda _name: False)
    chosen = {name.folded for name in graph.select(request.select, request.exclude)}
    tests = [test for test in read.found if test.model.folded in chosen]
    tested = {test.model.folded for test in tests}
    untested = tuple(str(n) for n in graph.names if n.folded in chosen and n.folded not in tested)
    results = _carried_out(settings, project, tests, told) if tests else []
    passed = sum(result.status == "passed" for result in results)
    return TestReport(tuple(results), passed, len(results) - passed, untested)


def _carried_out(
    settings: Settings,
    project: Project,
    tests: Sequence[UnitTest],
    told: Callable[[TestResult], None],
) -> list[TestResult]:
    results = []
    with open_spark(settings) as spark:
        executor = Executor(project, Console(spark, spark.fresh()))
        for test in tests:
            results.append(executor.run(test))
            told(results[-1])
    return results
