"""A catalog with the project's functions in its namespaces.

A namespace may hold tables and functions, or functions alone; then it is there as long as its file is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lakeport.catalog.functions import Function
from lakeport.catalog.overlay import CatalogOverlay, with_functions
from lakeport.catalog.ports import CatalogVersion, DynamicCatalog, Namespace, NamespaceInfo, Table
from lakeport.core.errors import NotFoundError, PreconditionError
from lakeport.core.names import fold, quoted
from lakeport.functions.project.served import ProjectFunctions


@dataclass(frozen=True, slots=True)
class FunctionCatalog(CatalogOverlay):
    held: ProjectFunctions

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
        try:
            inner = self.inner.namespace(name)
        except NotFoundError:
            if not functions:
                raise self._missing(name) from None
            return FunctionNamespace(_info(self._spelling(name)), tuple(functions))
        return with_functions(inner, tuple(functions)) if functions else inner

    def drop_namespace(self, name: str) -> None:
        is_inner = any(fold(info.name) == fold(name) for info in self.inner.namespaces())
        if not is_inner and self.held.functions(name):
            raise PreconditionError(
                f"namespace {quoted(name)} holds the project's functions",
                hint=f"it goes with their file, {self._spelling(name)}.py",
            )
        self._able(DynamicCatalog).drop_namespace(name)

    def _missing(self, name: str) -> NotFoundError:
        """The catalog below knows nothing of the namespaces of functions alone."""
        known = [info.name for info in self.namespaces()]
        return NotFoundError.among("namespace", name, known, where=f"catalog {quoted(self.name)}")

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


def _info(name: str) -> NamespaceInfo:
    return NamespaceInfo(name, "Functions of the project.")
