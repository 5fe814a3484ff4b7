"""A catalog that may not be there yet: it is opened by who asks for it, and again later if that failed.

One server holds several, and a Postgres that is down must not take the others with it. Until a catalog
is there, whatever is asked of it is UNAVAILABLE, and nobody waits for what somebody else tries already.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lakeport.catalog.ports import CatalogVersion, Namespace, NamespaceInfo, Table
from lakeport.core.errors import LakeportError, UnavailableError
from lakeport.core.names import TableName, quoted

if TYPE_CHECKING:
    from lakeport.catalog.caching import CacheFigures
    from lakeport.catalog.dropped import DroppedTable, Removed
    from lakeport.catalog.engines import Engines
    from lakeport.catalog.iceberg.catalog import IcebergCatalog

RETRY_SECONDS = 5.0
_log = logging.getLogger(__name__)


class LateCatalog:
    """A `ports.Catalog`, `DynamicCatalog` and `Restoring`, like the one that `opening` gives."""

    def __init__(
        self,
        name: str,
        opening: Callable[[], IcebergCatalog],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._opening = opening
        self._clock = clock
        self._trying = threading.Lock()
        self._state = threading.Lock()  # of the three below, never held for long
        self._catalog: IcebergCatalog | None = None
        self._is_closed = False
        self._not_before = -math.inf

    @property
    def name(self) -> str:
        return self._name

    def version(self) -> CatalogVersion:
        return self._opened().version()

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self._opened().namespaces()

    def namespace(self, name: str) -> Namespace:
        return self._opened().namespace(name)

    def create_namespace(self, info: NamespaceInfo) -> Namespace:
        return self._opened().create_namespace(info)

    def drop_namespace(self, name: str) -> None:
        self._opened().drop_namespace(name)

    def engines(self) -> Engines:
        return self._opened().engines()

    def dropped_tables(self) -> Sequence[DroppedTable]:
        return self._opened().dropped_tables()

    def undrop_table(self, name: TableName) -> Table:
        return self._opened().undrop_table(name)

    def remove_dropped(self, *, dry_run: bool = False) -> Sequence[Removed]:
        return self._opened().remove_dropped(dry_run=dry_run)

    def cache_figures(self) -> Mapping[str, CacheFigures]:
        """Who only looks does not open it."""
        catalog = self._catalog
        return {} if catalog is None else catalog.cache_figures()

    def open(self) -> LakeportError | None:
        """Try now, for as long as it takes; gives the reason why it cannot be opened."""
        with self._trying:
            return self._try()

    def close(self) -> None:
        """For good: who is just opening it closes what they got."""
        with self._state:
            self._is_closed = True
            catalog, self._catalog = self._catalog, None
        if catalog is not None:
            catalog.close()

    def _opened(self) -> IcebergCatalog:
        if self._catalog is None and self._trying.acquire(blocking=False):
            try:
                failure = self._try() if self._clock() >= self._not_before else None
            finally:
                self._trying.release()
            if failure is not None:
                # Told to nobody who calls: it may name hosts and folders.
                _log.warning(
                    "catalog.unreachable", extra={"catalog": self._name, "reason": failure.message}
                )
        catalog = self._catalog
        if catalog is None:
            raise UnavailableError(
                f"catalog {quoted(self._name)} cannot be reached",
                hint="try again later; the server's log has the reason",
            )
        return catalog

    def _try(self) -> LakeportError | None:
        if self._catalog is not None or self._is_closed:
            return None
        try:
            opened = self._opening()
        except LakeportError as error:
            self._not_before = self._clock() + RETRY_SECONDS
            return error
        with self._state:
            if not self._is_closed:
                self._catalog = opened
                return None
        opened.close()
        return None
