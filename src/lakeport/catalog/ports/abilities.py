"""Asking for an ability: what lacks it says so by its type, and the user by a clear "unsupported"."""

from __future__ import annotations

from typing import TypeVar

from lakeport.catalog.changelog import Logging
from lakeport.catalog.delegation import Delegating, Lending
from lakeport.catalog.engines import EngineHost
from lakeport.catalog.functions import FunctionHost
from lakeport.catalog.ports.catalog import Surveyable, ViewHost
from lakeport.catalog.ports.changing import Alterable, DynamicCatalog, DynamicNamespace, Restoring
from lakeport.catalog.ports.history import Referable, Rewindable, Travelable
from lakeport.catalog.ports.reading import Measurable, Scannable, Stored
from lakeport.catalog.ports.upkeep import Auditable, Expirable, Maintainable, Sweepable
from lakeport.catalog.ports.writing import (
    Deletable,
    Insertable,
    Overwritable,
    Truncatable,
    Updatable,
)
from lakeport.core.errors import UnsupportedError

A = TypeVar("A")

# How a user is told that something lacks one: "table `s.t` cannot take INSERT".
ABILITIES: dict[type, str] = {
    Scannable: "be read",
    Insertable: "take INSERT",
    Updatable: "take UPDATE",
    Deletable: "take DELETE",
    Truncatable: "take TRUNCATE",
    Overwritable: "have its rows replaced",
    Alterable: "be altered",
    Travelable: "be read as of an earlier point",
    Logging: "tell which of its rows changed",
    Referable: "have tags or branches",
    Expirable: "forget snapshots",
    Rewindable: "go back to an earlier snapshot",
    Maintainable: "be maintained",
    Auditable: "tell what other programs broke",
    Sweepable: "be searched for files that nothing names",
    Measurable: "give statistics",
    Stored: "say where its files are",
    Delegating: "be read by the client itself",
    Lending: "be read from its files by the client itself",
    DynamicCatalog: "create or drop namespaces",
    DynamicNamespace: "create, drop or rename tables",
    Restoring: "bring dropped tables back",
    Surveyable: "find all its tables by one question",
    FunctionHost: "hold functions",
    ViewHost: "keep views",
    EngineHost: "be opened by engines",
}

_ABLE: dict[tuple[type, type], bool] = {}


def is_able(thing: object, ability: type) -> bool:
    """`isinstance`, which takes a listing of thousands of tables a third of its time to ask of each.

    Objects of our own classes have the abilities of their class; others are asked one by one.
    """
    kind = type(thing)
    if kind.__module__.partition(".")[0] != "lakeport":
        return isinstance(thing, ability)
    known = _ABLE.get((kind, ability))
    if known is None:
        known = _ABLE[kind, ability] = isinstance(thing, ability)
    return known


def require(thing: object, ability: type[A], what: str) -> A:
    """`thing` as something with that ability; `what` is how the user calls it: "table `s.t`"."""
    if isinstance(thing, ability):
        return thing
    raise UnsupportedError(f"{what} cannot {ABILITIES[ability]}")
