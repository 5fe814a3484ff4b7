"""The caches of one catalog, shared by all its tables: what was read once and cannot change.

Each is bounded by bytes. The keys are locations of files that nobody rewrites; what can move, the
catalog's pointer to a table's newest metadata, is not here.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol, TypeVar

from lakeport.catalog.cache import Cache
from lakeport.catalog.caching import CacheFigures
from lakeport.catalog.iceberg.parts import MEBIBYTE

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.commit.listed import ManifestRows
    from lakeport.catalog.iceberg.commit.manifests import Entries
    from lakeport.catalog.iceberg.definition import Described
    from lakeport.catalog.iceberg.deletes.deleted import Deleted
    from lakeport.catalog.iceberg.deletes.equality import DeleteRows
    from lakeport.catalog.iceberg.deletes.positions import PositionsByFile
    from lakeport.catalog.iceberg.door.texts import Text
    from lakeport.catalog.iceberg.files.footer import Footer
    from lakeport.catalog.iceberg.inventory import Numbering
    from lakeport.catalog.iceberg.manifests import Listing, Manifest
    from lakeport.catalog.iceberg.manifests.deletes import DeleteIndex
    from lakeport.catalog.iceberg.metadata import Held
    from lakeport.catalog.iceberg.pruning.evidence import Gathered
    from lakeport.catalog.iceberg.statistics import Measured
    from lakeport.catalog.iceberg.views.files import HeldView


class Weighed(Protocol):
    @property
    def nbytes(self) -> int:
        """About how much memory it holds."""
        ...


W = TypeVar("W", bound=Weighed)


def _cache(capacity: int) -> Cache[Hashable, W]:
    return Cache(capacity, lambda value: value.nbytes)


class Caches:
    """`capacity` is for all of them together, in bytes."""

    def __init__(self, capacity: int = 256 * MEBIBYTE) -> None:
        self.described: Cache[Hashable, Described] = _cache(capacity // 16)
        self.metadata: Cache[Hashable, Held] = _cache(capacity // 8)
        self.texts: Cache[Hashable, Text] = _cache(capacity // 16)
        self.views: Cache[Hashable, HeldView] = _cache(capacity // 64)
        self.listings: Cache[Hashable, Listing] = _cache(capacity // 32)
        self.manifests: Cache[Hashable, Manifest] = _cache(capacity // 4)
        self.manifest_rows: Cache[Hashable, ManifestRows] = _cache(capacity // 32)
        self.entries: Cache[Hashable, Entries] = _cache(capacity // 16)
        self.numberings: Cache[Hashable, Numbering] = _cache(capacity // 32)
        self.deletes: Cache[Hashable, DeleteIndex] = _cache(capacity // 16)
        self.bounds: Cache[Hashable, Gathered] = _cache(capacity // 16)
        self.statistics: Cache[Hashable, Measured] = _cache(capacity // 64)
        self.positions: Cache[Hashable, PositionsByFile] = _cache(capacity // 16)
        self.delete_rows: Cache[Hashable, DeleteRows] = _cache(capacity // 16)
        self.deleted: Cache[Hashable, Deleted] = _cache(capacity // 16)
        self.footers: Cache[Hashable, Footer] = _cache(capacity // 4)

    def figures(self) -> dict[str, CacheFigures]:
        """By the names above."""
        return {name: cache.figures() for name, cache in vars(self).items()}
