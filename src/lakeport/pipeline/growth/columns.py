"""The contract's arithmetic on names: what is new, what left, what the table has afterwards.

Names are matched by Unicode case folding and the table's spelling wins. Nothing here can take a name
away from a table: `final_columns` knows additions only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lakeport.core.names import NameMap, fold

Side = Literal["source", "target"]


@dataclass(frozen=True, slots=True)
class Collision:
    """Two names of one side that are one name to every engine."""

    side: Side
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Difference:
    """`added` is in the source's order, `removed` and `common` (in both) in the target's."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    common: tuple[str, ...]
    collisions: tuple[Collision, ...]


@dataclass(frozen=True, slots=True)
class Selected:
    """What stands for a final column: the source's column, or NULL where that is None."""

    name: str
    source: str | None


def diff(target: Sequence[str], source: Sequence[str]) -> Difference:
    held, given = NameMap(_named(target)), NameMap(_named(source))
    return Difference(
        added=tuple(name for name in given if name not in held),
        removed=tuple(name for name in held if name not in given),
        common=tuple(name for name in held if name in given),
        collisions=(*_collisions("target", target), *_collisions("source", source)),
    )


def final_columns(target: Sequence[str], added: Sequence[str]) -> tuple[str, ...]:
    """The target's columns in their order, then the new ones: a union, never a subtraction."""
    return (*target, *added)


def projection(final: Sequence[str], source: Sequence[str]) -> tuple[Selected, ...]:
    """One expression per final column, in order."""
    given = NameMap(_named(source))
    return tuple(Selected(name, given.get(name)) for name in final)


def _named(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    return ((name, name) for name in names)


def _collisions(side: Side, names: Iterable[str]) -> Iterable[Collision]:
    seen: dict[str, str] = {}
    for name in names:
        folded = fold(name)
        if folded in seen:
            yield Collision(side, seen[folded], name)
        seen.setdefault(folded, name)
