"""Which columns each model makes, of which columns, and what lineage has to say about its SQL.

Models are bound in their order. What comes after a stored model sees its *table*, which keeps the columns
it has: the catalog's first, then the new ones. A view and an ephemeral model have what their query gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeport.core.names import TableName, fold
from lakeport.lineage.models import Bound, Declared, ModelBinder
from lakeport.pipeline.graph.model import (
    Column,
    ColumnEdge,
    GraphIssue,
    KnownTable,
    Reference,
    RowEdge,
)
from lakeport.pipeline.graph.texts import Text
from lakeport.pipeline.growth.model import Foreign, Type
from lakeport.pipeline.growth.spark_words import text_of, type_from_text
from lakeport.pipeline.growth.widening import holds, promoted
from lakeport.pipeline.project.model import Model, Project, TableMap

Seen: TypeAlias = Declared
"""A model as those who read it find it: its table with all columns, its query where it has no table."""

_STORED = frozenset({"incremental", "table"})
# Said by the graph itself, or about guesses that its columns are marked with.
_UNSAID = frozenset({"UNKNOWN_TABLE", "FORWARD_REFERENCE", "INFERRED_SCHEMA", "CYCLIC_DEPENDENCY"})

# Lineage speaks to whoever calls it; here that is the author of a project.
_HINTS = {
    "add it to schema.tables, or correct the name": (
        "correct the name, or give the table that is read such a column"
    ),
    "add it to schema.tables": "declare it in sources.toml",
}


@dataclass(slots=True)
class Lineage:
    columns: dict[TableName, tuple[Column, ...] | None] = field(default_factory=dict)
    edges: list[ColumnEdge] = field(default_factory=list)
    row_edges: list[RowEdge] = field(default_factory=list)
    issues: dict[TableName, list[GraphIssue]] = field(default_factory=dict)
    seen: dict[TableName, Seen] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bindable:
    """A model's text with the tables it reads."""

    text: Text
    references: tuple[Reference, ...]

    @property
    def model(self) -> Model:
        return self.text.model


def bind_models(
    project: Project,
    ordered: Sequence[Bindable],
    catalog: TableMap[KnownTable],
    seen: Mapping[TableName, Seen] | None = None,
) -> Lineage:
    """`seen` are models of which somebody knows better what those after them find."""
    told = {} if seen is None else seen
    lineage = Lineage()
    spelled = _Spelled(project, catalog)
    bound: list[Bindable] = []
    with ModelBinder(_imported(project, catalog)) as binder:
        for each in ordered:
            name = each.model.name
            held = catalog.get(project.environment.table(name))
            if each.text.query is None:
                lineage.columns[name] = None
                known = held.columns if held is not None else ()
                left = told.get(name) or Declared(name.namespace, name.table, known, complete=False)
                lineage.seen[name] = left
                binder.declare(left)
                continue
            if held is not None and any(one.kind == "self" for one in each.references):
                binder.declare(Declared(name.namespace, name.table, held.columns))
            reads = [_parts(reference) for reference in each.references]
            found = binder.bind(
                each.text.query, (name.namespace, name.table), reads, each.model.path
            )
            bound.append(each)
            lineage.columns[name] = tuple(_columns(found)) if found.complete else None
            lineage.edges += spelled.edges(found, name)
            lineage.row_edges += spelled.row_edges(found, name)
            made = Declared(name.namespace, name.table, found.columns, found.complete)
            is_grown = held is not None and each.model.settings.materialized in _STORED
            left = told.get(name) or (_grown(name, held, found) if is_grown and held else made)
            lineage.seen[name] = left
            if left is not made:
                binder.declare(left)
        for issue in binder.issues:
            if issue.statement_index is None or issue.code.value in _UNSAID:
                continue
            each = bound[issue.statement_index]
            place = each.text.located.place(issue.span.start if issue.span else 0)
            lineage.issues.setdefault(each.model.name, []).append(
                GraphIssue(
                    issue.code.value,
                    issue.severity,
                    issue.message,
                    _HINTS.get(issue.hint or "", issue.hint),
                    place,
                    each.model.name,
                )
            )
    return lineage


def _imported(project: Project, catalog: TableMap[KnownTable]) -> Iterator[Declared]:
    """The catalog's columns are the truth; what sources.toml declares fills in for a missing table."""
    for table in catalog.values():
        if table.name not in project.models:
            yield Declared(table.name.namespace, table.name.table, table.columns)
    for source in project.sources.values():
        if source.name not in catalog and source.name not in project.models:
            columns = source.columns or ()
            complete = source.columns is not None
            yield Declared(source.name.namespace, source.name.table, columns, complete)


def _parts(reference: Reference) -> tuple[str, ...]:
    return (reference.table.namespace, reference.table.table, *reference.suffix)


def _columns(found: Bound) -> Iterator[Column]:
    guessed = {fold(origin.target) for origin in found.origins if origin.approximate}
    for name, text in found.columns:
        type_ = _type(text)
        yield Column(name, type_, type_ is not None and fold(name) not in guessed)


def _type(text: str | None) -> Type | None:
    """What no table can have is known all the same: a plan says what becomes of it."""
    return None if text is None else type_from_text(text)


def _grown(name: TableName, held: KnownTable, found: Bound) -> Declared:
    """What the table has when the model has run."""
    made = {fold(column): text for column, text in found.columns}
    kept = [(column, _widened(text, made.get(fold(column)))) for column, text in held.columns]
    names = {fold(column) for column, _ in kept}
    added = [(column, text) for column, text in found.columns if fold(column) not in names]
    return Declared(name.namespace, name.table, (*kept, *added), found.complete)


def _widened(held: str, made: str | None) -> str:
    if made is None or made == held:
        return held
    target, source = type_from_text(held), type_from_text(made)
    if isinstance(source, Foreign) or holds(target, source):
        return held
    wider = promoted(target, source)
    return held if wider is None else text_of(wider)


class _Spelled:
    """Lineage knows tables in lower case; the graph speaks of them as the project does."""

    def __init__(self, project: Project, catalog: TableMap[KnownTable]) -> None:
        self._names: Mapping[tuple[str, ...], TableName] = {
            (name.namespace.lower(), name.table.lower()): name
            for name in (*catalog, *project.sources, *project.models)
        }

    def edges(self, found: Bound, target: TableName) -> Iterator[ColumnEdge]:
        for origin in found.origins:
            source = self._names.get(origin.table[:2])
            if source is not None:
                yield ColumnEdge(source, origin.column, target, origin.target, origin.approximate)

    def row_edges(self, found: Bound, target: TableName) -> Iterator[RowEdge]:
        for decider in found.deciders:
            source = self._names.get(decider.table[:2])
            if source is not None:
                yield RowEdge(source, decider.column, target, decider.use, decider.approximate)
