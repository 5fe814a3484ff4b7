"""Analysing a workload again after an edit: only what the edit can have changed.

A statement's answer depends on its text, its place, the session's variables and the relations it looked
up. Each relation has a revision that says by which statements, out of what, it became what it is, so a
statement for which all of that is the same is not bound again: its effects are replayed and its spans
are moved.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from lakeport.lineage.analyze import Undisturbed, analyze, open_session
from lakeport.lineage.finish import finish
from lakeport.lineage.globalgraph import workload_graph
from lakeport.lineage.parse import Parsed, StatementParser
from lakeport.lineage.request import AnalyzeRequest, read_request
from lakeport.lineage.resplit import Pieces, resplit, tokenised
from lakeport.lineage.statement import Analysed, analyse_statement, announcement
from lakeport.lineage.summary import Counts, counts_of
from lakeport.lineage.text import SourceText
from lakeport.lineage.views import load_views
from lakeport.lineage.wire import Span
from lakeport.lineage.workload import Statement, source_files

if TYPE_CHECKING:
    from lakeport.lineage.entries import Announced
    from lakeport.lineage.globalgraph import GlobalGraph
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.names import Name
    from lakeport.lineage.result import AnalyzeResult, LocalRelation, Node, StatementLineage
    from lakeport.lineage.session import Session
    from lakeport.lineage.variables import Variable

_Identity: TypeAlias = "tuple[int, str, str | None, str | None]"


class _Kept(NamedTuple):
    """A statement's answer and everything it depended on and did."""

    analysed: Analysed
    counts: Counts
    issues: list[Issue]
    # The revisions of what it looked up, and the names that had none.
    seen: dict[Name, int]
    unseen: list[Name]
    # The names of all tables, if it asked for one that is like another.
    names: int | None
    log: list[tuple[str, tuple[Any, ...]]]
    revised: dict[Name, int]
    announced: Announced | None
    # The variables there were before it, and those it left.
    before: dict[str, Variable]
    variables: dict[str, Variable]


class Analyzer:
    """Answers request after request; equal statements in equal surroundings are answered once.

    Not safe for use by several threads at once; results may share nodes with earlier ones.
    """

    def __init__(self) -> None:
        self._settings: bytes = b""
        self._pieces: dict[str, Pieces] = {}
        self._graph: GlobalGraph | None = None
        # Which statements use which tables, as long as the graph stays what it is.
        self._used: dict[Name, list[int]] = {}
        self._kept: dict[_Identity, _Kept] = {}

    def analyze(self, request: AnalyzeRequest | dict[str, Any] | str | bytes) -> AnalyzeResult:
        """The same answer as `lakeport.lineage.analyze`, sooner."""
        decoded, issues = read_request(request)
        if decoded is None or not _can_be_incremental(decoded):
            return analyze(request)
        settings = _settings(decoded)
        if settings != self._settings:
            self._settings, self._pieces, self._kept = settings, {}, {}
            self._graph = None
        with Undisturbed():
            return self._run(decoded, issues)

    def _run(self, request: AnalyzeRequest, issues: list[Issue]) -> AnalyzeResult:
        session = open_session(request, issues)
        statements = self._statements(session)
        graph = workload_graph(request.options)
        load_views(session, graph)
        before = list(self._kept.values())
        identities = [_identity(statement) for statement in statements]
        known = [self._kept.get(identity) for identity in identities]
        announced = [
            self._announce(session, s, kept) for s, kept in zip(statements, known, strict=True)
        ]
        results: list[StatementLineage] = []
        fresh: dict[_Identity, _Kept] = {}
        for identity, statement, kept, future in zip(
            identities, statements, known, announced, strict=True
        ):
            answer = self._answer(session, statement, kept, future)
            fresh[identity] = answer
            results.append(answer.analysed.lineage)
        self._kept = fresh
        if self._graph is not None and _draw_alike(before, list(fresh.values())):
            # Most edits change a condition or a comment: the graph is the one we have.
            graph, session.used = self._graph, self._used
        else:
            for answer in fresh.values():
                answer.analysed.join(session, graph)
        self._graph, self._used = graph, session.used
        counts = [answer.counts for answer in fresh.values()]
        return finish(session, list(map(copy, results)), graph, counts)

    def _statements(self, session: Session) -> list[Statement]:
        found: list[Statement] = []
        pieces: dict[str, Pieces] = {}
        for position, file in enumerate(source_files(session)):
            key = f"{position}:{file.name}"
            pieces[key] = resplit(self._pieces.get(key), file.content, session.dialect.parser)
            source = SourceText(file.content, file.name or None, session.request.encoding)
            found += [
                Statement(len(found) + n, source, chunk, _UNPARSED)
                for n, chunk in enumerate(pieces[key].chunks)
            ]
        self._pieces = pieces
        return found

    def _announce(
        self, session: Session, statement: Statement, kept: _Kept | None
    ) -> Announced | None:
        if kept is not None:
            announced = kept.announced
        else:
            _parse(session, statement)
            announced = announcement(session, statement)
        if announced is not None and session.registry.allow_implied:
            session.registry.begin(statement.index, statement.said)
            session.registry.announce(statement.index, announced)
        return announced

    def _answer(
        self,
        session: Session,
        statement: Statement,
        kept: _Kept | None,
        announced: Announced | None,
    ) -> _Kept:
        registry = session.registry
        if (
            kept is not None
            and kept.before == session.variables
            and registry.knows_names(kept.names)
            and kept.seen.items() <= registry.revisions.items()
            and registry.revisions.keys().isdisjoint(kept.unseen)
        ):
            # What it makes of its relations is known.
            registry.begin(statement.index)
            registry.replay(kept.log, kept.revised)
            session.variables.clear()
            session.variables.update(kept.variables)
            moved = _moved(kept, statement)
            session.issues += moved.issues
            return moved
        if statement.parsed is _UNPARSED:
            _parse(session, statement)
        before, variables = len(session.issues), dict(session.variables)
        analysed = analyse_statement(session, statement)
        return _Kept(
            analysed=analysed,
            counts=counts_of(analysed.lineage),
            issues=session.issues[before:],
            seen={name: revision for name, revision in registry.seen.items() if revision},
            unseen=[name for name, revision in registry.seen.items() if not revision],
            names=registry.names_asked,
            log=registry.log,
            revised=registry.revised,
            announced=announced,
            before=variables,
            variables=dict(session.variables),
        )


