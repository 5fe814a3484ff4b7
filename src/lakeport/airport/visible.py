"""The catalogs as one call sees them: chosen as chapter 1.4 says, authorised for its caller.

Nothing of the airport opens a table any other way, so a descriptor, a ticket and a listing all obey
the same grants, and what one may not read looks like nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeport.access import Ability, Identity, open_namespace, open_table
from lakeport.airport.account import Account
from lakeport.airport.requested import Requested
from lakeport.catalog.catalogs import Catalogs
from lakeport.catalog.ports import Catalog, Namespace, Table, TableState, Travelable, require
from lakeport.core.errors import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PermissionDeniedError,
)
from lakeport.core.names import fold, quoted
from lakeport.core.timepoint import TimePoint

Overlay: TypeAlias = Callable[[Catalog, Identity], Catalog]
"""What a caller gets to see of a catalog beside its own namespaces: the system namespace."""


@dataclass(frozen=True, slots=True)
class Found:
    catalog: Catalog
    table: Table

    def state(self, at: TimePoint | None = None) -> TableState:
        if at is None:
            return self.table.state()
        what = f"table {quoted(str(self.table.name))}"
        return require(self.table, Travelable, what).state_at(at)


@dataclass(frozen=True, slots=True)
class Visible:
    """`header` is the catalog that the call's headers name; `account` is told what was asked for."""

    catalogs: Catalogs
    identity: Identity
    header: str | None = None
    overlay: Overlay | None = None
    account: Account = field(default_factory=Account)

    def catalog(self, named: str | None = None) -> Catalog:
        """By the body's or the descriptor's name, the header's, the caller's own, or the default."""
        if named and self.header and fold(named) != fold(self.header):
            raise InvalidRequestError(
                f"the request names the catalog {quoted(named)} and its header {quoted(self.header)}",
                hint="name one of them, or the same in both",
            )
        wanted = self.wanted(named)
        self.account.note_catalog(wanted)  # what was tried is of interest, too
        self.identity.require_sight(wanted)
        known = (catalog.name for catalog in self.catalogs if self.identity.sees(catalog.name))
        found = self.catalogs.find(wanted, known)
        self.account.note_catalog(found.name)
        return self._seen(found)

    def namespace(self, catalog: Catalog, name: str) -> Namespace:
        """To list what is in it."""
        self.account.note_namespace(catalog.name, name)
        found = open_namespace(self.identity, catalog, name)
        self.account.note_namespace(catalog.name, found.info.name)
        return found

    def all_catalogs(self) -> list[Catalog]:
        return [self._seen(each) for each in self.catalogs if self.identity.sees(each.name)]

    def table(self, wanted: Requested, ability: Ability = Ability.READ) -> Found:
        """Names in paths may be encoded or not: the decoded one first, then as it was spelled."""
        self.account.note(self.wanted(wanted.catalog), wanted.name)
        catalog = self.catalog(wanted.catalog)
        try:
            table = open_table(self.identity, catalog, wanted.name, ability)
        except (NotFoundError, PermissionDeniedError) as refusal:
            table = self._as_spelled(catalog, wanted, ability, refusal)
        self.account.note(catalog.name, table.name)
        return Found(catalog, table)

    def wanted(self, named: str | None = None) -> str:
        """The name of the catalog that is meant, whether there is one or not."""
        return named or self.header or self.identity.home or self.catalogs.default.name

    def _as_spelled(
        self, catalog: Catalog, wanted: Requested, ability: Ability, refusal: LakeportError
    ) -> Table:
        if wanted.spelled is None:
            raise refusal
        try:
            return open_table(self.identity, catalog, wanted.spelled, ability)
        except (NotFoundError, PermissionDeniedError):
            raise refusal from None

    def _seen(self, catalog: Catalog) -> Catalog:
        return catalog if self.overlay is None else self.overlay(catalog, self.identity)
