"""All that a plan is made of, and the schemas that readers of each table will find there.

`Futures` begins with the tables as they are. Each planned model puts what its table will have in their
place, so that models after it are planned against that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from lakeport.core.names import TableName
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.graph.model import KnownTable, Node
from lakeport.pipeline.growth.model import (
    Field,
    Foreign,
    ListOf,
    MapOf,
    Schema,
    StructOf,
    Type,
    shown,
)
from lakeport.pipeline.growth.spark_words import text_of, type_from_text
from lakeport.pipeline.growth.storing import stored
from lakeport.pipeline.planning.interval import Asked
from lakeport.pipeline.planning.reasons import LastBuilt
from lakeport.pipeline.planning.staged import read_key, schema_mark
from lakeport.pipeline.project.model import PublishMode, TableMap
from lakeport.pipeline.target.head import Commit, Head

VOID = Foreign("void")
"""Of a bare NULL."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A table as it is. `whole` takes longer, and is asked for where something is to be done to it."""

    name: TableName
    columns: Schema
    commits: tuple[Commit, ...]
    whole: Callable[[], Head]


Targets = Callable[[TableName], Standing | None]
"""A target as it is now, by its mapped name."""


class Analyst(Protocol):
    """Who can tell the columns of a query without computing it; None if it cannot be asked now."""

    def columns(
        self,
        graph: Graph,
        node: Node,
        readable: Mapping[TableName, Schema],
        parameters: Mapping[str, object],
    ) -> Schema | None:
        """`readable` are models by name as they will be, whether or not their tables are there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """`selected` in the order of the graph. `publish` is said of all models, `usual` of those that say
    nothing themselves. Without `with_sql` no statements are made for models that do not change.
    """

    graph: Graph
    selected: tuple[TableName, ...]
    targets: Targets
    last: TableMap[LastBuilt]
    asked: Asked
    publish: PublishMode | None = None
    usual: PublishMode = "direct"
    analyst: Analyst | None = None
    with_sql: bool = True


@dataclass(slots=True)
class Futures:
    """The columns of models, by the project's names, as the next reader finds them; None if unknown."""

    graph: Graph
    planned: dict[tuple[str, str], Schema | None] = field(default_factory=dict)

    def put(self, model: TableName, columns: Schema | None) -> None:
        self.planned[model.folded] = columns

    def schema(self, model: TableName) -> Schema | None:
        return self.planned.get(model.folded)

    def marks(self, node: Node) -> dict[str, str | None]:
        """Of all tables that a model reads: a text that changes with the columns."""
        return read_marks(self.graph, node, self._mark)

    def _mark(self, name: TableName) -> str | None:
        if name.folded in self.planned:
            schema = self.planned[name.folded]
            return None if schema is None else mark_of(schema)
        project = self.graph.project
        table = project.environment.table(name) if name in project.models else name
        known = self.graph.catalog.get(table)
        return None if known is None else schema_mark(known.columns)


def read_marks(
    graph: Graph, node: Node, mark: Callable[[TableName], str | None]
) -> dict[str, str | None]:
    """`mark` is of a table by the project's name. An ephemeral model is its text, and what it reads."""
    found: dict[str, str | None] = {}
    for reference in (*node.references, *node.declared):
        name = reference.table
        if reference.kind == "model" and is_ephemeral(graph.node(name)):
            found[read_key(name)] = graph.node(name).model.fingerprint
            found |= read_marks(graph, graph.node(name), mark)
        elif reference.kind != "self":
            found[read_key(name)] = mark(name)
    return found


def is_ephemeral(node: Node) -> bool:
    return node.model.settings.materialized == "ephemeral"


def mark_of(schema: Schema) -> str:
    return schema_mark(described(schema))


def described(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Names and types in Spark's words, as the graph is told of tables."""
    return tuple((each.name, text_of(_seen(each.type))) for each in schema)


def schema_of(table: KnownTable) -> Schema:
    return tuple(Field(name, type_from_text(type_)) for name, type_ in table.columns)


def _seen(type_: Type) -> Type:
    """As Spark shows it, at every depth."""
    match type_:
        case StructOf():
            return StructOf(tuple(replace(each, type=_seen(each.type)) for each in type_.fields))
        case ListOf():
            return ListOf(_seen(type_.element), type_.required)
        case MapOf():
            return MapOf(_seen(type_.key), _seen(type_.value), type_.required)
        case _:
            return shown(type_)


def viewed(schema: Schema) -> Schema:
    """The columns of a view as its readers find them: the catalog keeps them in Iceberg's types."""
    return tuple(
        each if each.type == VOID else replace(each, type=stored(each.type)) for each in schema
    )
