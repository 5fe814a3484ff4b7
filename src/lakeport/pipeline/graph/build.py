"""From a project to its graph, or to everything that is wrong with it at once.

The catalog is asked by name for what the models read and write, once; twice where templates want to know
whether their tables exist, because only then is it known what they read.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from lakeport.core.names import TableName, nearest, quoted
from lakeport.pipeline.graph.columns import Bindable, Lineage, Seen, bind_models
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.graph.model import (
    AuditNode,
    CatalogSchema,
    GraphIssue,
    KnownTable,
    Nearest,
    Node,
    ParameterUse,
    Query,
    Reference,
    ReferenceKind,
)
from lakeport.pipeline.graph.order import circles, in_order
from lakeport.pipeline.graph.resolve import Names, Target, parts_of, reference_of
from lakeport.pipeline.graph.texts import Text, Texts, read_texts
from lakeport.pipeline.project.model import (
    BUILT_IN_PARAMETERS,
    THIS_ROWS,
    Audit,
    Model,
    Project,
    TableMap,
)
from lakeport.pipeline.project.problems import Place, Problem, ProjectError
from lakeport.pipeline.project.template import is_template

Incremental = Callable[[TableName], bool]


def build_graph(
    project: Project,
    catalog_schema: CatalogSchema,
    is_incremental: Incremental | None = None,
    parameters: Collection[str] = (),
    *,
    seen: Mapping[TableName, Seen] | None = None,
    nearest_table: Nearest | None = None,
) -> Graph:
    """`parameters` are names that the caller will give beside the project's own.

    `seen` is what models that come after some find there, by whoever knows better than their queries.

    `is_incremental` is asked for models with templates; without it, a model is incremental if it is
    materialized so and its table exists.
    """
    with _uncollected():
        builder = _Builder(project, catalog_schema, Names(project, nearest_table), parameters)
        return builder.build(is_incremental, seen)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Trees are kept until the end, so that looking through them for garbage finds none."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@dataclass(slots=True)
class _Read:
    """A model's text with its tables found."""

    text: Text
    query: Query
    declared: list[Reference] = field(default_factory=list)
    audits: list[AuditNode] = field(default_factory=list)

    @property
    def model(self) -> Model:
        return self.text.model

    def everything(self) -> Iterator[Reference]:
        yield from self.query.references
        yield from self.declared
        for audit in self.audits:
            if audit.to is not None:
                yield audit.to
            if audit.query is not None:
                yield from audit.query.references

    @property
    def inside(self) -> Iterator[TableName]:
        """The models that its query names."""
        return (one.table for one in self.query.references if one.kind == "model")

    @property
    def upstream(self) -> tuple[TableName, ...]:
        names = (one.table for one in self.everything() if one.kind == "model")
        return tuple(dict.fromkeys(names))


