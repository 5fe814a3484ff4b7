"""The tables of a catalog as a write needs them: looked at, made, grown. There is no way to shrink one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from lakeport.catalog.changes import Growth
from lakeport.catalog.definition import Definition
from lakeport.catalog.engines import EngineHost, Engines
from lakeport.catalog.ports import (
    Alterable,
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    NamespaceInfo,
    Table,
    WriteContext,
    require,
)
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    LakeportError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.target.head import Head, read_head

_QUESTIONS = 10


class Tables:
    """`GrowingTables` over a catalog whose tables other engines write, too."""

    def __init__(self, catalog: Catalog, actor: str | None = None) -> None:
        if not isinstance(catalog, EngineHost):
            raise UnsupportedError(f"catalog {quoted(catalog.name)} cannot be written by Spark")
        self.catalog = catalog
        self._context = WriteContext(actor=actor)
        self._engines: Engines = catalog.engines()

    @property
    def engines(self) -> Engines:
        return self._engines

    def table(self, name: TableName) -> Table:
        return self.catalog.namespace(name.namespace).table(name.table)

    def head(self, name: TableName) -> Head | None:
        """The table now, or None. Spark writes to a service past us, so nothing that was said before counts."""
        try:
            self._engines.forget(name)
            # Two questions, so they are asked until both answers are about one moment.
            for _ in range(_QUESTIONS):
                table = self.table(name)
                if table.name != name:
                    self._engines.forget(table.name)
                state = table.state()
                found = self._engines.load(self._engines.find(name))
                head = read_head(found.name, found.metadata, state.definition)
                if (head.snapshot_id, head.schema_id) == (state.snapshot_id, state.schema_id):
                    return head
        except NotFoundError:
            return None
        raise ConflictError(
            f"table {quoted(str(name))} changes faster than it can be read", hint="run it again"
        )

    def columns(self, table: TableName) -> Schema:
        head = self.head(table)
        if head is None:
            raise NotFoundError(f"there is no table {quoted(str(table))}", hint="write to it first")
        return head.columns

    def grow(self, table: TableName, additions: Sequence[Growth]) -> None:
        """One commit, whose snapshot carries no run's id: columns without rows are no run's result."""
        growing = require(self.table(table), Alterable, f"table {quoted(str(table))}")
        growing.alter(additions, self._context)

    def create(self, name: TableName, definition: Definition) -> None:
        """Empty, and never as a query's result: not every catalog can do both at once.

        A namespace that had to be made for it goes again if the table cannot be made.
        """
        is_new = self.ensure_namespace(name.namespace)
        namespace = self.catalog.namespace(name.namespace)
        tables = require(namespace, DynamicNamespace, f"namespace {quoted(name.namespace)}")
        try:
            tables.create_table(name.table, definition)
        except BaseException:
            if is_new:
                with suppress(LakeportError):  # somebody has made a table in it meanwhile
                    self._dynamic().drop_namespace(name.namespace)
            raise

    def path(self, name: TableName) -> tuple[str, ...]:
        """The parts of a table's name below the catalog."""
        return (*self._engines.levels(name.namespace), name.table)

    def _dynamic(self) -> DynamicCatalog:
        return require(self.catalog, DynamicCatalog, f"catalog {quoted(self.catalog.name)}")

    def ensure_namespace(self, name: str) -> bool:
        """Whether it had to be made."""
        try:
            self.catalog.namespace(name)
        except NotFoundError:
            try:
                self._dynamic().create_namespace(NamespaceInfo(name))
            except AlreadyExistsError:  # another program was faster
                return False
            return True
        return False
