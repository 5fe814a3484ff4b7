"""What may be done, and where: a grant is one ability on the tables that a pattern matches.

Abilities do not imply each other, except that `admin` is all of them: an UPDATE over the wire reads
before it writes, so its caller needs both. Whether something is allowed follows from names alone, never
from what exists: a refusal must not tell whether there is such a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from lakeport.access import glob
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import nearest, quoted


class Ability(StrEnum):
    READ = "read"
    WRITE = "write"
    DDL = "ddl"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, order=True)
class Grant:
    """`on` is a pattern over NAMESPACE.TABLE, `catalog` one over the names of catalogs."""

    ability: Ability
    on: str = glob.EVERYTHING
    catalog: str = glob.EVERYTHING

    def gives(self, ability: Ability) -> bool:
        return self.ability in {ability, Ability.ADMIN}

    def takes_in(self, catalog: str, namespace: str | None, table: str | None) -> bool:
        """The table; without one the whole namespace; without that the whole catalog."""
        if not glob.matches(self.catalog, catalog):
            return False
        if namespace is None:
            return self.on == glob.EVERYTHING
        if table is None:
            return glob.covers(self.on, namespace)
        return glob.matches(self.on, f"{namespace}.{table}")

    def touches(self, catalog: str, namespace: str | None) -> bool:
        """Whether it may hold for some table there."""
        if not glob.matches(self.catalog, catalog):
            return False
        return namespace is None or glob.reaches(self.on, namespace)

    def __str__(self) -> str:
        where = self.on if self.catalog == glob.EVERYTHING else f"{self.on} in {self.catalog}"
        return f"{self.ability} on {where}"


EVERY_GRANT: frozenset[Grant] = frozenset({Grant(Ability.ADMIN)})
"""What somebody has who may do anything anywhere."""


def parse_abilities(text: str) -> tuple[Ability, ...]:
    """`read,write`, in any order and case."""
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    known = ", ".join(Ability)
    if not words:
        raise InvalidRequestError("no grant is named", hint=f"grants: {known}")
    for word in words:
        if word not in set(Ability):
            close = nearest(word, Ability)
            hint = f"did you mean {quoted(close)}? grants: {known}" if close else f"grants: {known}"
            raise InvalidRequestError(f"{quoted(word)} is no grant", hint=hint)
    return tuple(ability for ability in Ability if ability in words)


def grants_for(
    abilities: Iterable[Ability], on: Iterable[str] = (), catalogs: Iterable[str] = ()
) -> frozenset[Grant]:
    """Each ability on each pattern in each catalog; nothing named means everything."""
    patterns = [glob.normal(pattern) for pattern in on] or [glob.EVERYTHING]
    places = [glob.normal_catalog(pattern) for pattern in catalogs] or [glob.EVERYTHING]
    return frozenset(
        Grant(ability, pattern, place)
        for ability in abilities
        for pattern in patterns
        for place in places
    )
