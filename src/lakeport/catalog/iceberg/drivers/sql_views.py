"""Views in a SQL catalog: rows of the table that tables are in, as Java's JDBC catalog writes them.

A row says where the view's metadata file is, and `iceberg_type` that it is one. Databases that were made
before there was that column keep no views until they are migrated.
"""

from __future__ import annotations

from pyiceberg.catalog.sql import IcebergTables
from pyiceberg.exceptions import CommitFailedException, NoSuchViewError, TableAlreadyExistsError
from pyiceberg.typedef import Identifier
from sqlalchemy import ColumnElement, delete, insert, update
from sqlalchemy.exc import IntegrityError

from lakeport.catalog.iceberg.drivers.naming import claim
from lakeport.catalog.iceberg.drivers.sql_commits import CommittingSqlCatalog

_VIEW = "VIEW"
_MIGRATED = "v1"


class ViewingSqlCatalog(CommittingSqlCatalog):
    """What is raised was not applied, but for `CommitStateUnknownException`."""

    @property
    def durable(self) -> bool:
        return self._durable

    @property
    def keeps_views(self) -> bool:
        return self._schema_version == _MIGRATED

    def is_view(self) -> tuple[ColumnElement[bool], ...]:
        """The conditions that a row is a view that can be loaded."""
        return IcebergTables.iceberg_type == _VIEW, IcebergTables.metadata_location.is_not(None)

    def add_view(self, namespace: str, name: str, location: str) -> None:
        row = {**self._create_table_row(namespace, name, location), "iceberg_type": _VIEW}
        try:
            with self._transaction() as connection:
                claim(connection, self.name, namespace, name)
                connection.execute(insert(IcebergTables).values(**row))
        except IntegrityError as error:  # a program that does not ask for names
            raise TableAlreadyExistsError(f"View {namespace}.{name} already exists") from error

    def move_view(self, namespace: str, name: str, before: str, after: str) -> None:
        """From one metadata file to the next."""
        moved = (
            update(IcebergTables)
            .where(*self._view(namespace, name), IcebergTables.metadata_location == before)
            .values(metadata_location=after, previous_metadata_location=before)
        )
        with self._transaction() as connection:
            if connection.execute(moved).rowcount < 1:
                raise CommitFailedException("the view has been changed by somebody else")

    def remove_view(self, namespace: str, name: str) -> None:
        with self._transaction() as connection:
            doomed = delete(IcebergTables).where(*self._view(namespace, name))
            if connection.execute(doomed).rowcount < 1:
                raise NoSuchViewError(f"View does not exist: {namespace}.{name}")

    def rename_view_row(self, old: Identifier, new: Identifier) -> None:
        """Each is a namespace and a name; the file stays where it is."""
        (namespace, name), (place, to) = old, new
        renamed = name if namespace == place else None
        moved = (
            update(IcebergTables)
            .where(*self._view(namespace, name))
            .values(table_namespace=place, table_name=to)
        )
        with self._transaction() as connection:
            claim(connection, self.name, place, to, renamed=renamed)
            if connection.execute(moved).rowcount < 1:
                raise NoSuchViewError(f"View does not exist: {namespace}.{name}")

    def _view(self, namespace: str, name: str) -> tuple[ColumnElement[bool], ...]:
        return (
            IcebergTables.catalog_name == self.name,
            IcebergTables.table_namespace == namespace,
            IcebergTables.table_name == name,
            IcebergTables.iceberg_type == _VIEW,
        )
