"""Functions by name, for who may call them: `read` on NAMESPACE.FUNCTION, asked again by every call.

A function that may not be called looks like none at all, except to who names it with its namespace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lakeport.access import Ability, functions_of, visible_functions, visible_namespaces
from lakeport.airport.functions.asked import FunctionCall
from lakeport.airport.functions.declared import Declared, Kind, declared_functions
from lakeport.airport.visible import Visible
from lakeport.catalog.ports import Catalog, Namespace
from lakeport.core.errors import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
)
from lakeport.core.names import TableName, fold, quoted

_ALL = tuple(Kind)
_CALLED = {
    Kind.SCALAR: "scalar function",
    Kind.TABLE: "table function",
    Kind.IN_OUT: "function that takes rows",
}


@dataclass(frozen=True, slots=True)
class Found:
    """At least one overload; they have one name."""

    catalog: Catalog
    overloads: tuple[Declared, ...]

    @property
    def name(self) -> TableName:
        return self.overloads[0].name


def find(visible: Visible, wanted: FunctionCall, kinds: Collection[Kind] = _ALL) -> Found:
    catalog = visible.catalog(wanted.catalog_name)
    if wanted.schema_name is None:
        found = _anywhere(visible, catalog, wanted.function_name, kinds)
    else:
        found = _at(visible, catalog, wanted, kinds)
    visible.account.note(catalog.name, found[0].name)
    return Found(catalog, _overloads(found, wanted))


def _at(
    visible: Visible, catalog: Catalog, wanted: FunctionCall, kinds: Collection[Kind]
) -> tuple[Declared, ...]:
    """The decoded name first, then as it was spelled."""
    name = TableName(wanted.schema_name or "", wanted.function_name)
    visible.account.note(catalog.name, name)
    try:
        return _named(visible, catalog, name, kinds)
    except (NotFoundError, PermissionDeniedError) as refusal:
        return _as_spelled(visible, catalog, wanted, kinds, refusal)


def _as_spelled(
    visible: Visible,
    catalog: Catalog,
    wanted: FunctionCall,
    kinds: Collection[Kind],
    refusal: LakeportError,
) -> tuple[Declared, ...]:
    if wanted.spelled is None:
        raise refusal
    try:
        return _named(visible, catalog, TableName(*wanted.spelled), kinds)
    except (NotFoundError, PermissionDeniedError):
        raise refusal from None


def _named(
    visible: Visible, catalog: Catalog, name: TableName, kinds: Collection[Kind]
) -> tuple[Declared, ...]:
    identity = visible.identity
    identity.require(Ability.READ, catalog.name, name.namespace, name.table)
    try:
        namespace = catalog.namespace(name.namespace)
    except NotFoundError:
        if identity.may(Ability.READ, catalog.name):
            raise
        raise _unknown(name, kinds, ()) from None
    found = tuple(_called(namespace, name.table, kinds))
    if not found:
        listed = visible_functions(identity, catalog, namespace)
        known = declared_functions(listed, namespace.info.name)
        raise _unknown(name, kinds, {str(each.name) for each in known if each.kind in kinds})
    return found


def _anywhere(
    visible: Visible, catalog: Catalog, name: str, kinds: Collection[Kind]
) -> tuple[Declared, ...]:
    """A bare name is looked for in all namespaces that the caller sees."""
    places: list[tuple[Declared, ...]] = []
    for info in visible_namespaces(visible.identity, catalog):
        if not visible.identity.may(Ability.READ, catalog.name, info.name, name):
            continue
        found = tuple(_called(catalog.namespace(info.name), name, kinds))
        if found:
            places.append(found)
    if not places:
        raise NotFoundError(f"there is no {_kinds(kinds)} {quoted(name)}")
    if len(places) > 1:
        names = ", ".join(quoted(found[0].name.namespace) for found in places)
        raise InvalidRequestError(
            f"several namespaces have a function {quoted(name)}: {names}",
            hint="say which with `schema_name`",
        )
    return places[0]


def _called(namespace: Namespace, name: str, kinds: Collection[Kind]) -> Iterator[Declared]:
    wanted = fold(name)
    named = [each for each in functions_of(namespace) if fold(each.signature.name) == wanted]
    for each in declared_functions(named, namespace.info.name):
        if each.kind in kinds:
            yield each


def _overloads(found: tuple[Declared, ...], wanted: FunctionCall) -> tuple[Declared, ...]:
    if wanted.overload is None:
        return found
    exact = tuple(each for each in found if each.overload == wanted.overload)
    if not exact:
        raise PreconditionError(
            f"{found[0].what} takes or gives something else than it did",
            hint="in DuckDB, DETACH and ATTACH the catalog again",
        )
    return exact


def _unknown(name: TableName, kinds: Collection[Kind], known: Collection[str]) -> NotFoundError:
    return NotFoundError.among(_kinds(kinds), str(name), known)


def _kinds(kinds: Collection[Kind]) -> str:
    return _CALLED[next(iter(kinds))] if len(kinds) == 1 else "function"