class _Builder:
    def __init__(
        self,
        project: Project,
        catalog_schema: CatalogSchema,
        names: Names,
        parameters: Collection[str],
    ) -> None:
        self._project = project
        self._ask = catalog_schema
        self._problems = list(project.problems)
        self._names = names
        self._targets = [project.environment.table(name) for name in project.models]
        self._known: dict[tuple[str, str], KnownTable] = {}
        self._asked: set[tuple[str, str]] = set()
        self._parameters = {*project.parameters, *parameters, *BUILT_IN_PARAMETERS}

    def build(
        self, is_incremental: Incremental | None, seen: Mapping[TableName, Seen] | None
    ) -> Graph:
        project = self._project
        if is_incremental is None:
            if any(is_template(model.body) for model in project.models.values()):
                self._learn(self._targets)
            is_incremental = self._has_rows
        texts = read_texts(project, is_incremental)
        self._problems += texts.problems
        self._learn((*self._targets, *self._unfamiliar(texts)))
        catalog = TableMap((table.name, table) for table in self._known.values())
        self._names.catalog = catalog
        read = self._resolved(texts)
        upstream = {each.model.name: each.upstream for each in read}
        knots = circles(upstream)
        self._problems += (_circle(knot, read) for knot in knots)
        self._problems += _parameters_in_views(read)
        if self._problems:
            raise ProjectError(self._problems)
        by_name = {each.model.name: each for each in read}
        ordered = [by_name[name] for name in in_order(upstream)]
        bindable = [Bindable(each.text, each.query.references) for each in ordered]
        lineage = bind_models(project, bindable, catalog, seen)
        nodes = tuple(self._node(each, lineage, catalog) for each in ordered)
        left = TableMap(lineage.seen.items())
        return Graph(project, nodes, tuple(lineage.edges), tuple(lineage.row_edges), catalog, left)

    # -- the catalog ---------------------------------------------------------------------------

    def _learn(self, names: Iterable[TableName]) -> None:
        wanted = {name.folded: name for name in names if name.folded not in self._asked}
        if wanted:
            self._asked |= wanted.keys()
            found = self._ask(sorted(wanted.values()))
            self._known |= {table.name.folded: table for table in found}

    def _has_rows(self, name: TableName) -> bool:
        """One that is empty is built as if it were new: `max(…)` of nothing lets no row through."""
        settings = self._project.models[name].settings
        found = self._known.get(self._project.environment.table(name).folded)
        return settings.materialized == "incremental" and found is not None and not found.is_empty

    def _unfamiliar(self, texts: Texts) -> Iterator[TableName]:
        """What no file of the project explains; of sources it is good to know what they really have."""
        for text in (*texts.models, *texts.audits):
            for use in text.query.tables if text.query is not None else ():
                yield from self._names.asked(use.parts)
                yield from self._as_source(use.parts)
        for model in self._project.models.values():
            for name in (*model.settings.depends_on, *_tables_of(model.settings.audits)):
                yield from self._names.asked(parts_of(name))
                yield from self._as_source(parts_of(name))

    def _as_source(self, parts: tuple[str, ...]) -> Iterator[TableName]:
        found = self._names.find(parts)
        if isinstance(found, Target) and found.kind == "source":
            yield found.table

    # -- names ---------------------------------------------------------------------------------

    def _resolved(self, texts: Texts) -> list[_Read]:
        read = [_Read(text, self._query(text)) for text in texts.models]
        by_name = {each.model.name: each for each in read}
        audits = {(text.model.name, id(text.audit)): text for text in texts.audits}
        for each in read:
            model = each.model
            for name in model.settings.depends_on:
                place = Place(model.path, model.line_of("depends_on"))
                found = self._named(model, name, place)
                if found is not None:
                    each.declared.append(found)
            for audit in model.settings.audits:
                text = audits.get((model.name, id(audit)))
                by_name[model.name].audits.append(self._audit(model, audit, text))
        return read

    def _audit(self, model: Model, audit: Audit, text: Text | None) -> AuditNode:
        to = None
        if audit.to is not None:
            to = self._named(model, audit.to, Place(model.path, audit.line))
        return AuditNode(audit, to, None if text is None else self._query(text))

    def _named(self, model: Model, name: str, place: Place) -> Reference | None:
        """A table that a setting names."""
        parts = parts_of(name)
        found = self._names.find(parts)
        if not isinstance(found, Target):
            self._problems.append(Problem(found.code, found.message, found.hint, place))
            return None
        kind = self._kind(found, model)
        return Reference(parts, 0, 0, found.table, kind, place, found.suffix)

    def _kind(self, found: Target, model: Model) -> ReferenceKind:
        is_self = found.kind == "model" and found.table == model.name
        return "self" if is_self else found.kind

    def _query(self, text: Text) -> Query:
        if text.query is None:
            return Query("" if text.model.language == "python" else text.located.sql)
        references = tuple(self._references(text))
        return Query(text.located.sql, references, tuple(self._parameters_of(text)))

    def _references(self, text: Text) -> Iterator[Reference]:
        assert text.query is not None  # noqa: S101 - the caller looked
        located, model = text.located, text.model
        for computed in text.query.computed:
            message = f"the table {quoted(computed.name)} is known only when it runs"
            hint = "name tables in the text: a template can do that with var()"
            self._problems.append(located.problem("computed-name", message, hint, computed.start))
        for use in text.query.tables:
            if text.audit is not None and use.parts == (THIS_ROWS,):
                continue
            found = self._names.find(use.parts)
            if not isinstance(found, Target):
                self._problems.append(
                    located.problem(found.code, found.message, found.hint, use.start)
                )
                continue
            kind = self._kind(found, model)
            if kind == "self" and not found.suffix and text.audit is None:
                self._problems += self._reads_itself(text, use.start)
            yield reference_of(use, found, kind, located.place(use.start))

    def _reads_itself(self, text: Text, start: int) -> Iterator[Problem]:
        model = text.model
        if model.settings.materialized not in {"incremental", "table"}:
            message = f"{quoted(str(model.name))} reads itself"
            hint = "only a stored model can read its former rows"
        elif self._project.environment.table(model.name).folded not in self._known:
            message = f"{quoted(str(model.name))} reads itself, and there is no such table yet"
            hint = "read it inside of {% if is_incremental() %} … {% endif %}"
        else:
            return
        yield text.located.problem("reads-itself", message, hint, start)

    def _parameters_of(self, text: Text) -> Iterator[ParameterUse]:
        assert text.query is not None  # noqa: S101 - the caller looked
        located, model = text.located, text.model
        for use in text.query.parameters:
            if use.name not in self._parameters:
                close = nearest(use.name, self._parameters)
                hint = f"did you mean {quoted(f':{close}')}? if not, " if close else ""
                message = f"there is no parameter {quoted(f':{use.name}')}"
                hint += f"set it in [pipeline.parameters]: {use.name} = …"
                self._problems.append(
                    located.problem("unknown-parameter", message, hint, use.start)
                )
            elif model.settings.materialized == "view" and text.audit is None:
                message = f"a view cannot take the parameter {quoted(f':{use.name}')}"
                hint = 'a view is read without a run: set materialized = "table", or use var()'
                self._problems.append(located.problem("view-parameter", message, hint, use.start))
            yield ParameterUse(use.name, use.start, use.end, located.place(use.start))

    # -- the answer ----------------------------------------------------------------------------

    def _node(self, read: _Read, lineage: Lineage, catalog: TableMap[KnownTable]) -> Node:
        name = read.model.name
        issues = [*lineage.issues.get(name, ())]
        missing = {
            one.table: one
            for one in read.everything()
            if one.kind == "source" and one.table not in catalog
        }
        for table, reference in missing.items():
            issues.append(
                GraphIssue(
                    "SOURCE_NOT_LOADED",
                    "warning",
                    f"the source {quoted(str(table))} is not in the catalog yet",
                    f"load it: lakeport load {table} FILE",
                    reference.place,
                    name,
                )
            )
        return Node(
            read.model,
            self._project.environment.table(name),
            read.query,
            read.upstream,
            lineage.columns[name],
            tuple(issues),
            tuple(read.declared),
            tuple(read.audits),
        )


