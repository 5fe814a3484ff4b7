"""A block while it is open: what it is closed by, and the names it gives to what is inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lakeport.lineage.blocks import Block

if TYPE_CHECKING:
    from lakeport.lineage.blocks import Query


@dataclass(slots=True)
class Frame:
    """DECLARE is the section before a BEGIN, ROUTINE the header before either."""

    kind: str
    label: str | None = None
    names: set[str] = field(default_factory=set)
    variable: str | None = None
    query: Query | None = None
    table: tuple[tuple[str, bool], ...] = ()

    def block(self) -> Block:
        """What a statement inside is told about it."""
        return Block(self.label, frozenset(self.names), self.variable, self.query, self.table)
