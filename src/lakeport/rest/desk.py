"""One request: who calls, which catalog is meant, what was asked; and what the call turned out to be about.

Handlers ask for a grant by name before anything is looked up, so that a refusal tells nothing of what
is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lakeport.access import Ability, Identity, open_namespace
from lakeport.catalog.engines import EngineHost, Engines, Terms
from lakeport.catalog.ports import Catalog, NamespaceInfo
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import TableName, quoted

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
    namespace: str | None = None
    table: str | None = None
    rows_changed: int = 0

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
        return Terms(anywhere=self.identity.may(Ability.ADMIN, self.catalog.name))

    def note(self, namespace: str, table: str | None = None) -> None:
        """What the call is about, for the audit."""
        self.namespace, self.table = namespace, table

    # -- names -----------------------------------------------------------------------------------

    def named_namespace(self) -> str:
        name = dotted(self.path["namespace"].split(SEPARATOR))
        self.note(name)
        return name

    def named_table(self) -> TableName:
        name = TableName(self.named_namespace(), self.path["table"])
        self.note(name.namespace, name.table)
        return name

    # -- grants ----------------------------------------------------------------------------------

    def require(self, ability: Ability, name: TableName) -> None:
        self.identity.require(ability, self.catalog.name, name.namespace, name.table)

    def require_namespace(self, ability: Ability, namespace: str) -> None:
        self.identity.require(ability, self.catalog.name, namespace)

    def require_sight_of(self, name: TableName) -> None:
        """To look at a table."""
        self.require(Ability.READ, name)

    def seen_namespace(self, name: str) -> NamespaceInfo:
        """In any spelling; `NotFoundError` if nothing of it is to be seen."""
        return open_namespace(self.identity, self.catalog, name).info

    def readable(self, namespace: str, names: Iterable[str]) -> list[str]:
        """Those that the caller may read."""
        identity, catalog = self.identity, self.catalog.name
        if identity.may(Ability.READ, catalog, namespace):
            return list(names)
        return [name for name in names if identity.may(Ability.READ, catalog, namespace, name)]


def dotted(levels: Iterable[str]) -> str:
    """A nested namespace as one name."""
    name = ".".join(levels)
    if not name.strip("."):
        raise InvalidRequestError("the namespace has no name")
    return name
