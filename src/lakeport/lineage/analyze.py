"""The one door: a request in, a result out. It never raises, whatever the text."""

from __future__ import annotations

import gc
import logging
import time
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from lakeport.lineage import type_words
from lakeport.lineage.dialects import dialect_named, known_dialects
from lakeport.lineage.finish import finish
from lakeport.lineage.globalgraph import GlobalGraph, workload_graph
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.order import in_order
from lakeport.lineage.request import AnalyzeRequest, read_request
from lakeport.lineage.result import encode_result
from lakeport.lineage.retold.retelling import Retelling
from lakeport.lineage.session import Session
from lakeport.lineage.statement import announce_definitions, cancelled_statement
from lakeport.lineage.summary import summarize
from lakeport.lineage.views import load_views
from lakeport.lineage.workload import read_workload

if TYPE_CHECKING:
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.request import FieldStyle
    from lakeport.lineage.result import AnalyzeResult, StatementLineage


def analyze(request: AnalyzeRequest | dict[str, Any] | str | bytes) -> AnalyzeResult:
    """Analyse a workload. Whatever is wrong with it is an issue in the result."""
    return _analysed(*read_request(request))


def analyze_json(payload: str | bytes) -> bytes:
    """The same from JSON to JSON, in the field style the request asks for."""
    return answer(payload).json()


class Answered(NamedTuple):
    """The answer to a request in JSON; there is one even if the payload was no request."""

    result: AnalyzeResult
    style: FieldStyle
    understood: bool

    def json(self) -> bytes:
        """The answer as the request wants it written."""
        return encode_result(self.result, self.style)


def answer(payload: str | bytes) -> Answered:
    """The same, and whether the payload could be read as a request at all."""
    decoded, issues = read_request(payload)
    style = decoded.options.field_style if decoded is not None else "seed"
    return Answered(_analysed(decoded, issues), style, decoded is not None)


def _analysed(decoded: AnalyzeRequest | None, issues: list[Issue]) -> AnalyzeResult:
    if decoded is None:
        return summarize([], GlobalGraph().result(), issues, None, [])
    with Undisturbed():
        return _run(decoded, issues)


class Undisturbed:
    """No collections, because nothing in a tree is garbage while it is in use; no parser's log, because
    what it cannot read is an issue of the result instead; and no word for a type read twice.
    """

    __slots__ = ("_collecting",)

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()
        _parser.enter()

    def __exit__(self, *_error: object) -> None:
        _parser.leave()
        if self._collecting:
            gc.enable()


class _Parser:
    """sqlglot is one for all threads: it is as it was when the last of them is done.

    Collections are not counted so. Where threads come and go, there would be none for ever.
    """

    def __init__(self) -> None:
        self._log = logging.getLogger("sqlglot")
        self._inside = 0
        self._lock = Lock()

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._log.addFilter(_never)
                type_words.read_once()

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                type_words.read_each_time()
                self._log.removeFilter(_never)


def _never(_record: logging.LogRecord) -> bool:
    return False


_parser = _Parser()


def open_session(request: AnalyzeRequest, issues: list[Issue]) -> Session:
    """The state of one analysis, with what is wrong with the request already in it."""
    dialect = dialect_named(request.dialect)
    session = Session(request, dialect or _generic())
    session.issues[:0] = issues
    if dialect is None:
        session.report(
            IssueCode.INVALID_REQUEST,
            f"dialect `{request.dialect}` is not known; the generic one is used",
            hint=f"known dialects: {', '.join(known_dialects())}",
        )
    return session


def _generic() -> Any:
    return dialect_named("generic")


def _run(request: AnalyzeRequest, issues: list[Issue]) -> AnalyzeResult:
    budget = request.options.time_budget_ms
    deadline = time.monotonic() + budget / 1000 if budget is not None else None
    session = open_session(request, issues)
    statements = read_workload(session)
    graph = workload_graph(request.options)
    load_views(session, graph)
    announce_definitions(session, statements)
    retelling = Retelling(session)
    results: list[StatementLineage] = []
    for statement in in_order(session, statements):
        if deadline is not None and time.monotonic() > deadline:
            results.append(cancelled_statement(session, statement))
        else:
            analysed = retelling.analyse(statement)
            analysed.join(session, graph)
            # Room for the next one: nobody looks at these again.
            statement.chunk.tokens.clear()
            results.append(analysed.lineage)
    results.sort(key=lambda result: result.statement_index)
    return finish(session, results, graph)
