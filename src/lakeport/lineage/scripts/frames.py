"""A block while it is open: what it is closed by, and the names it gives to what is inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lakeport.lineage.blocks import Block

if TYPE_CHECKING:
    from lakeport.lineage.blocks import Function, Query


@dataclass(slots=True)
class Frame:
    """DECLARE is the section before a BEGIN, ROUTINE the header before either."""

    kind: str
    label: str | None = None
    names: set[str] = field(default_factory=set)
    variable: str | None = None
    query: Query | None = None
    table: tuple[tuple[str, bool], ...] = ()
    function: Function | None = None

    def block(self) -> Block:
        """What a statement inside is told about it."""
        names = frozenset(self.names)
        return Block(self.label, names, self.variable, self.query, self.table, self.function)
