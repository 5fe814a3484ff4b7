"""A catalog laid over another: what it does not say itself is asked of the one below.

A catalog claims every ability and says "unsupported" where the one below lacks it: it is asked call by call.
A namespace shows by its type what it can do, so there is a class for each kind that lies below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lakeport.catalog.definition import Definition
from lakeport.catalog.dropped import DroppedTable, Removed
from lakeport.catalog.functions import Function, FunctionHost
from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    DynamicCatalog,
    DynamicNamespace,
    Namespace,
    NamespaceInfo,
    OnConflict,
    Restoring,
    Surveyable,
    Surveyed,
    Table,
    ViewHost,
    WriteContext,
    require,
)
from lakeport.catalog.views import Views
from lakeport.core.names import TableName, quoted

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class CatalogOverlay:
    inner: Catalog

    @property
    def name(self) -> str:
        return self.inner.name

    def version(self) -> CatalogVersion:
        return self.inner.version()

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self.inner.namespaces()

    def namespace(self, name: str) -> Namespace:
        return self.inner.namespace(name)

    def create_namespace(self, info: NamespaceInfo) -> Namespace:
        return self._able(DynamicCatalog).create_namespace(info)

    def drop_namespace(self, name: str) -> None:
        self._able(DynamicCatalog).drop_namespace(name)

    def dropped_tables(self) -> Sequence[DroppedTable]:
        return self._able(Restoring).dropped_tables()

    def undrop_table(self, name: TableName) -> Table:
        return self._able(Restoring).undrop_table(name)

    def remove_dropped(self, *, dry_run: bool = False) -> Sequence[Removed]:
        return self._able(Restoring).remove_dropped(dry_run=dry_run)

    def _able(self, ability: type[A]) -> A:
        return require(self.inner, ability, f"catalog {quoted(self.name)}")


@dataclass(frozen=True, slots=True)
class NamespaceOverlay:
    """Over tables that can only be read; `added` are functions beside the namespace's own."""

    inner: Namespace
    added: tuple[Function, ...] = ()

    @property
    def info(self) -> NamespaceInfo:
        return self.inner.info

    def tables(self) -> Sequence[str]:
        return self.inner.tables()

    def table(self, name: str) -> Table:
        return self.inner.table(name)

    def functions(self) -> Sequence[Function]:
        own = self.inner.functions() if isinstance(self.inner, FunctionHost) else ()
        return (*own, *self.added)

    def _able(self, ability: type[A]) -> A:
        return require(self.inner, ability, f"namespace {quoted(self.info.name)}")


@dataclass(frozen=True, slots=True)
class DynamicNamespaceOverlay(NamespaceOverlay):
    """Over tables that come and go."""

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        inner = self._able(DynamicNamespace)
        return inner.create_table(name, definition, on_conflict=on_conflict, context=context)

    def drop_table(self, name: str) -> None:
        self._able(DynamicNamespace).drop_table(name)

    def rename_table(self, name: str, to: str) -> Table:
        return self._able(DynamicNamespace).rename_table(name, to)


@dataclass(frozen=True, slots=True)
class LakeNamespaceOverlay(DynamicNamespaceOverlay):
    """Over a namespace of a lake, with all that such a one can do."""

    def survey(self) -> Mapping[str, Surveyed]:
        return self._able(Surveyable).survey()

    def views(self) -> Views:
        return self._able(ViewHost).views()


def with_functions(inner: Namespace, functions: tuple[Function, ...]) -> NamespaceOverlay:
    """As able as it was without them."""
    if not isinstance(inner, DynamicNamespace):
        return NamespaceOverlay(inner, functions)
    is_lake = isinstance(inner, Surveyable) and isinstance(inner, ViewHost)
    return (LakeNamespaceOverlay if is_lake else DynamicNamespaceOverlay)(inner, functions)
