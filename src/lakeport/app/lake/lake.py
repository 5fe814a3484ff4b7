"""A lake for Python programs: what `lakeport.open` gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

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
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import quoted

if TYPE_CHECKING:
    from typing import Unpack

    from lakeport.app.lake.pipeline import Pipeline
    from lakeport.app.lake.rest import LocalDoor
    from lakeport.pipeline.session import Session
    from lakeport.pipeline.writing import Observer, Outcome, Planned, WriteSettings

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
        pipeline: Callable[[], Pipeline] | None = None,
    ) -> None:
        self.catalog = catalog
        self._close = close
        self._context = WriteContext(actor=actor)
        self._make_pipeline = pipeline
        self._pipeline: Pipeline | None = None
        self._lock = threading.Lock()

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

    # -- Spark -----------------------------------------------------------------------------------

    @overload
    def write(
        self,
        query: object,
        into: str,
        *,
        dry_run: Literal[False] = False,
        parameters: Mapping[str, object] | None = None,
        run_id: str | None = None,
        model: str | None = None,
        session: Session | None = None,
        observe: Observer | None = None,
        **settings: Unpack[WriteSettings],
    ) -> Outcome: ...

    @overload
    def write(
        self,
        query: object,
        into: str,
        *,
        dry_run: Literal[True],
        parameters: Mapping[str, object] | None = None,
        run_id: str | None = None,
        model: str | None = None,
        session: Session | None = None,
        observe: Observer | None = None,
        **settings: Unpack[WriteSettings],
    ) -> Planned: ...

    def write(  # noqa: PLR0913  one keyword per thing there is to say
        self,
        query: object,
        into: str,
        *,
        dry_run: bool = False,
        parameters: Mapping[str, object] | None = None,
        run_id: str | None = None,
        model: str | None = None,
        session: Session | None = None,
        observe: Observer | None = None,
        **settings: Unpack[WriteSettings],
    ) -> Outcome | Planned:
        """The rows of a query into a table, by Spark; the table is made or grown for them.

        `query` is SQL with `:name` for each of the `parameters`, a DataFrame, or Arrow data. A frame is
        written by its own session, everything else by `session`, or one of this lake's Spark. With
        `run_id` a write that is repeated does nothing. `dry_run` tells what would be done.

        >>> lake.write("SELECT id, amount FROM raw.orders", into="shop.orders", unique_key="id")
        """
        from lakeport.app.lake.write import Wish, plan_write, write  # noqa: PLC0415  loads Spark's side

        wish = Wish(parameters, run_id, model, session, settings=settings)
        if observe is not None:
            wish = replace(wish, observe=observe)
        do = plan_write if dry_run else write
        return do(self.pipeline(), query, parse_name(self.catalog, into), wish, self._context.actor)

    def spark(self) -> Session:
        """A new session of the lake's Spark, which starts now if it has not: `shop.orders` is a table
        here. Tables may gain columns by it, and never lose any.
        """
        return self.pipeline().session()

    def pipeline(self) -> Pipeline:
        """What `write` is made of, for other front ends."""
        with self._lock:
            if self._pipeline is None:
                if self._make_pipeline is None:
                    raise UnsupportedError(
                        f"catalog {quoted(self.catalog.name)} was opened without a project,"
                        " which says where Spark is",
                        hint="open it with lakeport.open",
                    )
                self._pipeline = self._make_pipeline()
            return self._pipeline

    # -- the end ---------------------------------------------------------------------------------

    def close(self) -> None:
        with self._lock:
            pipeline, self._pipeline = self._pipeline, None
        try:
            if pipeline is not None:
                pipeline.close()
        finally:
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
