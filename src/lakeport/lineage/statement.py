"""One statement from its tree to its lineage, and what it leaves behind in session and graph."""

from __future__ import annotations

import logging
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlglot import exp

from lakeport.lineage.bind.binder import Binder
from lakeport.lineage.bind.clashes import check_operations
from lakeport.lineage.bind.fragments import Fragments
from lakeport.lineage.bodies import routine_header
from lakeport.lineage.capture import declared_columns
from lakeport.lineage.emit import Emitter, leave_unplaced
from lakeport.lineage.entries import Announced, TableEntry
from lakeport.lineage.globalgraph import owners_of
from lakeport.lineage.graph import table_id
from lakeport.lineage.inference import learn
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.open_ends import Opened, opened_by
from lakeport.lineage.order import model_name
from lakeport.lineage.result import StatementLineage
from lakeport.lineage.routines import note_routine
from lakeport.lineage.salvage import created_kind, salvage, salvage_deep
from lakeport.lineage.session_reading import read_by_session
from lakeport.lineage.session_types import with_session_types
from lakeport.lineage.statements.define import (
    bind_definition,
    create_target,
    defines_relation,
    relation_kind,
)
from lakeport.lineage.statements.dispatch import bind_explained, bind_statement
from lakeport.lineage.statements.functions import bind_routine, note_rows, open_rows
from lakeport.lineage.statements.lone_values import bind_given
from lakeport.lineage.summary import complexity

if TYPE_CHECKING:
    from lakeport.lineage.bind.scope import Relation
    from lakeport.lineage.globalgraph import GlobalGraph
    from lakeport.lineage.names import Name
    from lakeport.lineage.parse import Parsed, Problem
    from lakeport.lineage.session import Session
    from lakeport.lineage.shim import Shim
    from lakeport.lineage.workload import Statement

_logger = logging.getLogger(__name__)

# Statements after which nothing of what a relation held before remains.
_EXCHANGES = frozenset({"RENAME", "SWAP"})
# What is a view in all but its name.
_SHOWN_AS_VIEWS = {"stream": "CREATE_STREAM", "synonym": "CREATE_SYNONYM"}
_REWRITES = frozenset(
    {
        "ALTER_VIEW",
        "CACHE",
        "CREATE_STREAM",
        "CREATE_SYNONYM",
        "CREATE_TABLE",
        "CREATE_TABLE_AS",
        "CREATE_TABLE_CLONE",
        "CREATE_TABLE_LIKE",
        "CREATE_VIEW",
        "DROP",
        "INSERT_OVERWRITE",
        "LOAD",
        "TRUNCATE",
    }
)


def announce_definitions(session: Session, statements: list[Statement]) -> None:
    """Tell the registry what later statements create, so that a forward reference is no stranger."""
    if not session.registry.allow_implied:
        return
    for statement in statements:
        announced = announcement(session, statement)
        if announced is not None:
            session.registry.announce(statement.index, announced)


def announcement(session: Session, statement: Statement) -> Announced | None:
    """What a statement will define, and how to learn its columns if it lists them."""
    model = model_name(session, statement)
    if model is not None:
        return Announced(model, _unlisted, "view" if _is_view(statement) else "table")
    tree = statement.parsed.tree if statement.parsed.is_a(exp.Create) else None
    if not isinstance(tree, exp.Create) or not defines_relation(tree):
        return None
    binder = Binder(session, statement.chunk, statement.source.content, statement.index)
    name, shown, temporary = create_target(binder, tree)
    if not name:
        return None
    if not isinstance(tree.this, exp.Schema) or tree.args.get("expression") is not None:
        return Announced(name, _unlisted, relation_kind(tree))

    def listed() -> TableEntry | None:
        columns, constraints = declared_columns(binder, tree.this)
        return TableEntry(
            name,
            shown,
            columns,
            "implied",
            complete=bool(columns),
            kind=relation_kind(tree),
            temporary=temporary,
            inference="ddl",
            constraints=constraints,
        )

    return Announced(name, listed, relation_kind(tree))


def _unlisted() -> TableEntry | None:
    """The columns come from a query, which is bound when its turn comes."""
    return None