def _parameters_in_views(read: list[_Read]) -> Iterator[Problem]:
    """Of ephemeral models, whose queries a view takes in and keeps."""
    by_name: Mapping[TableName, _Read] = {each.model.name: each for each in read}
    for view in read:
        if view.model.settings.materialized != "view":
            continue
        pending, seen = list(view.inside), set[TableName]()
        while pending:
            name = pending.pop()
            above = by_name[name]
            if name in seen or above.model.settings.materialized != "ephemeral":
                continue
            seen.add(name)
            pending += above.inside
            for use in above.query.parameters:
                yield Problem(
                    "view-parameter",
                    f"the view {quoted(str(view.model.name))} takes this query in, and cannot take the"
                    f" parameter {quoted(f':{use.name}')}",
                    f'a view is read without a run: set materialized = "table" in {view.model.path},'
                    " or use var()",
                    use.place,
                )


def _tables_of(audits: Iterable[Audit]) -> Iterator[str]:
    return (audit.to for audit in audits if audit.to is not None)


def _circle(knot: list[TableName], read: list[_Read]) -> Problem:
    """Every file of a circle, with the line that reads the next."""
    by_name: Mapping[TableName, _Read] = {each.model.name: each for each in read}
    steps: list[str] = []
    first: Place | None = None
    for name, above in zip(knot, (*knot[1:], knot[0]), strict=True):
        place = next(
            (one.place for one in by_name[name].everything() if one.table == above),
            Place(by_name[name].model.path),
        )
        first = first or place
        steps.append(f"{quoted(str(name))} reads {quoted(str(above))} ({place})")
    assert first is not None  # noqa: S101 - a circle has models
    return Problem(
        "cycle",
        "\n  ".join(("models read each other in a circle:", *steps)),
        "take one of these reads out, or move what both need into a model of its own",
        first,
    )
