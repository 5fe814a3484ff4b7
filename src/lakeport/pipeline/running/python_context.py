"""What a model in Python is given. Its tables are found as those of SQL are: by environment and branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.names import fold, nearest, quoted
from lakeport.lineage.references import TableUse, read_query
from lakeport.pipeline.graph import Node, Query, Reference
from lakeport.pipeline.graph.model import Qualifier
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.project.model import Value
from lakeport.pipeline.project.problems import Place
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.running.parameters import as_given, parameters_of
from lakeport.pipeline.session import Frame, Session


@dataclass(frozen=True)
class Context:
    """`parameters` are those of the project with `run_id`, `start` and `end`; `vars` those of templates.

    `this` is the table that the model builds, as SQL; `is_incremental` says that it is there and this is
    no full refresh.
    """

    spark: Session
    parameters: Mapping[str, Value]
    vars: Mapping[str, object]
    run_id: str
    start: datetime
    end: datetime
    this: str
    is_incremental: bool
    _node: Node = field(repr=False)
    _reading: Reading = field(repr=False)

    def table(self, name: str) -> Frame:
        """A table that `depends_on` names, in any spelling; or the model's own, if it is there."""
        return self._query(f"SELECT * FROM {_written(name)}", {})  # noqa: S608  one table's name

    def sql(self, text: str, **parameters: object) -> Frame:
        """A query over tables that `depends_on` names. `:name` stands for a value given here, or for a
        parameter of the run.
        """
        return self._query(text, parameters)

    def _query(self, text: str, parameters: Mapping[str, object]) -> Frame:
        read = read_query(text)
        if read.trouble is not None:
            raise InvalidRequestError(
                f"this is not one query: {read.trouble.message}", hint="write one SELECT"
            )
        found = Query(text, tuple(self._reference(use) for use in read.tables))
        known = {**self._hidden(found), **parameters}
        for use in read.parameters:
            if use.name not in known and use.name in self.parameters:
                known[use.name] = as_given(self.parameters[use.name])
        query = found.rewritten(self._reading.name)
        return self.spark.sql(query, known) if known else self.spark.sql(query)

    def _hidden(self, query: Query) -> dict[str, object]:
        """Parameters of the ephemeral models that it reads."""
        if not any(
            each.kind == "model" and self._reading.is_expanded(self._reading.graph.node(each.table))
            for each in query.references
        ):
            return {}
        inside = (each.query for each in self._reading.expanded(self._node))
        return parameters_of(inside, self.parameters)

    def _reference(self, use: TableUse) -> Reference:
        name = ".".join(use.parts)
        wanted = fold(name)
        own = self._node.name
        if wanted in {fold(str(own)), fold(str(self._node.table))}:
            found = Reference((), 0, 0, own, "self", Place(self._node.model.path))
        else:
            found = self._declared(name, wanted)
        return replace(
            found,
            parts=use.parts,
            start=use.start,
            end=use.end,
            suffix=(),
            travels=use.travels,
            alias_at=use.alias_at,
            lead=use.lead,
            is_only=use.is_only,
            qualifiers=tuple(
                Qualifier(each.start, each.end, each.parts) for each in use.qualifiers
            ),
        )

    def _declared(self, name: str, wanted: str) -> Reference:
        declared = self._node.declared
        catalog = fold(f"{self._reading.graph.project.catalog}.")
        for each in declared:
            if fold(str(each.table)) in {wanted, wanted.removeprefix(catalog)}:
                return each
        short = [each for each in declared if fold(each.table.table) == wanted]
        if len(short) == 1:
            return short[0]
        close = nearest(name, (str(each.table) for each in declared))
        hint = f'add it: SETTINGS = {{"depends_on": ["{name}"]}}'
        raise NotFoundError(
            f"{self._node.model.path} reads {quoted(name)}, which its `depends_on` does not name",
            hint=f"did you mean {quoted(close)}? else {hint}" if close else hint,
        )


def _written(name: str) -> str:
    """`shop.orders` as SQL, unless it is quoted already."""
    if "`" in name:
        return name
    return ".".join(identifier(part) for part in name.split("."))