class Analysed(NamedTuple):
    """A statement's lineage and what it means for the rest of the workload."""

    lineage: StatementLineage
    # Canonical names of its tables, by node id.
    names: dict[str, Name]
    # The owners of the nodes that do not stand right behind theirs, by node id.
    owners: dict[str, str]
    reads: list[str]
    writes: list[str]
    # Which of the tables it writes hold nothing but its rows afterwards, and their nodes.
    rewrites: list[str]
    renewed: list[str]
    # Which of them have columns that nobody listed, and where those come from.
    opened: list[Opened]

    def join(self, session: Session, graph: GlobalGraph) -> None:
        """Take its place in the session and in the graph of the workload."""
        self.use(session)
        index = self.lineage.statement_index
        graph.add(self.lineage, self.names, self.owners, self.renewed, self.opened)
        graph.link(index, self.reads, self.writes, self.rewrites)

    def use(self, session: Session) -> None:
        """Be counted among the statements that use its tables."""
        index = self.lineage.statement_index
        for name in self.names.values():
            users = session.used.setdefault(name, [])
            if not users or users[-1] != index:
                users.append(index)

    def draws_like(self, other: Analysed) -> bool:
        """Whether both put the same nodes and edges into the graph of the workload."""
        return (
            self.lineage.statement_type == other.lineage.statement_type
            and self[_LINEAGE + 1 :] == other[_LINEAGE + 1 :]
            and list(map(_drawn_node, self.lineage.nodes))
            == list(map(_drawn_node, other.lineage.nodes))
            and list(map(_drawn_edge, self.lineage.edges))
            == list(map(_drawn_edge, other.lineage.edges))
        )


_LINEAGE = Analysed._fields.index("lineage")
# What of a node or an edge shows in the graph of the workload.
_drawn_node = attrgetter("id", "node_type", "label", "resolution_source", "metadata")
_drawn_edge = attrgetter("id", "approximate", "metadata")


def analyse_statement(session: Session, statement: Statement) -> Analysed:
    """Bind and emit one statement; its effects on the registry happen on the way."""
    session.source = statement.source
    variables = frozenset(session.variables.items()) if session.variables else None
    session.registry.begin(statement.index, statement.said, variables)
    told = len(session.issues)
    binder, kind, emitter = _emitted(session, statement)
    note_routine(statement.chunk.tokens, statement.source.content, session.registry, binder.body)
    result = _lineage(session, statement, binder, emitter, kind)
    if statement.incremental is not None:
        _add_incremental(session, statement, result)
    if statement.secrets:
        _hide(session, statement, result, told)
    names: dict[str, Name] = {}
    reads: dict[str, None] = {}
    writes: dict[str, None] = {}
    rewrites: list[str] = []
    renewed: list[str] = []
    opened: list[Opened] = []
    for relation in binder.relations:
        if relation.local_kind is not None or relation.kind == "output" or relation.node is None:
            continue
        names[relation.node] = relation.name
        if binder.explain_only:
            continue
        # The id of a table's first instance is its id in the graph of the workload.
        first = relation.node if relation.instance == 1 else table_id(relation.name)
        if relation.is_read:
            reads[first] = None
        if relation.written:
            writes[first] = None
            if (kind in _REWRITES and not relation.appended) or _is_exchanged(relation):
                rewrites.append(first)
                renewed.append(relation.node)
            if (relation.tails or relation.table_inputs) and (
                relation.entry is None or not relation.entry.complete
            ):
                certain = not kind.startswith(("INSERT", "MERGE"))
                opened.append(opened_by(relation, certain=certain))
    owners = emitter.fields if statement.incremental is None else owners_of(result.edges)
    binder.dissolve()
    return Analysed(result, names, owners, list(reads), list(writes), rewrites, renewed, opened)


def _is_exchanged(relation: Relation) -> bool:
    """It holds the rows of another, from ALTER on."""
    return any(operation in _EXCHANGES for _, operation in relation.table_inputs)


def _lineage(
    session: Session, statement: Statement, binder: Binder, emitter: Emitter, kind: str
) -> StatementLineage:
    return StatementLineage(
        statement_index=statement.index,
        statement_type=kind,
        nodes=emitter.nodes,
        edges=emitter.edges,
        span=session.source.span(statement.chunk.start, statement.chunk.end),
        join_count=len(binder.joins),
        complexity_score=complexity(binder),
        source_name=statement.source.name,
        resolved_sql=statement.resolved_sql,
        local_schema=emitter.local_schema(),
        reads=list(binder.reads),
        writes=[] if binder.explain_only else list(binder.writes),
        metadata=_metadata(statement, binder),
    )


def _metadata(statement: Statement, binder: Binder) -> dict[str, Any]:
    line = statement.source.line(statement.chunk.start)
    told = {"sourceLine": line} if line is not None else {}
    return {**told, "explainOnly": True} if binder.explain_only else told


