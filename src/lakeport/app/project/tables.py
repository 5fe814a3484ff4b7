"""What an open catalog knows of the tables that models name: their columns, and nothing about others.

Names are looked up in one listing per namespace, because asking for each table that is not there yet costs
a listing of its own; only those that are there are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import msgspec

from lakeport.catalog.reports.figures import figures_of
from lakeport.core.errors import NotFoundError, UnsupportedError
from lakeport.core.names import NameMap, TableName, fold, nearest
from lakeport.pipeline.graph.model import KnownTable
from lakeport.pipeline.growth.iceberg_words import schema_from_iceberg
from lakeport.pipeline.growth.model import Field, ListOf, MapOf, Schema, StructOf, Type, shown
from lakeport.pipeline.growth.spark_words import text_of

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.catalog import IcebergCatalog

# A service answers each question over the network; a database here does not.
_AT_ONCE = 8


class _Snapshot(msgspec.Struct, rename="kebab"):
    snapshot_id: int
    summary: dict[str, str] = msgspec.field(default_factory=dict)


class _Table(msgspec.Struct, rename="kebab"):
    current_schema_id: int
    schemas: list[dict[str, Any]]
    current_snapshot_id: int | None = None
    snapshots: list[_Snapshot] = msgspec.field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """By the summary of the newest snapshot, which need not say."""
        at = self.current_snapshot_id
        newest = next((one for one in reversed(self.snapshots) if one.snapshot_id == at), None)
        return figures_of(None if newest is None else newest.summary).rows == 0


class _Version(msgspec.Struct, rename="kebab"):
    version_id: int
    schema_id: int


class _View(msgspec.Struct, rename="kebab"):
    current_version_id: int
    versions: list[_Version]
    schemas: list[dict[str, Any]]


class CatalogTables:
    """The `CatalogSchema` of a catalog."""

    def __init__(self, catalog: IcebergCatalog) -> None:
        self._catalog = catalog
        self._engines = catalog.engines()

    def __call__(self, names: Collection[TableName]) -> list[KnownTable]:
        wanted: dict[str, tuple[str, list[str]]] = {}
        for name in names:
            wanted.setdefault(fold(name.namespace), (name.namespace, []))[1].append(name.table)
        found = [
            one for namespace, tables in wanted.values() for one in self._in(namespace, tables)
        ]
        if not self._engines.is_service or len(found) < 2:
            return [self._described(*one) for one in found]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(lambda one: self._described(*one), found))

    def nearest(self, name: TableName) -> TableName | None:
        """Of its namespace, or of the one whose name is nearest."""
        spaces = NameMap((space.name, space.name) for space in self._catalog.namespaces())
        space = spaces.get(name.namespace) or nearest(name.namespace, spaces)
        if space is None:
            return None
        table = nearest(name.table, self._engines.tables(space))
        return None if table is None else TableName(space, table)

    def _in(self, namespace: str, tables: Sequence[str]) -> Iterator[tuple[TableName, bool]]:
        """Those that are there, and whether each is a view."""
        try:
            held = self._catalog.namespace(namespace)
            listed = NameMap((name, name) for name in self._engines.tables(namespace))
        except NotFoundError:
            return
        missing = [table for table in tables if table not in listed]
        spelled = held.info.name
        yield from (
            (TableName(spelled, listed[table]), False) for table in tables if table in listed
        )
        if missing and self._engines.keeps_views:
            views = NameMap((name, name) for name in held.views().names())
            yield from (
                (TableName(spelled, views[table]), True) for table in missing if table in views
            )

    def _described(self, name: TableName, is_view: bool) -> KnownTable:  # noqa: FBT001 - the facts of a pair
        if is_view:
            views = self._catalog.namespace(name.namespace).views()
            view = msgspec.json.decode(views.load(name.table).metadata, type=_View)
            version = next(
                one for one in view.versions if one.version_id == view.current_version_id
            )
            return KnownTable(name, _columns(view.schemas, version.schema_id), is_view=True)
        table = msgspec.json.decode(
            self._engines.load(self._engines.find(name)).metadata, type=_Table
        )
        columns = _columns(table.schemas, table.current_schema_id)
        return KnownTable(name, columns, is_empty=table.is_empty)


def _columns(schemas: Sequence[Mapping[str, Any]], current: int) -> tuple[tuple[str, str], ...]:
    schema = next((one for one in schemas if one.get("schema-id", 0) == current), None)
    if schema is None:
        raise UnsupportedError("a table's metadata lacks its current schema")
    return as_spark_shows(schema_from_iceberg(schema))


def as_spark_shows(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Names and types in Spark's words."""
    return tuple((field.name, text_of(_seen(field.type))) for field in schema)


def _seen(type_: Type) -> Type:
    match type_:
        case StructOf():
            return StructOf(tuple(Field(one.name, _seen(one.type)) for one in type_.fields))
        case ListOf():
            return ListOf(_seen(type_.element))
        case MapOf():
            return MapOf(_seen(type_.key), _seen(type_.value))
        case _:
            return shown(type_)
