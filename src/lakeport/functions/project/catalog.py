"""A catalog with the project's functions in its namespaces.

A namespace may hold tables and functions, or functions alone; then it is there as long as its file is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
    WriteContext,
    require,
)
from lakeport.catalog.views import ViewHost, Views
from lakeport.core.errors import NotFoundError, PreconditionError
from lakeport.core.names import TableName, fold, quoted
from lakeport.functions.project.served import ProjectFunctions


@dataclass(frozen=True, slots=True)
class FunctionCatalog:
    inner: Catalog
    held: ProjectFunctions

    @property
    def name(self) -> str:
        return self.inner.name

    def version(self) -> CatalogVersion:
        known, more = self.inner.version(), self.held.number()
        return replace(known, number=known.number + more, is_fixed=False) if more else known

    def namespaces(self) -> Sequence[NamespaceInfo]:
        infos = self.inner.namespaces()
        known = {fold(info.name) for info in infos}
        others = [name for name in self.held.namespaces if fold(name) not in known]
        return (*infos, *map(_info, others)) if others else infos

    def namespace(self, name: str) -> Namespace:
        functions = self.held.functions(name)
        if not functions:
            return self.inner.namespace(name)
        try:
            inner = self.inner.namespace(name)
        except NotFoundError:
            return FunctionNamespace(_info(self._spelling(name)), tuple(functions))
        return _with_functions(inner, tuple(functions))

    def create_namespace(self, info: NamespaceInfo) -> Namespace:
        return self._changing().create_namespace(info)

    def drop_namespace(self, name: str) -> None:
        is_inner = any(fold(info.name) == fold(name) for info in self.inner.namespaces())
        if not is_inner and self.held.functions(name):
            raise PreconditionError(
                f"namespace {quoted(name)} holds the project's functions",
                hint=f"it goes with their file, {self._spelling(name)}.py",
            )
        self._changing().drop_namespace(name)

    def dropped_tables(self) -> Sequence[DroppedTable]:
        return self._restoring().dropped_tables()

    def undrop_table(self, name: TableName) -> Table:
        return self._restoring().undrop_table(name)

    def remove_dropped(self, *, dry_run: bool = False) -> Sequence[Removed]:
        return self._restoring().remove_dropped(dry_run=dry_run)

    def _restoring(self) -> Restoring:
        return require(self.inner, Restoring, f"catalog {quoted(self.name)}")

    def _changing(self) -> DynamicCatalog:
        return require(self.inner, DynamicCatalog, f"catalog {quoted(self.name)}")

    def _spelling(self, name: str) -> str:
        return next((each for each in self.held.namespaces if fold(each) == fold(name)), name)


@dataclass(frozen=True, slots=True)
class FunctionNamespace:
    """Functions alone."""

    info: NamespaceInfo
    held: tuple[Function, ...]

    def tables(self) -> Sequence[str]:
        return ()

    def table(self, name: str) -> Table:
        raise NotFoundError(
            f"namespace {quoted(self.info.name)} has no table {quoted(name)}",
            hint="it holds functions only",
        )

    def functions(self) -> Sequence[Function]:
        return self.held


@dataclass(frozen=True, slots=True)
class HostingNamespace:
    """Tables that can only be read, and functions."""

    inner: Namespace
    held: tuple[Function, ...]

    @property
    def info(self) -> NamespaceInfo:
        return self.inner.info

    def tables(self) -> Sequence[str]:
        return self.inner.tables()

    def table(self, name: str) -> Table:
        return self.inner.table(name)

    def functions(self) -> Sequence[Function]:
        own = self.inner.functions() if isinstance(self.inner, FunctionHost) else ()
        return (*own, *self.held)


@dataclass(frozen=True, slots=True)
class DynamicHostingNamespace(HostingNamespace):
    """Tables that come and go, and functions."""

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        tables = self._changing()
        return tables.create_table(name, definition, on_conflict=on_conflict, context=context)

    def drop_table(self, name: str) -> None:
        self._changing().drop_table(name)

    def rename_table(self, name: str, to: str) -> Table:
        return self._changing().rename_table(name, to)

    def _changing(self) -> DynamicNamespace:
        return require(self.inner, DynamicNamespace, self._what)

    @property
    def _what(self) -> str:
        return f"namespace {quoted(self.info.name)}"


@dataclass(frozen=True, slots=True)
class LakeNamespace(DynamicHostingNamespace):
    """The same over a namespace of the lake, with all that such a one can do."""

    def survey(self) -> Mapping[str, Surveyed]:
        return require(self.inner, Surveyable, self._what).survey()

    def views(self) -> Views:
        return require(self.inner, ViewHost, self._what).views()


def _with_functions(inner: Namespace, functions: tuple[Function, ...]) -> HostingNamespace:
    if not isinstance(inner, DynamicNamespace):
        return HostingNamespace(inner, functions)
    is_lake = isinstance(inner, Surveyable) and isinstance(inner, ViewHost)
    return (LakeNamespace if is_lake else DynamicHostingNamespace)(inner, functions)


def _info(name: str) -> NamespaceInfo:
    return NamespaceInfo(name, "Functions of the project.")
