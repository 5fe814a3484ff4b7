"""Names of namespaces and tables in a SQL catalog's database, given out so that no two fold to one.

The database only knows exact spellings, so a name is looked for among all of its kind, under a lock that
whoever takes a name there has to take too. Programs that are not ours do not ask for it: what they
write is read as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from pyiceberg.catalog.sql import IcebergNamespaceProperties, IcebergTables
from pyiceberg.exceptions import (
    NamespaceAlreadyExistsError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from sqlalchemy import ColumnElement, Connection, select, text, update

from lakeport.core.names import fold

_ALL = ""  # the namespace that namespaces are in


def claim_namespace(connection: Connection, catalog: str, namespace: str) -> None:
    """Take the name until the transaction ends, which must begin with this."""
    lock(connection, catalog, _ALL)
    places = (
        select(IcebergTables.table_namespace).where(IcebergTables.catalog_name == catalog),
        select(IcebergNamespaceProperties.namespace).where(
            IcebergNamespaceProperties.catalog_name == catalog
        ),
    )
    known = {name for place in places for (name,) in connection.execute(place.distinct())}
    if fold(namespace) in {fold(name) for name in known}:
        raise NamespaceAlreadyExistsError(f"Namespace {namespace} already exists")


def claim(
    connection: Connection, catalog: str, namespace: str, table: str, renamed: str | None = None
) -> None:
    """Take the name until the transaction ends, which must begin with this.

    Refused if another table or view has it in any spelling, but for the one that is `renamed`.
    """
    lock(connection, catalog, namespace)
    rows = select(IcebergTables.table_name).where(
        IcebergTables.catalog_name == catalog, IcebergTables.table_namespace == namespace
    )
    known = {name for (name,) in connection.execute(rows)}
    if not known and not _exists(connection, catalog, namespace):
        raise NoSuchNamespaceError(f"Namespace does not exist: {namespace}")
    if fold(table) in {fold(name) for name in known - {renamed}}:
        raise TableAlreadyExistsError(f"Table {namespace}.{table} already exists")


def rename(
    connection: Connection,
    catalog: str,
    old: Mapping[str, str],
    new: Mapping[str, str],
    is_kind: ColumnElement[bool],
) -> None:
    """In the transaction of `connection`, which is the caller's to commit. Only the row changes.

    Both names are a `namespace` and a `table`; `is_kind` tells rows that are meant from others.
    """
    within = old["namespace"] == new["namespace"]
    claim(
        connection,
        catalog,
        new["namespace"],
        new["table"],
        renamed=old["table"] if within else None,
    )
    moved = (
        update(IcebergTables)
        .where(
            IcebergTables.catalog_name == catalog,
            IcebergTables.table_namespace == old["namespace"],
            IcebergTables.table_name == old["table"],
            is_kind,
        )
        .values(table_namespace=new["namespace"], table_name=new["table"])
    )
    if connection.execute(moved).rowcount < 1:
        raise NoSuchTableError(f"Table does not exist: {old['namespace']}.{old['table']}")


def _exists(connection: Connection, catalog: str, namespace: str) -> bool:
    properties = select(IcebergNamespaceProperties.property_key).where(
        IcebergNamespaceProperties.catalog_name == catalog,
        IcebergNamespaceProperties.namespace == namespace,
    )
    return connection.execute(properties.limit(1)).first() is not None


def lock(connection: Connection, catalog: str, namespace: str) -> None:
    """Nobody of us takes a name in the namespace until the transaction ends."""
    if connection.dialect.name == "sqlite":
        # A transaction that only read before it writes could find that it has come too late. One that
        # has begun so, or has written, locks all namespaces already.
        if not getattr(connection.connection.driver_connection, "in_transaction", False):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif connection.dialect.name == "postgresql":
        digest = hashlib.sha256(f"{catalog}\0{namespace}".encode()).digest()
        key = int.from_bytes(digest[:8], "big", signed=True)
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
