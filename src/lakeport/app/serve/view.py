"""What one caller may learn from the system tables of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lakeport.access import (
    Ability,
    AuditLog,
    Identity,
    open_table,
    visible_namespaces,
    visible_tables,
    visible_views,
)
from lakeport.airport.visible import Overlay
from lakeport.app.files import FilesOf
from lakeport.catalog.files import Roots
from lakeport.catalog.ports import Catalog, Namespace, Table
from lakeport.catalog.reports.figures import figures_of
from lakeport.catalog.views import View, view_of
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName, fold
from lakeport.state import AuditEntry, AuditTable, LineageTable, RunTable, StoredEdge
from lakeport.system import SeenIssue, SeenRun, SystemCatalog
from lakeport.system.overlay import is_system


@dataclass(frozen=True, slots=True)
class Audit:
    """What is stored, and the log of a server, which may still hold the newest of it."""

    table: AuditTable
    log: AuditLog | None = None


@dataclass(frozen=True, slots=True)
class Models:
    """What is stored about runs of models."""

    runs: RunTable
    lineage: LineageTable


@dataclass(frozen=True, slots=True)
class CallersView:
    """A `system.View`. Without `models` no model ever ran, without `folders` no file can be read."""

    catalog: Catalog
    identity: Identity
    kept: Audit
    models: Models | None = None
    folders: Roots = field(default_factory=Roots)

    def names(self) -> Iterator[TableName]:
        return self._names(visible_tables)

    def table(self, name: TableName) -> Table:
        return open_table(self.identity, self.catalog, name)

    def view_names(self) -> Iterator[TableName]:
        return self._names(visible_views)

    def view(self, name: TableName) -> View:
        return view_of(self.catalog.namespace(name.namespace), name)

    def size(self, summary: Mapping[str, str] | None) -> tuple[int | None, int | None]:
        figures = figures_of(summary)
        return figures.rows, figures.bytes

    def audit(self) -> Iterator[Sequence[AuditEntry]]:
        """One's own calls, a catalog's admin those about the catalog, too, and an admin all of them."""
        if self.kept.log is not None:
            self.kept.log.flush()
        own = None if self._is_admin() else self.identity.name
        for entries in self.kept.table.batches(identity=own):
            yield [entry for entry in entries if self._may_know(entry)]

    def runs(self) -> Iterator[SeenRun]:
        """Those with a table that the caller may read; all of them to an admin of the catalog."""
        if self.models is None:
            return
        is_whole, tells = self._is_admin(), self._reads_all()
        for runs in self.models.runs.pages(self.catalog.name):
            for run, models in runs:
                seen = [model for model in models if tells or self._reads(model.table)]
                if seen or is_whole:
                    yield SeenRun(run, seen, is_whole, tells)

    def edges(self) -> Iterator[tuple[str | None, StoredEdge]]:
        if self.models is None:
            return
        lineage, catalog = self.models.lineage, self.catalog.name
        for environment in lineage.environments(catalog):
            for edge in lineage.edges(catalog, environment):
                if self._reads(edge.source) and self._reads(edge.target):
                    yield environment, edge

    def issues(self) -> Iterator[SeenIssue]:
        if self.models is None:
            return
        lineage, catalog, tells = self.models.lineage, self.catalog.name, self._reads_all()
        for environment in lineage.environments(catalog):
            for issue in lineage.issues(catalog, environment):
                if self._reads(issue.table):
                    yield SeenIssue(environment, issue, tells)

    def roots(self) -> Roots:
        return self.folders

    def _is_admin(self) -> bool:
        return self.identity.may(Ability.ADMIN, self.catalog.name)

    def _reads_all(self) -> bool:
        return self.identity.may(Ability.READ, self.catalog.name)

    def _reads(self, table: TableName) -> bool:
        return self.identity.may(Ability.READ, self.catalog.name, table.namespace, table.table)

    def _names(
        self, visible: Callable[[Identity, Catalog, Namespace], Iterable[str]]
    ) -> Iterator[TableName]:
        for info in visible_namespaces(self.identity, self.catalog):
            if is_system(info.name):
                continue
            try:
                found = visible(self.identity, self.catalog, self.catalog.namespace(info.name))
            except NotFoundError:
                continue  # dropped since it was listed
            yield from (TableName(info.name, name) for name in sorted(found, key=fold))

    def _may_know(self, entry: AuditEntry) -> bool:
        """Of entries that were chosen for this caller already."""
        if self.identity.is_admin or entry.identity == self.identity.name:
            return True
        return entry.catalog is not None and fold(entry.catalog) == fold(self.catalog.name)


def system_overlay(
    audit: Audit, models: Models | None = None, files: FilesOf | None = None
) -> Overlay:
    """`files` lays what the settings say about files over a catalog."""
    extra = files or FilesOf()

    def overlay(catalog: Catalog, identity: Identity) -> Catalog:
        whole = extra.over(catalog)
        return SystemCatalog(whole, CallersView(whole, identity, audit, models, extra.roots))

    return overlay
