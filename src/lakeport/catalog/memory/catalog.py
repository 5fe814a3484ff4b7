"""The in-memory catalog: complete and real, and the executable specification of the ports.

Nothing here touches a disk, and nothing waits but on a short lock. The clock (nanoseconds since 1970)
and the source of ids are passed in, so that a test can decide what time it is.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence

from lakeport.catalog.memory.namespace import MemoryNamespace
from lakeport.catalog.memory.store import Surroundings
from lakeport.catalog.naming import check_namespace_name, namespace_taken, require_empty
from lakeport.catalog.ports import CatalogVersion, NamespaceInfo
from lakeport.core.errors import (
    NotFoundError,
)
from lakeport.core.names import NameMap, quoted


def random_id() -> int:
    """A positive int64, as Iceberg's snapshot ids are."""
    return secrets.randbits(62) + 1


class MemoryCatalog:
    def __init__(
        self,
        name: str,
        *,
        clock: Callable[[], int] = time.time_ns,
        new_id: Callable[[], int] = random_id,
        segment_rows: int = 65_536,
        split_rows: int = 262_144,
        batch_rows: int = 65_536,
    ) -> None:
        self._name = name
        self._surroundings = Surroundings(clock, new_id, segment_rows, split_rows, batch_rows)
        self._lock = threading.Lock()
        self._namespaces: NameMap[MemoryNamespace] = NameMap()

    @property
    def name(self) -> str:
        return self._name

    def version(self) -> CatalogVersion:
        counted = self._surroundings
        return CatalogVersion(counted.definitions.value, rows=counted.rows.value)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return [self._namespaces[name].info for name in sorted(self._namespaces)]

    def namespace(self, name: str) -> MemoryNamespace:
        found = self._namespaces.get(name)
        if found is None:
            raise NotFoundError.among(
                "namespace", name, self._namespaces, where=f"catalog {quoted(self._name)}"
            )
        return found

    def create_namespace(self, info: NamespaceInfo) -> MemoryNamespace:
        check_namespace_name(info.name)
        with self._lock:
            if info.name in self._namespaces:
                raise namespace_taken(info.name)
            made = MemoryNamespace(info, self._surroundings, self._lock)
            self._swap({**dict(self._namespaces), info.name: made})
            return made

    def drop_namespace(self, name: str) -> None:
        with self._lock:
            doomed = self.namespace(name)
            require_empty(doomed)
            doomed.retire()
            self._swap(
                {known: kept for known, kept in self._namespaces.items() if kept is not doomed}
            )

    def _swap(self, namespaces: dict[str, MemoryNamespace]) -> None:
        self._namespaces = NameMap(namespaces.items())
        self._surroundings.definitions.bump()
