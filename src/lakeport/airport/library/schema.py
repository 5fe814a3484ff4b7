"""A namespace of a catalog that is put together in a program, and all that can be put into it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import pyarrow as pa

from lakeport.airport.library.rows import arrow_table
from lakeport.airport.library.sources import source_of
from lakeport.airport.library.table import Reader, table_of
from lakeport.airport.library.versions import Version, VersionedTable
from lakeport.catalog.definition import Definition, PrimaryKey
from lakeport.catalog.delegation import Reference
from lakeport.catalog.functions import Function
from lakeport.catalog.memory.delegated import DelegatedTable, TravellingTable
from lakeport.catalog.memory.namespace import MemoryNamespace
from lakeport.catalog.naming import check_table_name
from lakeport.catalog.ports import (
    ABILITIES,
    DynamicNamespace,
    Insertable,
    NamespaceInfo,
    OnConflict,
    ScanRequest,
    Table,
    WriteContext,
    require,
)
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import TableName, quoted

if TYPE_CHECKING:
    from lakeport.airport.library.catalog import Catalog

R = TypeVar("R", bound=Callable[..., Any])


class Schema:
    def __init__(self, catalog: Catalog, held: MemoryNamespace, *, ddl: bool) -> None:
        self.catalog = catalog
        self._held = held
        self._ddl = ddl

    def schema(
        self,
        name: str,
        *,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
        is_default: bool = False,
    ) -> Schema:
        """Another namespace of the same catalog."""
        return self.catalog.schema(
            name, comment=comment, properties=properties, is_default=is_default
        )

    # -- tables ----------------------------------------------------------------------------------

    @overload
    def table(self, name: str) -> Table: ...

    @overload
    def table(
        self,
        name: str,
        source: object,
        *,
        schema: pa.Schema | None = ...,
        comment: str | None = ...,
        row_id: str | None = ...,
    ) -> Schema: ...

    @overload
    def table(
        self, name: str, *, schema: pa.Schema, comment: str | None = ..., row_id: str | None = ...
    ) -> Callable[[R], R]: ...

    def table(
        self,
        name: str,
        source: object = None,
        *,
        schema: pa.Schema | None = None,
        comment: str | None = None,
        row_id: str | None = None,
    ) -> Table | Schema | Callable[[R], R]:
        """`source` is data (an Arrow table, batch or dataset, a frame, a list of mappings), a function
        that gives data for each read and may take a `Scan`, or an object with `schema` and `scan`.

        With `schema` and no source it is a decorator for such a function; with a name alone it is the
        table of that name.
        """
        if source is None and schema is None:
            return self._held.table(name)
        if source is None:
            return self._decorator(name, schema, comment, row_id)
        place = self._place(name)
        made = source_of(self.catalog.name, place, source, schema, comment, row_id)
        self._held.add_table(table_of(made))
        return self

    def memory_table(
        self,
        name: str,
        rows: object,
        *,
        schema: pa.Schema | None = None,
        comment: str | None = None,
        primary_key: Sequence[str] = (),
    ) -> Schema:
        """A copy that clients may change, with versions, constraints and statistics, until the end."""
        data = arrow_table(rows, schema, f"table {quoted(name)}")
        keys = (PrimaryKey(tuple(primary_key)),) if primary_key else ()
        made = self._held.create_table(name, Definition(data.schema, keys, comment))
        with require(made, Insertable, f"table {quoted(name)}").insert() as write:
            for batch in data.to_batches():
                write.add(batch)
            write.commit()
        return self

    def versions(
        self,
        name: str,
        versions: Sequence[Version] | Callable[[], Sequence[Version]],
        *,
        comment: str | None = None,
    ) -> Schema:
        """A table with a past: `AT (VERSION => n)` and `AT (TIMESTAMP => t)`."""
        known = versions if callable(versions) else lambda: versions
        place = self._place(name)
        self._held.add_table(
            VersionedTable(self.catalog.name, place, known, comment, now_ns=time.time_ns)
        )
        return self

    def reference(
        self,
        name: str,
        references: Sequence[Reference] | Callable[[ScanRequest], Sequence[Reference]],
        *,
        schema: pa.Schema,
        comment: str | None = None,
        travels: bool = False,
    ) -> Schema:
        """A table that the client reads itself: files, or calls of table functions of its own.

        With `travels` it has a past: `references` is called with the point that is asked for, as `request.at`.
        """
        told = references if callable(references) else lambda _: references
        kind = TravellingTable if travels else DelegatedTable
        self._held.add_table(kind(self._place(name), Definition(schema, comment=comment), told))
        return self

    def add(self, *things: Table | Function) -> Schema:
        """Tables and functions that are objects of `lakeport.catalog`'s protocols already."""
        for thing in things:
            if isinstance(thing, Table):
                self._held.add_table(thing)
            else:
                self.function(thing)
        return self

    def remove(self, table: str) -> Schema:
        self._held.drop_table(table)
        return self

    # -- functions -------------------------------------------------------------------------------

    def function(self, *functions: Function) -> Schema:
        """What the decorators `scalar_function`, `table_function` and `table_in_out` make."""
        for each in functions:
            if not hasattr(each, "signature"):
                raise InvalidRequestError(
                    f"{quoted(getattr(each, '__name__', type(each).__name__))} is no function to SQL",
                    hint="decorate it with `scalar_function`, `table_function` or `table_in_out`",
                )
            self._held.add_function(each)
        return self

    def scalar_function(self, *arguments: Any, **options: Any) -> Any:
        """The decorator of that name, and the function is in this namespace."""
        return self._decorated("scalar_function", arguments, options)

    def table_function(self, *arguments: Any, **options: Any) -> Any:
        return self._decorated("table_function", arguments, options)

    def table_in_out(self, *arguments: Any, **options: Any) -> Any:
        return self._decorated("table_in_out", arguments, options)

    # -- what a server asks ----------------------------------------------------------------------

    @property
    def info(self) -> NamespaceInfo:
        return self._held.info

    def tables(self) -> Sequence[str]:
        return self._held.tables()

    def functions(self) -> Sequence[Function]:
        return self._held.functions()

    def create_table(
        self,
        name: str,
        definition: Definition,
        *,
        on_conflict: OnConflict = "error",
        context: WriteContext | None = None,
    ) -> Table:
        self._require_ddl()
        return self._held.create_table(name, definition, on_conflict=on_conflict, context=context)

    def drop_table(self, name: str) -> None:
        self._require_ddl()
        self._held.drop_table(name)

    def rename_table(self, name: str, to: str) -> Table:
        self._require_ddl()
        return self._held.rename_table(name, to)

    # -- inside ----------------------------------------------------------------------------------

    def _require_ddl(self) -> None:
        if not self._ddl:
            what = f"namespace {quoted(self.info.name)}"
            raise UnsupportedError(f"{what} cannot {ABILITIES[DynamicNamespace]}")

    def _place(self, name: str) -> TableName:
        check_table_name(name)
        return TableName(self.info.name, name)

    def _decorator(
        self, name: str, schema: pa.Schema | None, comment: str | None, row_id: str | None
    ) -> Callable[[R], R]:
        def decorate(reader: R) -> R:
            told: Reader = reader
            self.table(name, told, schema=schema, comment=comment or reader.__doc__, row_id=row_id)
            return reader

        return decorate

    def _decorated(self, word: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        from lakeport import functions  # noqa: PLC0415  loads what decorators need

        made = getattr(functions, word)(*arguments, **options)
        if hasattr(made, "signature"):
            self.function(made)
            return made

        def decorate(function: Callable[..., Any]) -> Any:
            decorated = made(function)
            self.function(decorated)
            return decorated

        return decorate
