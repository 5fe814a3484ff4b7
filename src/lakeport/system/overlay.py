"""A catalog with the namespace `lakeport` in it, as one caller sees it: cheap, made for each call.

The name belongs to Lakeport: a namespace that another engine made under it is not shown here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from lakeport.catalog.functions import Function
from lakeport.catalog.overlay import CatalogOverlay
from lakeport.catalog.ports import DynamicCatalog, Namespace, NamespaceInfo
from lakeport.core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from lakeport.core.names import NameMap, TableName, fold, quoted
from lakeport.system.changes import table_changes
from lakeport.system.files import file_functions
from lakeport.system.history import snapshots
from lakeport.system.known import KNOWN
from lakeport.system.origins import lineage
from lakeport.system.series import OVERLOADS
from lakeport.system.table import SystemTable
from lakeport.system.view import View

NAMESPACE = "lakeport"
_INFO = NamespaceInfo(NAMESPACE, "What Lakeport knows about this catalog.")
_TABLES = NameMap(KNOWN.items())


@dataclass(frozen=True, slots=True)
class SystemCatalog(CatalogOverlay):
    view: View

    def namespaces(self) -> Sequence[NamespaceInfo]:
        others = (info for info in self.inner.namespaces() if not is_system(info.name))
        return (*others, _INFO)

    def namespace(self, name: str) -> Namespace:
        return SystemNamespace(self.view) if is_system(name) else self.inner.namespace(name)

    def create_namespace(self, info: NamespaceInfo) -> Namespace:
        if is_system(info.name):
            raise AlreadyExistsError(
                f"there is already a namespace {quoted(NAMESPACE)}", hint="it is Lakeport's own"
            )
        return self._able(DynamicCatalog).create_namespace(info)

    def drop_namespace(self, name: str) -> None:
        if is_system(name):
            raise UnsupportedError(
                f"namespace {quoted(NAMESPACE)} cannot be dropped", hint="it is Lakeport's own"
            )
        self._able(DynamicCatalog).drop_namespace(name)


@dataclass(frozen=True, slots=True)
class SystemNamespace:
    view: View

    @property
    def info(self) -> NamespaceInfo:
        return _INFO

    def tables(self) -> Sequence[str]:
        return tuple(_TABLES)

    def table(self, name: str) -> SystemTable:
        known = _TABLES.get(name)
        if known is None:
            raise NotFoundError.among("table", str(TableName(NAMESPACE, name)), _spelled())
        produce: Callable[[], Iterator[pa.RecordBatch]] = partial(known.batches, self.view)
        return SystemTable(TableName(NAMESPACE, _TABLES.spelling(name)), known.definition, produce)

    def functions(self) -> Sequence[Function]:
        return (
            *OVERLOADS,
            *table_changes(self.view),
            *snapshots(self.view),
            *lineage(self.view),
            *file_functions(self.view.roots()),
        )


def is_system(name: str) -> bool:
    return fold(name) == NAMESPACE


def explain_hidden(namespaces: Sequence[NamespaceInfo]) -> str | None:
    """What to tell the owner of a catalog that has a namespace of this name itself."""
    if not any(is_system(info.name) for info in namespaces):
        return None
    return (
        f"the catalog's own namespace `{NAMESPACE}` is not served: that name is of Lakeport's system "
        "tables; rename the namespace to serve it"
    )


def _spelled() -> list[str]:
    return [str(TableName(NAMESPACE, name)) for name in _TABLES]
