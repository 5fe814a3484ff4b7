"""Tables that others fill, and that must be there before a model is begun."""

from __future__ import annotations

from lakeport.core.errors import NotFoundError
from lakeport.core.names import quoted
from lakeport.pipeline.graph import Node
from lakeport.pipeline.running.context import RunContext


def require_sources(context: RunContext, node: Node) -> None:
    """A source may be declared and not be there; the catalog was asked for all of them at once."""
    for reference in (*node.references, *node.declared):
        if reference.kind != "source" or reference.table in context.graph.catalog:
            continue
        try:
            context.tables.engines.find(reference.table)  # somebody may have made it meanwhile
        except NotFoundError:
            name = str(reference.table)
            raise NotFoundError(
                f"{reference.place}: the source {quoted(name)} is not in the lake",
                hint=f"fill it first: `lakeport load {name} FILE`",
            ) from None
