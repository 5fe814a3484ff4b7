"""A table for one run at a time. Whoever comes second waits, as long as the first one lives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lakeport.core.names import TableName
from lakeport.pipeline.graph import Node
from lakeport.pipeline.running.context import RunContext
from lakeport.pipeline.running.events import ModelWaits
from lakeport.state.leases import Held, Lease

_TURN = 0.2
"""Seconds between two questions: about what a small model takes."""


@contextmanager
def leased(context: RunContext, node: Node) -> Iterator[Lease]:
    """`StoppedError` if the run is asked to stop meanwhile."""
    lease = take(context, node)
    try:
        yield lease
    finally:
        context.leases.release(lease)


def take(context: RunContext, node: Node) -> Lease:
    told: str | None = None
    while True:
        found = context.leases.acquire(context.tables.catalog.name, node.table)
        if not isinstance(found, Held):
            return found
        holder = _holder(found)
        if holder != told:
            context.tell(ModelWaits(node.name, node.table, holder))
            told = holder
        context.stop.wait(_TURN)


def was_lost(context: RunContext, table: TableName) -> bool:
    return any(name.folded == table.folded for name in context.leases.lost)


def _holder(held: Held) -> str:
    return f"run {held.by.run_id}, {held.by}"
