"""Spark asked for the columns of a query, and for nothing else: no row is read, nothing is written.

Models that the query reads are put into its text as empty queries with the columns that they will have, so
that it does not matter which of their tables are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lakeport.core.errors import ConfigurationError, LakeportError, UnavailableError
from lakeport.core.names import TableName
from lakeport.pipeline.console import Console, SparkError
from lakeport.pipeline.graph.graph import Graph
from lakeport.pipeline.graph.model import Node, Reference
from lakeport.pipeline.growth.model import Schema
from lakeport.pipeline.growth.spark_select import null
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.project.model import TableMap
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.staging import Query, columns_of
from lakeport.pipeline.writing.failures import of_query


class SparkAnalyst:
    """`open_console` starts Spark, at the first question. `missing` says why it could not be asked."""

    def __init__(self, open_console: Callable[[], Console], catalog: str) -> None:
        self._open = open_console
        self._catalog = catalog
        self._console: Console | None = None
        self._answers: dict[str, Schema | LakeportError] = {}
        self.missing: LakeportError | None = None
        self.was_asked = False

    def columns(
        self,
        graph: Graph,
        node: Node,
        readable: Mapping[TableName, Schema],
        parameters: Mapping[str, object],
    ) -> Schema | None:
        """None where Spark is not there, or a model that is read has columns that nobody knows."""
        known = TableMap(readable.items())
        if self.missing is not None or any(name not in known for name in node.upstream):
            return None
        try:
            console = self._console = self._console or self._open()
        except (ConfigurationError, UnavailableError) as error:
            self.missing = error
            return None
        self.was_asked = True
        reading = _Empty(graph, self._catalog, known=known)
        text = reading.rewritten(node.query)
        # A plan may be made more than once before it agrees with itself.
        if text not in self._answers:
            self._answers[text] = self._asked(console, text, parameters)
        answer = self._answers[text]
        if isinstance(answer, LakeportError):
            raise placed(answer, node, reading)
        return answer

    def _asked(
        self, console: Console, text: str, parameters: Mapping[str, object]
    ) -> Schema | LakeportError:
        try:
            with console.failing():
                return columns_of(console.frame(Query(text).text, parameters))
        except SparkError as error:
            return of_query(error, console.spark.log)


@dataclass(frozen=True, slots=True)
class _Empty(Reading):
    """`known` are the models whose columns stand for their rows."""

    known: TableMap[Schema] = field(default_factory=TableMap)

    def name(self, reference: Reference) -> str:
        is_model = reference.kind == "model" and not reference.suffix and not reference.travels
        if is_model and reference.table in self.known:
            return empty_query(self.known[reference.table])
        return Reading.name(self, reference)

    def is_expanded(self, node: Node) -> bool:
        del node
        return False


def empty_query(columns: Schema) -> str:
    """Of these columns and no rows, in parentheses."""
    items = ", ".join(f"{null(field.type)} AS {identifier(field.name)}" for field in columns)
    return f"(SELECT {items} WHERE false)"
