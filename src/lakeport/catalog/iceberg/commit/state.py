"""A table as its catalog points to it, with what a commit on top of it has to name."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyiceberg.catalog import Catalog
from pyiceberg.table import Table
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties

from lakeport.catalog.iceberg.parts import Source


@dataclass(frozen=True, slots=True)
class State:
    """`config` is what a service wants to see again in requests about the table."""

    source: Source
    identifier: Identifier
    location: str
    config: Properties = field(default_factory=lambda: EMPTY_DICT)

    def table(self, catalog: Catalog) -> Table:
        """As PyIceberg has it."""
        source = self.source
        return Table(
            self.identifier, source.metadata, self.location, source.io, catalog, self.config
        )
