"""The implementations of the ports that the behaviour suite runs on. To test another one, name it here.

`is_shared` says whether several processes can open one lake, `counts_rows` whether the catalog's version
tells that rows changed; `upkeep` is what tidies a table up without
changing a row, `sweeping` the same where no other process writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    Maintainable,
    Sweepable,
    Table,
    require,
)
from lakeport.catalog.upkeep import Policy
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


Upkeep: TypeAlias = Callable[[Table], Iterable[int]]
"""Tidies a table up and names the versions that it made."""


@dataclass(frozen=True, slots=True)
class Implementation:
    make: Callable[[Clock, Path], LiveCatalog]
    close: Callable[[LiveCatalog], None] = lambda _: None
    is_shared: bool = False
    counts_rows: bool = True
    upkeep: tuple[Upkeep, ...] = ()
    sweeping: tuple[Upkeep, ...] = ()


def make_memory(clock: Clock, _: Path) -> LiveCatalog:
    # Small pieces, so that a handful of rows already make several segments, splits and batches.
    return MemoryCatalog("lake", clock=clock, segment_rows=64, split_rows=128, batch_rows=48)


# So small that each file is a split and several batches.
SMALL = ReadOptions(split_bytes=1_024, batch_bytes=4_096, batch_rows=48)


def make_iceberg(clock: Clock, folder: Path) -> LiveCatalog:
    uri = f"sqlite:///{folder / 'catalog.db'}"
    profile = Profile("lake", "embedded", uri, f"file://{folder / 'warehouse'}")
    return IcebergCatalog(profile, clock=clock, options=SMALL)


def close_iceberg(catalog: LiveCatalog) -> None:
    if isinstance(catalog, IcebergCatalog):
        catalog.close()


def compacted(table: Table) -> Iterable[int]:
    return require(table, Maintainable, "the table").compact(Policy(force=True)).versions


def regrouped(table: Table) -> Iterable[int]:
    return require(table, Maintainable, "the table").rewrite_manifests(Policy(force=True)).versions


def swept(table: Table) -> Iterable[int]:
    """Of any age: what statements of this process have begun must stay all the same."""
    require(table, Sweepable, "the table").remove_orphans(grace=0)
    return ()


IMPLEMENTATIONS: dict[str, Implementation] = {
    "memory": Implementation(make_memory),
    "iceberg": Implementation(
        make_iceberg,
        close_iceberg,
        is_shared=True,
        upkeep=(compacted, compacted, regrouped),
        sweeping=(swept, swept),
    ),
}
