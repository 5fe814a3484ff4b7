"""Namespaces that only hold others: `a`, of which nobody has said more than that there is an `a.b`.

They are there, as for Java's JDBC catalog: they can be looked at and hold no tables. A catalog does not
know them, so whoever puts something into one has it made first.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from lakeport.access import visible_namespaces
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import AlreadyExistsError, NotFoundError
from lakeport.core.names import fold
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NO_NAMESPACE, NamedError, Subject

_MISSING = 404


def located(desk: Desk, name: str) -> tuple[tuple[str, ...], str | None]:
    """The levels of a namespace that the caller sees, and what the catalog calls it, if it knows it."""
    try:
        found = desk.seen_namespace(name).name
    except NotFoundError:
        below = _below(desk, name, visible_namespaces(desk.identity, desk.catalog))
        if not below:
            raise
        return below[0], None
    return desk.engines.levels(found), found


def holds_others(desk: Desk, name: str) -> bool:
    """Whether or not the caller may see them. A service, of which we know what was, says so itself."""
    if desk.engines.is_service:
        return False
    return bool(_below(desk, name, desk.catalog.namespaces()))


def settle(desk: Desk, name: str) -> None:
    """Makes a namespace of its own of it, before something comes into it. Others are left as they are."""
    try:
        desk.catalog.namespace(name)
    except NotFoundError:
        for levels in _below(desk, name, desk.catalog.namespaces())[:1]:
            with suppress(AlreadyExistsError):  # by somebody else, this moment
                desk.engines.create_namespace(levels, {}, desk.terms)


def settle_destination(desk: Desk, name: str) -> None:
    """For what is renamed: one that is not there is told as the namespace's trouble, not the table's."""
    settle(desk, name)
    try:
        desk.catalog.namespace(name)
    except NotFoundError as error:
        raise NamedError(error, _MISSING, NO_NAMESPACE, Subject(name)) from error


def _below(desk: Desk, name: str, known: Iterable[NamespaceInfo]) -> list[tuple[str, ...]]:
    wanted = fold(name).split(".")
    every = (desk.engines.levels(info.name) for info in known)
    return [
        levels[: len(wanted)]
        for levels in every
        if len(levels) > len(wanted) and list(map(fold, levels[: len(wanted)])) == wanted
    ]
