"""PyIceberg's SQL catalog for many processes at once.

PyIceberg's own start takes an unreachable database for an empty one, two processes that start on a new one
trip over each other, and two may create one namespace or a table in one that is being dropped. The
database decides all that here, with the connections of `connections.py`.
"""

from __future__ import annotations

from pyiceberg.catalog.sql import IcebergNamespaceProperties, IcebergTables
from pyiceberg.exceptions import (
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
)
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties
from pyiceberg.types import strtobool
from sqlalchemy import Select, delete, insert, inspect, select
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

from lakeport.catalog.iceberg.drivers.connections import prepare_postgres, prepare_sqlite
from lakeport.catalog.iceberg.drivers.counter import SharedCounter
from lakeport.catalog.iceberg.drivers.naming import claim_namespace, lock
from lakeport.catalog.iceberg.drivers.patience import Patience
from lakeport.catalog.iceberg.drivers.sql_views import ViewingSqlCatalog

_CREATE_ATTEMPTS = 5


class PatientSqlCatalog(ViewingSqlCatalog):
    """With `durable` a commit is on disk before anybody is told of it."""

    def __init__(
        self, name: str, patience: Patience, *, durable: bool = False, **properties: str
    ) -> None:
        self._patience = patience
        # A pooled connection may be as old as the process; SQLite's cannot break.
        is_sqlite = properties.get("uri", "").startswith("sqlite")
        properties.setdefault("pool_pre_ping", "false" if is_sqlite else "true")
        super().__init__(name, durable=durable, **properties)
        self.counter = SharedCounter(self.engine, name)
        if strtobool(self.properties.get("init_catalog_tables", "true")):
            self.counter.prepare()

    def _init_catalog(self) -> None:
        if self.engine.dialect.name == "sqlite":
            # A probe creates nothing, and the mode of an empty file would be its first page.
            changes = strtobool(self.properties.get("init_catalog_tables", "true"))
            prepare_sqlite(self.engine, self._patience, may_change=changes, durable=self._durable)
        elif self.engine.dialect.name == "postgresql":
            prepare_postgres(self.engine, self._patience)
        with self.engine.connect() as connection:
            if self.engine.dialect.name == "sqlite":  # which connects without looking at the file
                connection.exec_driver_sql("SELECT 1 FROM sqlite_master")
        super()._init_catalog()

    def create_tables(self) -> None:
        for attempt in range(_CREATE_ATTEMPTS):
            try:
                super().create_tables()
            except (OperationalError, ProgrammingError, IntegrityError):
                # Another process may be creating them right now, one after the other.
                if attempt + 1 == _CREATE_ATTEMPTS or not inspect(self.engine).has_table(
                    IcebergTables.__tablename__
                ):
                    raise
            else:
                return

    def create_namespace(
        self, namespace: str | Identifier, properties: Properties = EMPTY_DICT
    ) -> None:
        """PyIceberg's own takes `a` for there because of `a.b`, and two may create one at once.

        Every namespace gets the row that PyIceberg writes for one without properties: the database
        lets only one of two through, also of programs that do not take our lock.
        """
        name = self.namespace_to_string(namespace, NoSuchNamespaceError)
        properties = {**properties, **IcebergNamespaceProperties.NAMESPACE_MINIMAL_PROPERTIES}
        rows = [
            {
                "catalog_name": self.name,
                "namespace": name,
                "property_key": key,
                "property_value": value,
            }
            for key, value in properties.items()
        ]
        with self.engine.begin() as connection:
            claim_namespace(connection, self.name, name)
            try:
                connection.execute(insert(IcebergNamespaceProperties), rows)
            except IntegrityError as error:
                raise NamespaceAlreadyExistsError(f"Namespace {name} already exists") from error

    def load_namespace_properties(self, namespace: str | Identifier) -> Properties:
        """PyIceberg's own asks twice whether there is one before it reads the rows that tell."""
        name = self.namespace_to_string(namespace)
        held = select(
            IcebergNamespaceProperties.property_key, IcebergNamespaceProperties.property_value
        ).where(
            IcebergNamespaceProperties.catalog_name == self.name,
            IcebergNamespaceProperties.namespace == name,
        )
        with self.engine.connect() as connection:
            found = connection.execute(held).all()
        if not found:  # another program's, that has tables alone, or none
            return super().load_namespace_properties(namespace)
        return {row.property_key: row.property_value for row in found}

    def drop_namespace(self, namespace: str | Identifier) -> None:
        """In one statement, so that nobody creates a table in between; views count, too."""
        name = self.namespace_to_string(namespace, NoSuchNamespaceError)
        held = self._rows_in(name)
        doomed = delete(IcebergNamespaceProperties).where(
            IcebergNamespaceProperties.catalog_name == self.name,
            IcebergNamespaceProperties.namespace == name,
            ~held.exists(),
        )
        with self.engine.begin() as connection:
            lock(connection, self.name, name)
            if connection.execute(doomed).rowcount:
                return
            if connection.execute(held.limit(1)).first():
                raise NamespaceNotEmptyError(f"Namespace {name} is not empty")
            raise NoSuchNamespaceError(f"Namespace does not exist: {name}")

    # -- inside ----------------------------------------------------------------------------------

    def _rows_in(self, namespace: str) -> Select[str]:
        return select(IcebergTables.table_name).where(
            IcebergTables.catalog_name == self.name, IcebergTables.table_namespace == namespace
        )

    def _properties_of(self, namespace: str) -> Select[str]:
        return select(IcebergNamespaceProperties.property_key).where(
            IcebergNamespaceProperties.catalog_name == self.name,
            IcebergNamespaceProperties.namespace == namespace,
        )
