"""Somebody who was recognised, and what they may do.

`grants` is hashable: two identities with the same grants see the same lake, so whatever is made for
one (a listing, its bytes) may be kept under (version, grants) and given to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lakeport.access.grants import EVERY_GRANT, Ability, Grant
from lakeport.access.limits import NO_LIMITS, StatementLimits
from lakeport.core.errors import PermissionDeniedError
from lakeport.core.names import quoted

_OF_ROWS = (Ability.READ, Ability.WRITE)


@dataclass(frozen=True, slots=True)
class Identity:
    """With `growth` it is a run of a pipeline: whatever its grants, tables lose nothing by it."""

    name: str
    grants: frozenset[Grant]
    limits: StatementLimits = NO_LIMITS
    growth: bool = False

    @property
    def is_admin(self) -> bool:
        """Of everything: of all catalogs and of the server itself."""
        return not EVERY_GRANT.isdisjoint(self.grants)

    def may(
        self, ability: Ability, catalog: str, namespace: str | None = None, table: str | None = None
    ) -> bool:
        """Without a table: the whole namespace. Without that: the whole catalog."""
        return any(
            grant.gives(ability) and grant.takes_in(catalog, namespace, table)
            for grant in self.grants
        )

    def sees(self, catalog: str, namespace: str | None = None) -> bool:
        """A namespace: whether there may be a table to read in it. A catalog: whether any grant holds
        there, for who may only write must be let in, too. What one does not see is not listed.
        """
        return any(
            (namespace is None or grant.gives(Ability.READ)) and grant.touches(catalog, namespace)
            for grant in self.grants
        )

    def at_doors_of_rows(self) -> Identity:
        """As it is where growth cannot be told from loss: a run changes rows there, no definitions."""
        if not self.growth:
            return self
        kept = {grant for grant in self.grants if grant.ability in _OF_ROWS}
        given = {
            replace(grant, ability=ability)
            for grant in self.grants
            if grant.ability is Ability.ADMIN
            for ability in _OF_ROWS
        }
        return replace(self, grants=frozenset(kept | given))

    def require(
        self, ability: Ability, catalog: str, namespace: str | None = None, table: str | None = None
    ) -> None:
        """Ask before anything is looked up: the answer must be the same for names that are not there."""
        if not self.may(ability, catalog, namespace, table):
            raise self.refusal(ability, catalog, namespace, table)

    def require_sight(self, catalog: str, namespace: str | None = None) -> None:
        if not self.sees(catalog, namespace):
            raise self.refusal(Ability.READ, catalog, namespace)

    def refusal(
        self, ability: Ability, catalog: str, namespace: str | None = None, table: str | None = None
    ) -> PermissionDeniedError:
        if namespace is None:
            what = f"catalog {quoted(catalog)}"
        elif table is None:
            what = f"namespace {quoted(namespace)}"
        else:
            what = f"table {quoted(f'{namespace}.{table}')}"
        return PermissionDeniedError(
            f"{quoted(self.name)} has no grant {quoted(ability)} on {what}",
            hint="`lakeport token create NAME --grant … --on …` makes a token that has it",
        )


EVERYONE = Identity("everyone", EVERY_GRANT)
"""Who calls while no token is needed (`auth = "auto"` on loopback)."""
