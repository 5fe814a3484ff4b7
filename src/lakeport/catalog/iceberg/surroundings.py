"""What all tables of one Iceberg catalog share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyiceberg.catalog import Catalog

from lakeport.catalog.dropped import Memory
from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.commit.commits import Commits
from lakeport.catalog.iceberg.metadata import Loaded
from lakeport.catalog.iceberg.parts import ReadOptions, Source
from lakeport.catalog.iceberg.pointers.port import Pointers
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.names import TableName


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`native` is PyIceberg's catalog: changes go through it, reading asks `pointers`."""

    profile: Profile
    native: Catalog
    pointers: Pointers
    caches: Caches
    options: ReadOptions
    clock: Callable[[], int]
    commits: Commits
    memory: Memory = field(default_factory=Memory)

    def source(self, name: TableName) -> Source:
        """The table's state now, as fresh as the catalog's kind promises."""
        return self.source_of(name, self.pointers.load(name))

    def source_of(self, name: TableName, found: Loaded) -> Source:
        return Source(name, found.metadata, found.io, self.caches, self.options, self.clock)
