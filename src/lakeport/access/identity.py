"""Somebody who was recognised, and what they may do.

`grants` is hashable: two identities with the same grants see the same lake, so whatever is made for
one (a listing, its bytes) may be kept under (version, grants) and given to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

from lakeport.access.grants import EVERY_GRANT, Ability, Grant, grants_for, parse_abilities
from lakeport.access.limits import NO_LIMITS, StatementLimits
from lakeport.core.errors import PermissionDeniedError
from lakeport.core.foreign import foreign
from lakeport.core.names import quoted

_OF_ROWS = (Ability.READ, Ability.WRITE)


@dataclass(frozen=True, slots=True)
class Identity:
    """With `growth` it is a run of a pipeline: whatever its grants, tables lose nothing by it.

    `home` is the catalog that is meant where a call names none; None is the server's default. `pace` is how
    many calls a minute they may make.
    """

    name: str
    grants: frozenset[Grant]
    limits: StatementLimits = NO_LIMITS
    growth: bool = False
    home: str | None = None
    pace: int | None = None

    @classmethod
    def of(
        cls,
        name: str,
        abilities: str = Ability.ADMIN,
        *,
        on: Iterable[str] = (),
        catalogs: Iterable[str] = (),
    ) -> Self:
        """Grants in the words of `lakeport token create`; nothing named means everything.

        The first catalog is the home, unless it is a pattern.
        """
        places = tuple(catalogs)
        is_named = bool(places) and not set(places[0]) & set("*?[")
        grants = grants_for(parse_abilities(abilities), on, places)
        return cls(name, grants, home=places[0] if is_named else None)

    @property
    def sight(self) -> Hashable | None:
        """Who has the same sees the same. None: nobody else does, and not even oneself a moment later."""
        return self.grants

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

    def reads_all(self, catalog: str, namespace: str | None = None) -> bool:
        """Whether no table there needs to be asked for."""
        return self.may(Ability.READ, catalog, namespace)

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


Judge: TypeAlias = Callable[[Identity, Ability, str, str | None, str | None], object]
"""An authoriser: who, what, and the catalog, namespace and table (or function) that it is about.

Without a table the question is about the namespace, without a namespace about the catalog. Names are as
the caller spelled them, and need not exist.
"""


@dataclass(frozen=True, slots=True)
class Judged(Identity):
    """Somebody whose every step is asked about: what the grants give, the judge must allow, too."""

    judge: Judge = field(default=lambda *_: False, compare=False)

    @classmethod
    def by(cls, judge: Judge, identity: Identity) -> Judged:
        kept = (identity.limits, identity.growth, identity.home, identity.pace)
        return cls(identity.name, identity.grants, *kept, judge=judge)

    @property
    def sight(self) -> Hashable | None:
        return None

    @property
    def is_admin(self) -> bool:
        return False

    def may(
        self, ability: Ability, catalog: str, namespace: str | None = None, table: str | None = None
    ) -> bool:
        # Not `super()`: a dataclass with slots is made anew, and is not the class that it was written in.
        given = Identity.may(self, ability, catalog, namespace, table)
        return given and self._allowed(ability, catalog, namespace, table)

    def sees(self, catalog: str, namespace: str | None = None) -> bool:
        reached = [grant for grant in self.grants if grant.touches(catalog, namespace)]
        asked = Ability.READ if any(grant.gives(Ability.READ) for grant in reached) else None
        if asked is None and namespace is None and reached:
            asked = reached[0].ability
        return asked is not None and self._allowed(asked, catalog, namespace, None)

    def reads_all(self, catalog: str, namespace: str | None = None) -> bool:
        del catalog, namespace
        return False

    def _allowed(
        self, ability: Ability, catalog: str, namespace: str | None, table: str | None
    ) -> bool:
        with foreign("the authoriser"):
            return bool(self.judge(self, ability, catalog, namespace, table))


EVERYONE = Identity("everyone", EVERY_GRANT)
"""Who calls while no token is needed (`auth = "auto"` on loopback)."""
