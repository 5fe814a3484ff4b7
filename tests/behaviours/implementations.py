"""The implementations of the ports that the behaviour suite runs on. To test another one, name it here.

`create` and `append` make the tables of the reading half: an implementation that cannot write through
the ports yet brings its own. `writes` says whether the writing half applies, `is_shared` whether several
processes can open one lake; `upkeep` is what tidies a table up without changing a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.create import append, create_table
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.profile import Profile
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


Upkeep: TypeAlias = Callable[[Table], Iterable[int]]
"""Tidies a table up and names the versions that it made."""


@dataclass(frozen=True, slots=True)
class Implementation:
    make: Callable[[Clock, Path], LiveCatalog]
    create: Callable[[LiveCatalog, TableName, Definition], Table] = create_through_ports
    append: Callable[[LiveCatalog, Table, pa.Table], None] = append_through_ports
    close: Callable[[LiveCatalog], None] = lambda _: None
    writes: bool = True
    is_shared: bool = False
    upkeep: tuple[Upkeep, ...] = ()


def make_memory(clock: Clock, _: Path) -> LiveCatalog:
    # Small pieces, so that a handful of rows already make several segments, splits and batches.
    return MemoryCatalog("lake", clock=clock, segment_rows=64, split_rows=128, batch_rows=48)


class ClockedIcebergCatalog(IcebergCatalog):
    """Its writer here is not its own, and must know the time too."""

    def __init__(self, profile: Profile, clock: Clock) -> None:
        # So small that each file is a split and several batches.
        options = ReadOptions(split_bytes=1_024, batch_bytes=4_096, batch_rows=48)
        super().__init__(profile, clock=clock, options=options)
        self.clock = clock


def make_iceberg(clock: Clock, folder: Path) -> LiveCatalog:
    uri = f"sqlite:///{folder / 'catalog.db'}"
    profile = Profile("lake", "embedded", uri, f"file://{folder / 'warehouse'}")
    return ClockedIcebergCatalog(profile, clock)


def create_in_iceberg(catalog: LiveCatalog, name: TableName, definition: Definition) -> Table:
    if name.namespace not in {info.name for info in catalog.namespaces()}:
        catalog.create_namespace(NamespaceInfo(name.namespace))
    create_table(_iceberg(catalog).pyiceberg, name, definition)
    return catalog.namespace(name.namespace).table(name.table)


def append_to_iceberg(catalog: LiveCatalog, table: Table, rows: pa.Table) -> None:
    stored = _iceberg(catalog).pyiceberg.load_table((table.name.namespace, table.name.table))
    before = len(stored.snapshots())
    append(stored, rows.to_batches())
    if len(stored.snapshots()) > before:  # no rows are no commit
        _date_newest_snapshot(stored.metadata_location, _iceberg(catalog).clock() // 1_000_000)


def _date_newest_snapshot(metadata_location: str, milliseconds: int) -> None:
    """PyIceberg asks the machine for the time. Nobody has read this file yet, so it may change."""
    path = Path(metadata_location.removeprefix("file://"))
    metadata = json.loads(path.read_text())
    metadata["snapshots"][-1]["timestamp-ms"] = milliseconds
    metadata["snapshot-log"][-1]["timestamp-ms"] = milliseconds
    path.write_text(json.dumps(metadata))


def _iceberg(catalog: LiveCatalog) -> ClockedIcebergCatalog:
    if not isinstance(catalog, ClockedIcebergCatalog):
        raise TypeError(type(catalog).__name__)
    return catalog


IMPLEMENTATIONS: dict[str, Implementation] = {
    "memory": Implementation(make_memory),
    "iceberg": Implementation(
        make_iceberg,
        create_in_iceberg,
        append_to_iceberg,
        lambda lake: _iceberg(lake).close(),
        writes=False,
        is_shared=True,
    ),
}
