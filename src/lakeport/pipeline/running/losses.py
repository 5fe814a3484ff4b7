"""Columns that a model in Python takes away, where nobody at the catalog's door refuses it.

Its function has a session and may do anything with it. By our own door tables lose nothing; another
service's lets everything pass. So the tables that the model is about are looked at before it and after it,
and nothing is written if one has lost something.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from lakeport.catalog.evolution.growing import losses
from lakeport.catalog.views import NotATableError
from lakeport.core.errors import PreconditionError
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.graph import Node
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.target import Head
from lakeport.pipeline.writing import Engine

_HINT = "take that out of the model; tables grow, and what was lost is in their history"


@dataclass(frozen=True, slots=True)
class Kept:
    """Tables as they were before a model; none where there is nothing to fear."""

    context: RunContext
    heads: tuple[Head, ...]

    @classmethod
    def of(cls, context: RunContext, node: Node, engine: Engine) -> Kept:
        if node.model.language != "python" or not engine.around.watches_growth:
            return cls(context, ())
        return cls(context, tuple(_heads(context, node)))

    def require(self) -> None:
        for before in self.heads:
            name = quoted(str(before.name))
            now = _head(self.context, before.name)
            if now is None or now.uuid != before.uuid:
                raise PreconditionError(
                    f"table {name} was dropped or replaced while the model ran", hint=_HINT
                )
            lost = next(losses(before.schema, now.schema), None)
            if lost is not None:
                what = lost.what.replace("would be", "was")
                raise PreconditionError(
                    f"column {quoted(lost.column)} of table {name} {what} while the model ran",
                    hint=_HINT,
                )


def _heads(context: RunContext, node: Node) -> Iterator[Head]:
    """Of its own table and of those that it reads, as far as they are there."""
    for table in {node.table, *_read(context, node)}:
        head = _head(context, table)
        if head is not None:
            yield head


def _read(context: RunContext, node: Node) -> Iterator[TableName]:
    for reference in node.declared:
        is_model = reference.kind in {"model", "self"}
        yield context.graph.node(reference.table).table if is_model else reference.table


def _head(context: RunContext, table: TableName) -> Head | None:
    with suppress(NotATableError):  # a view has no rows to lose
        return context.tables.head(table)
    return None
