"""A catalog that is put together in a program: namespaces, tables and functions, added at any time.

    demo = Catalog("demo")
    demo.schema("shop").table("orders", orders).function(discount)

With `ddl=True` clients may create, alter and drop namespaces and tables of their own, which live in memory.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence

from lakeport.airport.library.schema import Schema
from lakeport.airport.listing import UNUSABLE_IN_DUCKDB
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    ABILITIES,
    CatalogVersion,
    DynamicCatalog,
    NamespaceInfo,
)
from lakeport.core.errors import NotFoundError, UnsupportedError
from lakeport.core.names import fold, quoted

_log = logging.getLogger(__name__)


class Catalog:
    def __init__(self, name: str, *, ddl: bool = False) -> None:
        self._held = MemoryCatalog(name)
        self._ddl = ddl
        self._lock = threading.Lock()
        self._told = 0

    # -- putting together ------------------------------------------------------------------------

    def schema(
        self,
        name: str,
        *,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
        is_default: bool = False,
    ) -> Schema:
        """The namespace of that name, made if there is none yet. (DuckDB calls it a schema.)

        `properties` are what DuckDB calls tags. `is_default` is told to clients; DuckDB's takes no notice.
        """
        try:
            return self.namespace(name)
        except NotFoundError:
            if fold(name) == UNUSABLE_IN_DUCKDB:
                _log.warning("catalog.unusable_in_duckdb", extra={"namespace": name})
            info = NamespaceInfo(name, comment, dict(properties or {}), is_default)
            return Schema(self, self._held.create_namespace(info), ddl=self._ddl)

    def changed(self) -> None:
        """Tell that something is other than before that this catalog cannot see, such as the columns
        of an object, or what its `statistics` says: attached clients look again.
        """
        with self._lock:
            self._told += 1

    # -- what a server asks ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._held.name

    def version(self) -> CatalogVersion:
        held = self._held.version()
        return CatalogVersion(held.number + self._told, rows=held.rows)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self._held.namespaces()

    def namespace(self, name: str) -> Schema:
        return Schema(self, self._held.namespace(name), ddl=self._ddl)

    def create_namespace(self, info: NamespaceInfo) -> Schema:
        self._require_ddl()
        return Schema(self, self._held.create_namespace(info), ddl=True)

    def drop_namespace(self, name: str) -> None:
        self._require_ddl()
        self._held.drop_namespace(name)

    def _require_ddl(self) -> None:
        if not self._ddl:
            raise UnsupportedError(
                f"catalog {quoted(self.name)} cannot {ABILITIES[DynamicCatalog]}"
            )