def _hide(session: Session, statement: Statement, result: StatementLineage, told: int) -> None:
    """Star out the secrets in what is quoted of a templated statement."""
    from lakeport.lineage.templating.hidden import hide, hide_in  # noqa: PLC0415 - rarely needed

    hide(result, statement.secrets)
    hide_in(session.issues, told, statement.secrets)


def cancelled_statement(session: Session, statement: Statement) -> StatementLineage:
    """The deadline came first."""
    session.source = statement.source
    session.report(
        IssueCode.CANCELLED,
        "the time budget was used up before this statement",
        statement=statement.index,
        hint="raise options.timeBudgetMs",
    )
    return StatementLineage(
        statement_index=statement.index,
        statement_type="UNKNOWN",
        nodes=[],
        edges=[],
        span=statement.source.span(statement.chunk.start, statement.chunk.end),
        join_count=0,
        complexity_score=1,
        source_name=statement.source.name,
    )


# -- binding -----------------------------------------------------------------------------------


def _emitted(session: Session, statement: Statement) -> tuple[Binder, str, Emitter]:
    """The statement's plan and graph; a statement we fail on is salvaged, never lost."""
    try:
        binder, kind = _bound(session, statement)
        if statement.parsed.computed:
            leave_unplaced(binder)
        emitter = Emitter(binder)
        emitter.emit()
        check_operations(binder)
    except RecursionError:
        binder, kind = _given_up(
            session, statement, IssueCode.APPROXIMATE_LINEAGE, "it is nested too deeply"
        )
    except MemoryError:
        binder, kind = _given_up(
            session, statement, IssueCode.MEMORY_LIMIT_EXCEEDED, "memory ran out"
        )
    except Exception:
        # A bug of ours on one statement must not cost the others; what it was is for our log alone.
        _logger.exception("lineage.bug", extra={"statement": statement.index})
        reason = "of an error of ours"
        binder, kind = _given_up(session, statement, IssueCode.UNSUPPORTED_SYNTAX, reason)
    else:
        return binder, kind, emitter
    emitter = Emitter(binder)
    emitter.emit()
    return binder, kind, emitter


def _bound(session: Session, statement: Statement) -> tuple[Binder, str]:
    """A binder that holds the statement's plan."""
    if (
        session.variables or session.registry.settings.quoted_names
    ) and session.dialect.naming == "spark":
        read_by_session(session, statement)
    parsed = statement.parsed
    binder = Binder(session, statement.chunk, statement.source.content, statement.index)
    if parsed.loan is not None:
        binder.fragments.shape = parsed.loan.shape
    if parsed.tree is None:
        header = routine_header(statement.chunk.tokens)
        if header is not None and statement.chunk.error is None:
            return binder, header
        _report_problem(session, statement)
        deep = parsed.problem is not None and parsed.problem.too_deep
        return binder, (salvage_deep if deep else salvage)(binder, statement.chunk)
    if parsed.fallback is not None:
        session.report(
            IssueCode.DIALECT_FALLBACK,
            f"read as {parsed.fallback}, because it is not valid {session.dialect.name}",
            statement=statement.index,
            extent=(statement.chunk.start, statement.chunk.end),
        )
    if parsed.cut is not None:
        _report_cut(session, statement, parsed.cut, "only the columns in parts of this statement")
    if binder.blocks:
        open_rows(binder)
    kind = _bind(binder, statement, parsed)
    if binder.blocks:
        note_rows(binder, parsed.tree)
    learn(binder)
    return binder, kind


def _given_up(
    session: Session, statement: Statement, code: IssueCode, reason: str
) -> tuple[Binder, str]:
    session.report(
        code,
        f"only the table names of this statement are known, because {reason}",
        statement=statement.index,
        extent=(statement.chunk.start, statement.chunk.end),
    )
    session.registry.frozen = False
    binder = Binder(session, statement.chunk, statement.source.content, statement.index)
    return binder, salvage(binder, statement.chunk)


def _report_problem(session: Session, statement: Statement) -> None:
    problem = statement.parsed.problem
    if problem is not None and problem.too_deep:
        _report_cut(session, statement, problem, "only the table names of this statement")
    elif problem is not None:
        session.report(
            IssueCode.PARSE_ERROR,
            problem.message,
            statement=statement.index,
            extent=(problem.start, problem.end),
            hint="the statement keeps its place; its tables are a guess",
        )


def _report_cut(session: Session, statement: Statement, problem: Problem, known: str) -> None:
    session.report(
        IssueCode.APPROXIMATE_LINEAGE,
        f"{known} are known, because it is {problem.message}",
        statement=statement.index,
        extent=(problem.start, problem.end),
        hint="options.maxExpressionDepth goes up to 400",
    )