_UNPARSED = Parsed(None)


def _draw_alike(before: list[_Kept], after: list[_Kept]) -> bool:
    """Whether two versions of a workload have one graph."""
    if len(before) != len(after):
        return False
    # Statements that were not analysed again are the same object, or moved copies of it.
    return all(
        old.analysed.names is new.analysed.names or old.analysed.draws_like(new.analysed)
        for old, new in zip(before, after, strict=True)
    )


def _identity(statement: Statement) -> _Identity:
    return statement.index, *statement.said


def _can_be_incremental(request: AnalyzeRequest) -> bool:
    """Templates, models, tags, deadlines and reordering look at the whole workload at once."""
    options = request.options
    tagged = bool(request.tag_hints) or bool(
        request.schema and any(c.tags for t in request.schema.tables for c in t.columns)
    )
    ordered = options.statement_order != "dependency" and options.time_budget_ms is None
    models = any(file.builds for file in request.files)
    if request.dialect.lower() == "athena":
        # What its first statement is says how a whole text is cut into tokens.
        return False
    return request.template_config.mode == "raw" and ordered and not tagged and not models


def _settings(request: AnalyzeRequest) -> bytes:
    """Everything of a request but its SQL."""
    return msgspec.msgpack.encode(
        (request.dialect, request.options, request.schema, request.encoding)
    )


def _parse(session: Session, statement: Statement) -> None:
    text = statement.source.content
    statement.chunk = tokenised(statement.chunk, text, session.dialect.parser)
    statement.parsed = StatementParser(
        text, session.dialect, session.options.max_expression_depth
    ).parse(statement.chunk)


# -- moving ------------------------------------------------------------------------------------


def _moved(kept: _Kept, statement: Statement) -> _Kept:
    """The same answer at another place of the text."""
    lineage = kept.analysed.lineage
    span = statement.source.span(statement.chunk.start, statement.chunk.end)
    distance = span.start - lineage.span.start
    if not distance:
        return kept
    moved = msgspec.structs.replace(
        lineage,
        span=span,
        nodes=[_moved_node(node, distance) for node in lineage.nodes],
        local_schema=[_moved_local(relation, distance) for relation in lineage.local_schema],
    )
    issues = [
        msgspec.structs.replace(issue, span=_shifted(issue.span, distance)) if issue.span else issue
        for issue in kept.issues
    ]
    return kept._replace(analysed=kept.analysed._replace(lineage=moved), issues=issues)


def _shifted(span: Span, distance: int) -> Span:
    return Span(span.start + distance, span.end + distance)


def _moved_node(node: Node, distance: int) -> Node:
    if node.span is None and not node.name_spans and node.body_span is None:
        return node
    return msgspec.structs.replace(
        node,
        span=_shifted(node.span, distance) if node.span else None,
        name_spans=[_shifted(span, distance) for span in node.name_spans] or (),
        body_span=_shifted(node.body_span, distance) if node.body_span else None,
    )


def _moved_local(relation: LocalRelation, distance: int) -> LocalRelation:
    if relation.span is None:
        return relation
    return msgspec.structs.replace(relation, span=_shifted(relation.span, distance))
