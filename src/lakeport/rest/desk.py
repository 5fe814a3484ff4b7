"""One request: who calls, which catalog is meant, what was asked; and what the call turned out to be about.

Handlers ask for a grant by name before anything is looked up, so that a refusal tells nothing of what
is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lakeport.access import Ability, Identity, open_namespace
from lakeport.access.lending import Lender
from lakeport.catalog.engines import EngineHost, Engines, Terms
from lakeport.catalog.evolution.growing import require_growth
from lakeport.catalog.ports import Catalog, NamespaceInfo
from lakeport.core.errors import NotFoundError, UnsupportedError
from lakeport.core.names import TableName, quoted
from lakeport.core.status import GrpcCode
from lakeport.rest.bodies import dotted

SEPARATOR = "\x1f"
"""Between the levels of a namespace in a path or a query."""


@dataclass(slots=True)
class Desk:
    """`path` are the parts of the address by their names in the route's template."""

    identity: Identity
    catalog: Catalog
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""
    lender: Lender | None = None
    namespace: str | None = None
    table: str | None = None
    rows_changed: int = 0
    outcome: GrpcCode | None = None

    @property
    def engines(self) -> Engines:
        catalog = self.catalog
        if not isinstance(catalog, EngineHost):
            raise UnsupportedError(
                f"catalog {quoted(catalog.name)} is not Iceberg's: engines cannot open its files",
                hint="attach it with DuckDB's airport extension",
            )
        return catalog.engines()

    @property
    def terms(self) -> Terms:
        return Terms(
            anywhere=self.identity.may(Ability.ADMIN, self.catalog.name),
            check=require_growth if self.identity.growth else None,
        )

    def note(self, namespace: str, table: str | None = None) -> None:
        """What the call is about, for the audit."""
        self.namespace, self.table = namespace, table

    # -- names -----------------------------------------------------------------------------------

    def named_namespace(self) -> str:
        name = dotted(self.path["namespace"].split(SEPARATOR))
        self.note(name)
        return name

    def named_table(self) -> TableName:
        return self.about(self.named_namespace(), self.path["table"])

    def about(self, namespace: str, table: str) -> TableName:
        """The table or view that the call is about."""
        self.note(namespace, table)
        return TableName(namespace, table)

    # -- grants ----------------------------------------------------------------------------------

    def require(self, ability: Ability, name: TableName) -> None:
        self.identity.require(ability, self.catalog.name, name.namespace, name.table)

    def require_namespace(self, ability: Ability, namespace: str) -> None:
        self.identity.require(ability, self.catalog.name, namespace)

    def require_sight_of(self, name: TableName, kind: str = "table") -> None:
        """To look at a table or view: what may not be read is not there, whether or not it is."""
        if not self.identity.may(Ability.READ, self.catalog.name, name.namespace, name.table):
            who = quoted(self.identity.name)
            raise NotFoundError(f"there is no {kind} {quoted(str(name))} that {who} may read")

    def require_registrar(self, name: TableName) -> None:
        """To register a file: whoever names one gets to see the table or view that it is of."""
        self.require(Ability.DDL, name)
        self.identity.require(Ability.ADMIN, self.catalog.name)

    def seen_namespace(self, name: str) -> NamespaceInfo:
        """In any spelling; `NotFoundError` if nothing of it is to be seen, whether or not it is there."""
        if not self.identity.sees(self.catalog.name, name):
            who = quoted(self.identity.name)
            raise NotFoundError(f"there is no namespace {quoted(name)} that {who} may see")
        return open_namespace(self.identity, self.catalog, name).info

    def readable(self, namespace: str, names: Iterable[str]) -> list[str]:
        """Those that the caller may read."""
        identity, catalog = self.identity, self.catalog.name
        if identity.may(Ability.READ, catalog, namespace):
            return list(names)
        return [name for name in names if identity.may(Ability.READ, catalog, namespace, name)]
