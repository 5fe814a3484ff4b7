"""A catalog with tables over files in it, beside the tables that are its own.

They come from the settings: nobody creates, drops or renames one over a door. Where the catalog has a
table of the same name it is the one from the settings that is shown.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakeport.catalog.definition import Definition
from lakeport.catalog.engines import EngineHost, Engines
from lakeport.catalog.files.table import FilesTable
from lakeport.catalog.overlay import CatalogOverlay, DynamicNamespaceOverlay
from lakeport.catalog.ports import (
    Catalog,
    CatalogVersion,
    DynamicCatalog,
    DynamicNamespace,
    Namespace,
    NamespaceInfo,
    OnConflict,
    Surveyable,
    Surveyed,
    Table,
    ViewHost,
    WriteContext,
    require,
)
from lakeport.catalog.views import Views
from lakeport.core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from lakeport.core.names import NameMap, TableName, fold, quoted


@dataclass(frozen=True, slots=True)
class FilesCatalog(CatalogOverlay):
    """As able as the catalog under it, which `on_close` closes."""

    tables: tuple[FilesTable, ...]
    on_close: Callable[[], None] = lambda: None

    def version(self) -> CatalogVersion:
        version = self.inner.version()
        noticed = sum(table.changes for table in self.tables)
        return replace(version, number=version.number + noticed) if noticed else version

    def namespaces(self) -> Sequence[NamespaceInfo]:
        known = self.inner.namespaces()
        held = {fold(info.name) for info in known}
        names = {fold(each.name.namespace): each.name.namespace for each in self.tables}
        return (*known, *(NamespaceInfo(name) for key, name in names.items() if key not in held))

    def namespace(self, name: str) -> Namespace:
        tables = tuple(each for each in self.tables if fold(each.name.namespace) == fold(name))
        if not tables:
            return self.inner.namespace(name)
        held = NameMap((each.name.table, each) for each in tables)
        try:
            inner = self.inner.namespace(name)
        except NotFoundError:
            return FilesNamespace(NamespaceInfo(tables[0].name.namespace), held, self.inner)
        merged = _ViewingNamespace if isinstance(inner, ViewHost) else MergedNamespace
        return merged(inner, held=held)

    def create_namespace(self, info: NamespaceInfo) -> Namespace:
        self._able(DynamicCatalog).create_namespace(info)
        return self.namespace(info.name)

    def drop_namespace(self, name: str) -> None:
        if any(fold(each.name.namespace) == fold(name) for each in self.tables):
            raise UnsupportedError(
                f"namespace {quoted(name)} cannot be dropped: lakeport.toml puts tables into it",
                hint="take them out of [files.tables] first",
            )
        self._able(DynamicCatalog).drop_namespace(name)

    def engines(self) -> Engines:
        return self._able(EngineHost).engines()

    def close(self) -> None:
        self.on_close()


@dataclass(frozen=True, slots=True)
class FilesNamespace:
    """One that is nowhere but in the settings, until somebody creates a table in it."""

    info: NamespaceInfo
    held: NameMap[FilesTable]
    catalog: Catalog

    def tables(self) -> Sequence[str]:
        return tuple(self.held)

    def table(self, name: str) -> Table:
        found = self.held.get(name)
        if found is None:
            raise self._missing(name)
        return found

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        _require_free(self.info, self.held, name)
        changing = require(self.catalog, DynamicCatalog, f"catalog {quoted(self.catalog.name)}")
        try:
            made = changing.create_namespace(self.info)
        except AlreadyExistsError:  # by somebody else, meanwhile
            made = self.catalog.namespace(self.info.name)
        namespace = require(made, DynamicNamespace, f"namespace {quoted(self.info.name)}")
        return namespace.create_table(name, definition, on_conflict=on_conflict, context=context)

    def drop_table(self, name: str) -> None:
        _require_own(self.held, name, "be dropped")
        raise self._missing(name)

    def rename_table(self, name: str, to: str) -> Table:
        del to
        _require_own(self.held, name, "be renamed")
        raise self._missing(name)

    def _missing(self, name: str) -> NotFoundError:
        known = [str(each.name) for each in self.held.values()]
        return NotFoundError.among("table", str(TableName(self.info.name, name)), known)


@dataclass(frozen=True, slots=True)
class MergedNamespace(DynamicNamespaceOverlay):
    held: NameMap[FilesTable] = field(kw_only=True)

    def tables(self) -> Sequence[str]:
        own = (name for name in self.inner.tables() if name not in self.held)
        return (*own, *self.held)

    def table(self, name: str) -> Table:
        found = self.held.get(name)
        return self.inner.table(name) if found is None else found

    def survey(self) -> Mapping[str, Surveyed]:
        found = self.inner.survey() if isinstance(self.inner, Surveyable) else {}
        own = {name: Surveyed(table, table.state) for name, table in self.held.items()}
        return ChainMap(own, found)  # type: ignore[arg-type]  # nobody writes to it

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        _require_free(self.info, self.held, name)
        inner = self._able(DynamicNamespace)
        return inner.create_table(name, definition, on_conflict=on_conflict, context=context)

    def drop_table(self, name: str) -> None:
        _require_own(self.held, name, "be dropped")
        self._able(DynamicNamespace).drop_table(name)

    def rename_table(self, name: str, to: str) -> Table:
        _require_own(self.held, name, "be renamed")
        _require_free(self.info, self.held, to)
        return self._able(DynamicNamespace).rename_table(name, to)


class _ViewingNamespace(MergedNamespace):
    def views(self) -> Views:
        return self._able(ViewHost).views()


def _require_free(info: NamespaceInfo, held: NameMap[FilesTable], name: str) -> None:
    if name in held:
        raise AlreadyExistsError(
            f"there is already a table {quoted(str(TableName(info.name, name)))}",
            hint="lakeport.toml has it in [files.tables]",
        )


def _require_own(held: NameMap[FilesTable], name: str, what: str) -> None:
    if name in held:
        raise UnsupportedError(
            f"table {quoted(str(held[name].name))} cannot {what}: lakeport.toml declares it",
            hint="take it out of [files.tables]",
        )
