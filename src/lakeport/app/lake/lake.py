"""A lake for Python programs: what `lakeport.open` gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from lakeport.app.lake.dropped import dropped_tables, undrop_table
from lakeport.app.lake.find import find_table, parse_name
from lakeport.app.lake.table import LakeTable
from lakeport.app.lake.writing import (
    create_namespace,
    create_table,
    drop_namespace,
    drop_table,
    rename_table,
)
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import Catalog, NamespaceInfo, OnConflict, WriteContext
from lakeport.catalog.reports.dropped import Dropped
from lakeport.catalog.reports.listing import list_tables, places_of
from lakeport.core.closing import Closing
from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.app.lake.rest import LocalDoor

NewColumns: TypeAlias = Definition | pa.Schema | Mapping[str, pa.DataType] | Sequence[Field]
"""A whole definition, with constraints and layout, or columns alone."""


class Lake(Closing):
    """A catalog with its tables. Closing it, or leaving its `with` block, frees its connections.

    `actor` is who writes, as the tables' history will say.
    """

    def __init__(
        self,
        catalog: Catalog,
        close: Callable[[], None] = lambda: None,
        *,
        actor: str | None = None,
    ) -> None:
        self.catalog = catalog
        self._close = close
        self._context = WriteContext(actor=actor)

    def __repr__(self) -> str:
        return f"<lakeport lake {self.catalog.name}>"

    # -- tables ----------------------------------------------------------------------------------

    def tables(self, namespace: str | None = None) -> list[str]:
        """Names like "shop.orders", sorted; of one namespace and those nested in it, or of all."""
        found = list_tables(places_of(self.catalog, namespace))
        return [listed.name for listed in found if listed.kind == "table"]

    def table(self, name: str) -> LakeTable:
        """`NAMESPACE.TABLE` in any spelling; `NotFoundError` names the nearest one there is."""
        return LakeTable(find_table(self.catalog, name), self._context)

    def create_table(
        self, name: str, columns: NewColumns, *, on_conflict: OnConflict = "error"
    ) -> LakeTable:
        """A new, empty table; its namespace is made if it is missing.

        `columns` are a `pyarrow.Schema`, names with types, or a `Definition` with constraints, defaults
        and layout. A table of that name is an error; `on_conflict="ignore"` gives it as it is,
        `"replace"` takes its place in one commit and keeps its past.
        """
        target = parse_name(self.catalog, name)
        made = create_table(self.catalog, target, definition_of(columns), on_conflict)
        return LakeTable(made, self._context)

    def drop_table(self, name: str) -> None:
        drop_table(self.catalog, find_table(self.catalog, name).name)

    def dropped_tables(self) -> tuple[Dropped, ...]:
        """Those that `undrop_table` can bring back, newest first."""
        return dropped_tables(self.catalog)

    def undrop_table(self, name: str) -> LakeTable:
        """The table that was dropped last under that name, with its rows and its history.

        It can be brought back for `maintenance.undrop_days`; its namespace is made if it is missing.
        """
        return LakeTable(undrop_table(self.catalog, name), self._context)

    def rename_table(self, name: str, to: str) -> LakeTable:
        """Within its namespace; `to` is the new name with or without it."""
        renamed = rename_table(self.catalog, find_table(self.catalog, name).name, to)
        return LakeTable(renamed, self._context)

    # -- namespaces ------------------------------------------------------------------------------

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return self.catalog.namespaces()

    def create_namespace(self, name: str, comment: str | None = None) -> None:
        create_namespace(self.catalog, NamespaceInfo(name, comment))

    def drop_namespace(self, name: str) -> None:
        """`PreconditionError` while it holds tables."""
        drop_namespace(self.catalog, name)

    # -- other engines ---------------------------------------------------------------------------

    def rest(self, *, growth: bool = False, name: str | None = None) -> LocalDoor:
        """A door for Spark, DuckDB, PyIceberg and others on this machine, open until it is closed.

        With `growth` tables may gain columns by it and never lose any, and it drops and renames only
        tables that were made under the same `name`.

        >>> with lake.rest() as door:
        ...     load_catalog("lake", **door.for_pyiceberg()).list_namespaces()
        """
        from lakeport.app.lake.rest import LocalDoor  # noqa: PLC0415  loads an HTTP server

        return LocalDoor(self.catalog, name or self._context.actor or "python", growth=growth)

    # -- the end ---------------------------------------------------------------------------------

    def close(self) -> None:
        self._close()


def definition_of(columns: NewColumns) -> Definition:
    if isinstance(columns, Definition):
        return columns
    try:
        return Definition(pa.schema(columns))
    except (TypeError, ValueError) as error:
        raise InvalidRequestError(
            f"columns cannot be made of that: {str(error).splitlines()[0]}",
            hint='give names and Arrow types: {"id": pa.int64(), "name": pa.string()}',
        ) from error
