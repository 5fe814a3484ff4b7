"""Small tables of two columns, made by hand as another engine would."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.timepoint import TimePoint
from tests.lakes.lake import Lake
from tests.lakes.table import LakeTable

KEY = NestedField(1, "k", LongType(), required=False)
GROUP = NestedField(2, "g", StringType(), required=False)
SCHEMA = Schema(KEY, GROUP)
BY_GROUP = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "g"))


def some(*keys: int, group: str = "a") -> pa.Table:
    return pa.table(
        {"k": pa.array(keys, pa.int64()), "g": pa.array([group] * len(keys), pa.string())}
    )


def written(lake: Lake, *batches: pa.Table, spec: PartitionSpec | None = None) -> LakeTable:
    """One snapshot per batch."""
    table = lake.create("s.t", SCHEMA) if spec is None else lake.create("s.t", SCHEMA, spec=spec)
    for batch in batches:
        table.append(batch)
    return table


def keys(table: IcebergTable, at: TimePoint | None = None) -> list[int]:
    """In the order in which they are read."""
    with read(table, ScanRequest(columns=("k",), at=at)) as stream:
        return [row["k"] for row in stream.read_all().to_pylist()]


class Interrupting:
    """A clock that lets somebody else act while it is looked at, once per action that waits."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], object]] = []

    def __call__(self) -> int:
        if self.waiting:
            self.waiting.pop(0)()
        return 1_800_000_000_000_000_000
