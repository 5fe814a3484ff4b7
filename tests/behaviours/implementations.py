"""The implementations of the ports that the behaviour suite runs on. To test another one, name it here.

`create` and `append` make the tables of the reading half: an implementation that cannot write through
the ports yet brings its own. `writes` says whether the writing half applies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    NamespaceInfo,
    Table,
    require,
)
from lakeport.catalog.statements import insert_rows
from lakeport.core.names import TableName
from lakeport.core.timepoint import NANOSECONDS

START = 1_700_000_000 * NANOSECONDS


class Clock:
    """Whole seconds only: not every storage keeps finer moments."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def pass_seconds(self, seconds: int) -> None:
        self.now += seconds * NANOSECONDS


class LiveCatalog(Catalog, DynamicCatalog, Protocol):
    """What the suite needs to begin with; the rest is asked for as an ability."""


def create_through_ports(catalog: LiveCatalog, name: TableName, definition: Definition) -> Table:
    if name.namespace not in {info.name for info in catalog.namespaces()}:
        catalog.create_namespace(NamespaceInfo(name.namespace))
    namespace = require(catalog.namespace(name.namespace), DynamicNamespace, "the namespace")
    return namespace.create_table(name.table, definition)


def append_through_ports(_: LiveCatalog, table: Table, rows: pa.Table) -> None:
    insert_rows(table, rows)


@dataclass(frozen=True, slots=True)
class Implementation:
    make: Callable[[Clock, Path], LiveCatalog]
    create: Callable[[LiveCatalog, TableName, Definition], Table] = create_through_ports
    append: Callable[[LiveCatalog, Table, pa.Table], None] = append_through_ports
    writes: bool = True


def make_memory(clock: Clock, _: Path) -> LiveCatalog:
    # Small pieces, so that a handful of rows already make several segments, splits and batches.
    return MemoryCatalog("lake", clock=clock, segment_rows=64, split_rows=128, batch_rows=48)


IMPLEMENTATIONS: dict[str, Implementation] = {"memory": Implementation(make_memory)}
