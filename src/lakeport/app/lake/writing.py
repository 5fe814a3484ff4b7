"""Namespaces and tables made, dropped and renamed on whatever catalog, by the names people type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lakeport.app.lake.undo import undoing
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    NamespaceInfo,
    OnConflict,
    Table,
    require,
)
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.names import (
    TableName,
    fold,
    quoted,
    why_unsafe_namespace,
    why_unsafe_table,
)


def create_namespace(catalog: Catalog, info: NamespaceInfo) -> None:
    _refuse("namespace", info.name, why_unsafe_namespace(info.name))
    _dynamic(catalog).create_namespace(info)


def drop_namespace(catalog: Catalog, name: str) -> None:
    _dynamic(catalog).drop_namespace(name)


def ensure_namespace(catalog: Catalog, name: str) -> bool:
    """Whether it had to be made."""
    try:
        catalog.namespace(name)
    except NotFoundError:
        try:
            create_namespace(catalog, NamespaceInfo(name))
        except AlreadyExistsError:  # another program was faster
            return False
        return True
    return False


def create_table(
    catalog: Catalog, name: TableName, definition: Definition, on_conflict: OnConflict = "error"
) -> Table:
    """A new table. A namespace that had to be made for it goes again if the table cannot be made."""
    _refuse("table", name.table, why_unsafe_table(name.table))
    with namespace_for(catalog, name):
        return _tables(catalog, name).create_table(name.table, definition, on_conflict=on_conflict)


@contextmanager
def namespace_for(catalog: Catalog, name: TableName) -> Iterator[None]:
    """Its namespace is there in the block; if it had to be made, it goes again if the block fails."""
    if not ensure_namespace(catalog, name.namespace):
        yield
        return
    with undoing(lambda: drop_namespace(catalog, name.namespace)):
        yield


def drop_table(catalog: Catalog, name: TableName) -> None:
    _tables(catalog, name).drop_table(name.table)


def rename_table(catalog: Catalog, name: TableName, to: str) -> Table:
    return _tables(catalog, name).rename_table(name.table, renamed(name, to))


def renamed(name: TableName, to: str) -> str:
    """`to` is a table's name, alone or with the namespace that it stays in."""
    target = TableName.parse(to) or TableName(name.namespace, to)
    if fold(target.namespace) != fold(name.namespace):
        raise InvalidRequestError(
            f"table {quoted(str(name))} cannot move to namespace {quoted(target.namespace)}",
            hint="a rename stays in its namespace; create the table there and copy the rows",
        )
    return target.table


def _dynamic(catalog: Catalog) -> DynamicCatalog:
    return require(catalog, DynamicCatalog, f"catalog {quoted(catalog.name)}")


def _tables(catalog: Catalog, name: TableName) -> DynamicNamespace:
    namespace = catalog.namespace(name.namespace)
    return require(namespace, DynamicNamespace, f"namespace {quoted(name.namespace)}")


def _refuse(kind: str, name: str, reason: str | None) -> None:
    if reason is not None:
        raise InvalidRequestError(
            f"a {kind} cannot be called {quoted(name)}: {reason}", hint="choose another name"
        )
