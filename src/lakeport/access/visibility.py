"""A catalog as somebody sees it: what they may not read is not listed, and not hinted at.

A catalog's own "not found" names its neighbours. For somebody who may not read everything such an
error is made anew, from what they see, in one sentence for every reason there may be.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lakeport.access.grants import Ability
from lakeport.access.identity import Identity
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import TableName

if TYPE_CHECKING:  # `lakeport token` must not wait for Arrow
    from lakeport.catalog.functions import Function
    from lakeport.catalog.ports import Catalog, Namespace, NamespaceInfo, Table

_log = logging.getLogger(__name__)


def visible_namespaces(identity: Identity, catalog: Catalog) -> list[NamespaceInfo]:
    """An empty namespace is listed to who may read whatever comes into it."""
    if identity.reads_all(catalog.name):
        return list(catalog.namespaces())
    return [info for info in catalog.namespaces() if _is_listed(identity, catalog, info.name)]


def visible_tables(identity: Identity, catalog: Catalog, namespace: Namespace) -> list[str]:
    place = namespace.info.name
    names = namespace.tables()
    if identity.reads_all(catalog.name, place):
        return list(names)
    return [name for name in names if identity.may(Ability.READ, catalog.name, place, name)]


def visible_views(identity: Identity, catalog: Catalog, namespace: Namespace) -> list[str]:
    from lakeport.catalog.views import views_of  # noqa: PLC0415  loads Arrow

    place = namespace.info.name
    return [
        name
        for name in views_of(namespace)
        if identity.may(Ability.READ, catalog.name, place, name)
    ]


def visible_functions(identity: Identity, catalog: Catalog, namespace: Namespace) -> list[Function]:
    """A function is called by who may `read` its name, as if it were a table."""
    place = namespace.info.name
    return [
        function
        for function in functions_of(namespace)
        if identity.may(Ability.READ, catalog.name, place, function.signature.name)
    ]


def functions_of(namespace: Namespace) -> list[Function]:
    """Those that can at least be named: code of others must not take its namespace down."""
    from lakeport.catalog.functions import FunctionHost  # noqa: PLC0415  loads Arrow

    if not isinstance(namespace, FunctionHost):
        return []
    try:
        functions = namespace.functions()
    except LakeportError:
        raise
    except Exception:  # noqa: BLE001  its tables are there all the same
        _log.warning("functions.not_told", extra={"namespace": namespace.info.name}, exc_info=True)
        return []
    return [function for function in functions if _has_name(function)]


def open_namespace(identity: Identity, catalog: Catalog, name: str) -> Namespace:
    """To list it. PERMISSION_DENIED by its name alone, else NOT_FOUND if nothing of it is visible."""
    identity.require_sight(catalog.name, name)
    if identity.reads_all(catalog.name):
        return catalog.namespace(name)
    try:
        found = catalog.namespace(name)
    except NotFoundError:
        found = None
    if found is None or not _is_listed(identity, catalog, found.info.name):
        raise _no_namespace(identity, catalog, name)
    return found


def find_namespace(identity: Identity, catalog: Catalog, name: str) -> Namespace:
    """For who was granted something on its name already: NOT_FOUND tells of what they see alone."""
    try:
        return catalog.namespace(name)
    except NotFoundError:
        if identity.reads_all(catalog.name):
            raise
    raise _no_namespace(identity, catalog, name)


def open_table(
    identity: Identity, catalog: Catalog, name: TableName, ability: Ability = Ability.READ
) -> Table:
    """PERMISSION_DENIED before anything is looked up, else the table, else NOT_FOUND."""
    identity.require(ability, catalog.name, name.namespace, name.table)
    try:
        return catalog.namespace(name.namespace).table(name.table)
    except NotFoundError:
        if identity.reads_all(catalog.name):
            raise
    raise NotFoundError.among("table", str(name), _neighbours(identity, catalog, name.namespace))


def _is_listed(identity: Identity, catalog: Catalog, namespace: str) -> bool:
    if identity.may(Ability.READ, catalog.name, namespace):
        return True
    if not identity.sees(catalog.name, namespace):
        return False
    try:
        found = catalog.namespace(namespace)
        return bool(
            visible_tables(identity, catalog, found)
            or visible_views(identity, catalog, found)
            or visible_functions(identity, catalog, found)
        )
    except NotFoundError:
        return False  # dropped since it was listed


def _no_namespace(identity: Identity, catalog: Catalog, name: str) -> NotFoundError:
    known = [info.name for info in visible_namespaces(identity, catalog)]
    return NotFoundError.among("namespace", name, known)


def _neighbours(identity: Identity, catalog: Catalog, namespace: str) -> list[str]:
    try:
        found = catalog.namespace(namespace)
        return [
            str(TableName(found.info.name, table))
            for table in visible_tables(identity, catalog, found)
        ]
    except NotFoundError:
        return []


def _has_name(function: Function) -> bool:
    try:
        is_named = isinstance(function.signature.name, str)
    except Exception:  # noqa: BLE001  whatever it raises, it is malformed
        is_named = False
    if not is_named:
        _log.warning("functions.without_name", extra={"function": type(function).__name__})
    return is_named