def _bind(binder: Binder, statement: Statement, parsed: Parsed) -> str:
    tree = parsed.tree
    assert tree is not None  # noqa: S101 - the caller has handled statements without a tree
    tree = with_session_types(tree, binder.registry)
    inner = _bind_inner(binder, parsed.shim, tree) if parsed.shim is not None else None
    if inner is not None:
        return inner
    if statement.builds and isinstance(tree, exp.Query):
        return _bind_model(binder, statement, tree)
    routine = bind_routine(binder, statement.chunk.tokens, tree)
    if routine is not None:
        return routine
    reports = binder.session.reports
    kind = bind_statement(binder, tree)
    if isinstance(tree, exp.Command) and (
        created_kind(statement.chunk.tokens) is not None
        or IssueCode.UNSUPPORTED_SYNTAX in binder.session.codes_after(reports)
    ):
        # Syntax the parser skips over: its tables are there all the same.
        salvage(binder, statement.chunk)
    return kind


def _bind_inner(binder: Binder, shim: Shim, tree: exp.Expr) -> str | None:
    """A statement that is about another one, or about a path."""
    if shim.kind in {"explain", "immediate", "unload"}:
        binder.fragments = Fragments(shim.tokens, binder.text)
    if shim.kind == "explain":
        return bind_explained(binder, tree)
    if shim.kind == "immediate":
        binder.report(
            IssueCode.DYNAMIC_SQL,
            "the statement runs SQL from a string, which is analysed as it is written there",
        )
        bind_statement(binder, tree)
        bind_given(binder, shim.values)
        return "CALL"
    if shim.kind == "answered":
        binder.report(
            IssueCode.UNSUPPORTED_SYNTAX,
            "the rows that the procedure answers with are not known",
            severity="info",
        )
    if shim.kind in _SHOWN_AS_VIEWS:
        bind_statement(binder, tree)
        return _SHOWN_AS_VIEWS[shim.kind]
    if shim.path is None:
        return None
    target = binder.external(shim.path, shim.path, read=False)
    target.written = True
    binder.writes.setdefault(shim.path)
    target.receive(binder.query(tree, None, {}))
    return "UNLOAD" if shim.kind == "unload" else "INSERT_OVERWRITE"


def _bind_model(binder: Binder, statement: Statement, tree: exp.Query) -> str:
    """A bare SELECT in a model's file writes the table the file stands for."""
    model = statement.model
    names = ("this", "db", "catalog")
    identifiers = [exp.Identifier(this=part, quoted=False) for part in reversed(statement.builds)]
    table = exp.Table(**dict(zip(names, identifiers, strict=False)))
    view = _is_view(statement)
    bind_definition(binder, table, tree, {}, kind="view" if view else "table")
    target = binder.relations[-1]
    if target.instance > 1:
        _count_first(binder, target)
    if model is not None:
        target.metadata["dbtModel"] = model.name
        if model.materialized:
            target.metadata["materialized"] = model.materialized
    return "CREATE_VIEW" if view else "CREATE_TABLE_AS"


def _is_view(statement: Statement) -> bool:
    """Whether a model is one, as it is unless it says otherwise."""
    model = statement.model
    return model is not None and (model.materialized or "view") in {"view", "ephemeral"}


def _count_first(binder: Binder, target: Relation) -> None:
    """The table a model builds is the first of its name, also where the model reads it itself.

    Otherwise it would be another node in an incremental run than in a full one.
    """
    for relation in binder.relations:
        if relation.name == target.name and relation.local_kind is None:
            relation.instance += 1
    target.instance = 1


def _add_incremental(session: Session, statement: Statement, result: StatementLineage) -> None:
    """What only an incremental run reads, marked as such."""
    other = statement.incremental
    if other is None:
        return
    other.index = statement.index
    session.source = other.source
    told = len(session.issues)
    binder, _, emitter = _emitted(session, other)
    session.source = statement.source
    # The text that is shown has no place for them.
    session.issues[told:] = [
        msgspec.structs.replace(issue, span=None) for issue in session.issues[told:]
    ]
    nodes = {node.id for node in result.nodes}
    edges = {edge.id for edge in result.edges}
    for node in emitter.nodes:
        if node.id not in nodes:
            node.metadata = {**node.metadata, "incrementalOnly": True}
            node.span, node.name_spans, node.body_span = None, (), None
            result.nodes.append(node)
    for edge in emitter.edges:
        if edge.id not in edges:
            edge.metadata = {**edge.metadata, "incrementalOnly": True}
            result.edges.append(edge)
    result.reads = list(dict.fromkeys([*result.reads, *binder.reads]))
