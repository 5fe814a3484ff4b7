"""New tables and new rows, on whatever catalog: through its own abilities where it has them.

Iceberg's tables are created and appended to by PyIceberg until they have abilities of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    Insertable,
    NamespaceInfo,
    Table,
    Written,
    require,
)
from lakeport.catalog.statements import Rows, batches_of, insert_rows
from lakeport.core.errors import LakeportError, NotFoundError, UnsupportedError
from lakeport.core.names import TableName, quoted

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.catalog import IcebergCatalog


def ensure_namespace(catalog: Catalog, name: str) -> bool:
    """Whether it had to be made."""
    try:
        catalog.namespace(name)
    except NotFoundError:
        owner = require(catalog, DynamicCatalog, f"catalog {quoted(catalog.name)}")
        owner.create_namespace(NamespaceInfo(name))
        return True
    return False


def create_table(catalog: Catalog, name: TableName, definition: Definition) -> Table:
    """A new table in a namespace that exists."""
    namespace = catalog.namespace(name.namespace)
    if isinstance(namespace, DynamicNamespace):
        return namespace.create_table(name.table, definition)
    from lakeport.catalog.iceberg import create  # noqa: PLC0415  loads PyIceberg

    with _iceberg(catalog).changing() as native:
        create.create_table(native, name, definition)
    return catalog.namespace(name.namespace).table(name.table)


def drop_table(catalog: Catalog, name: TableName) -> None:
    namespace = catalog.namespace(name.namespace)
    if isinstance(namespace, DynamicNamespace):
        namespace.drop_table(name.table)
        return
    from lakeport.catalog.iceberg import create  # noqa: PLC0415  loads PyIceberg

    with _iceberg(catalog).changing() as native:
        create.drop_table(native, name)


def append_rows(catalog: Catalog, table: Table, rows: Rows) -> Written:
    """All rows in one commit, or none."""
    if isinstance(table, Insertable):
        return insert_rows(table, rows)
    from lakeport.catalog.iceberg import create  # noqa: PLC0415  loads PyIceberg

    name, given = table.name, _Given(batches_of(rows, table))
    try:
        with _iceberg(catalog).changing(name) as native:
            found = native.load_table((*name.namespace.split("."), name.table))
            added = create.append(found, given)
    except LakeportError:
        if given.failure is not None:
            raise given.failure from None
        raise
    state = table.state()
    return Written(added, state.snapshot_id, state.version)


class _Given:
    """Rows of a caller's making. What fails in there is the caller's, and no fault of the catalog."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._batches
        except Exception as error:
            self.failure = error
            raise


def _iceberg(catalog: Catalog) -> IcebergCatalog:
    from lakeport.catalog.iceberg.catalog import IcebergCatalog  # noqa: PLC0415  loads PyIceberg

    if not isinstance(catalog, IcebergCatalog):
        raise UnsupportedError(f"catalog {quoted(catalog.name)} cannot be written to")
    return catalog
