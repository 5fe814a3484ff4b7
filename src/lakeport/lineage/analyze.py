"""The one door: a request in, a result out. It never raises, whatever the text."""

from __future__ import annotations

import gc
import logging
import time
from typing import TYPE_CHECKING, Any

from lakeport.lineage.bind.binder import Binder
from lakeport.lineage.dialects import dialect_named, known_dialects
from lakeport.lineage.emit import Emitter
from lakeport.lineage.globalgraph import GlobalGraph
from lakeport.lineage.issues import Issue, IssueCode
from lakeport.lineage.parse import Parsed, StatementParser
from lakeport.lineage.request import AnalyzeRequest, read_request
from lakeport.lineage.resolved import resolved_schema
from lakeport.lineage.result import AnalyzeResult, StatementLineage, encode_result
from lakeport.lineage.salvage import salvage
from lakeport.lineage.session import Session
from lakeport.lineage.split import Chunk, split
from lakeport.lineage.statements.dispatch import bind_statement
from lakeport.lineage.summary import complexity, summarize
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from lakeport.lineage.names import Name

_MIB = 1024 * 1024
_REWRITES = frozenset(
    {
        "CREATE_TABLE_AS",
        "CREATE_TABLE",
        "CREATE_VIEW",
        "INSERT_OVERWRITE",
        "TRUNCATE",
        "CREATE_TABLE_CLONE",
        "CREATE_TABLE_LIKE",
        "CACHE",
        "ALTER_VIEW",
        "DROP",
    }
)


class Statement:
    """One statement of the workload with its place and its tree."""

    __slots__ = ("chunk", "index", "parsed", "source")

    def __init__(self, index: int, source: SourceText, chunk: Chunk, parsed: Parsed) -> None:
        self.index = index
        self.source = source
        self.chunk = chunk
        self.parsed = parsed


def analyze(request: AnalyzeRequest | dict[str, Any] | str | bytes) -> AnalyzeResult:
    """Analyse a workload. Whatever is wrong with it is an issue in the result."""
    decoded, issues = read_request(request)
    if decoded is None:
        return summarize([], GlobalGraph().result(), issues, None)
    collecting = gc.isenabled()
    # The trees are large and free of garbage cycles worth finding while they are in use.
    gc.disable()
    try:
        with _quiet_parser():
            return _Analysis(decoded, issues).run()
    finally:
        if collecting:
            gc.enable()


def analyze_json(payload: str | bytes) -> bytes:
    """The same from JSON to JSON, in the field style the request asks for."""
    decoded, issues = read_request(payload)
    style = decoded.options.field_style if decoded is not None else "seed"
    return encode_result(
        analyze(decoded) if decoded is not None and not issues else analyze(payload), style
    )


class _quiet_parser:  # noqa: N801 - reads as what it does
    """The parser logs what it cannot read; here that is an issue of the result instead."""

    def __enter__(self) -> None:
        logging.getLogger("sqlglot").addFilter(_drop)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("sqlglot").removeFilter(_drop)


def _drop(_record: logging.LogRecord) -> bool:
    return False


class _Analysis:
    """One run over one request."""

    def __init__(self, request: AnalyzeRequest, issues: list[Issue]) -> None:
        dialect = dialect_named(request.dialect)
        self._request = request
        fallback = dialect_named("generic")
        assert fallback is not None  # noqa: S101 - the generic row is in the table
        self.session = Session(request, dialect or fallback)
        self.session.issues[:0] = issues
        if dialect is None:
            self.session.report(
                IssueCode.INVALID_REQUEST,
                f"dialect `{request.dialect}` is not known; the generic one is used",
                hint=f"known dialects: {', '.join(known_dialects())}",
            )
        budget = request.options.time_budget_ms
        self._deadline = time.monotonic() + budget / 1000 if budget is not None else None
        self._graph = GlobalGraph()
        self._results: list[StatementLineage] = []

    def run(self) -> AnalyzeResult:
        """Read, parse, bind and emit every statement in order."""
        statements = self._statements()
        for statement in statements:
            self._results.append(self._analyse(statement))
        return summarize(
            self._results, self._graph.result(), self.session.issues, resolved_schema(self.session)
        )

    def _statements(self) -> list[Statement]:
        found: list[Statement] = []
        for text, name in self._texts():
            source = SourceText(text, name, self._request.encoding)
            parser = StatementParser(text, self.session.dialect)
            for chunk in split(text, self.session.dialect.parser):
                found.append(Statement(len(found), source, chunk, parser.parse(chunk)))
        return found

    def _texts(self) -> list[tuple[str, str | None]]:
        request = self._request
        texts: list[tuple[str, str | None]] = [(file.content, file.name) for file in request.files]
        if request.sql:
            texts.append((request.sql, request.source_name))
        return texts

    def _analyse(self, statement: Statement) -> StatementLineage:
        session = self.session
        session.source = statement.source
        session.registry.begin(statement.index)
        binder = Binder(session, statement.chunk, statement.source.content, statement.index)
        kind = self._bind(binder, statement)
        emitter = Emitter(binder)
        emitter.emit()
        result = StatementLineage(
            statement_index=statement.index,
            statement_type=kind,
            nodes=emitter.nodes,
            edges=emitter.edges,
            span=statement.source.span(statement.chunk.start, statement.chunk.end),
            join_count=len(binder.joins),
            complexity_score=complexity(binder),
            source_name=statement.source.name,
            local_schema=emitter.local_schema(),
            reads=list(binder.reads),
            writes=list(binder.writes),
        )
        for relation in binder.relations:
            if relation.local_kind is None and relation.kind != "output":
                users = session.used.setdefault(relation.name, [])
                if not users or users[-1] != statement.index:
                    users.append(statement.index)
        names: dict[str, Name] = {
            emitter.relation_id(r): r.name
            for r in binder.relations
            if r.local_kind is None and r.kind != "output"
        }
        self._graph.add(result, names)
        return result

    def _bind(self, binder: Binder, statement: Statement) -> str:
        parsed = statement.parsed
        if parsed.tree is None:
            problem = parsed.problem
            if problem is not None:
                binder.session.report(
                    IssueCode.PARSE_ERROR,
                    problem.message,
                    statement=statement.index,
                    extent=(problem.start, problem.end),
                    hint="the statement keeps its place; its tables are a guess",
                )
            return salvage(binder, statement.chunk)
        return bind_statement(binder, parsed.tree)
