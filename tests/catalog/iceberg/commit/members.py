"""Statements as the commit kernel sees them, with real files and nothing else around them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, WriteContext
from lakeport.core.names import TableName

NAME = TableName("shop", "orders")
SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=False),
    NestedField(2, "region", StringType(), required=False),
)


def _field(ident: int) -> dict[str, str]:
    return {"PARQUET:field_id": str(ident)}


_DELETED_FIELDS: Any = [
    pa.field("file_path", pa.string(), nullable=False, metadata=_field(2_147_483_546)),
    pa.field("pos", pa.int64(), nullable=False, metadata=_field(2_147_483_545)),
]
_DELETED_ROWS = pa.schema(_DELETED_FIELDS)
_PATH = 2_147_483_546


def embedded(folder: Path, **properties: str) -> Profile:
    where = f"sqlite:///{folder}/catalog.db", f"file://{folder}/warehouse"
    return Profile("lake", "embedded", *where, properties)


def new_table(
    catalog: IcebergCatalog,
    *,
    spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
    properties: dict[str, str] | None = None,
) -> Source:
    catalog.create_namespace(NamespaceInfo(NAME.namespace))
    with catalog.changing() as native:
        native.create_table(
            (NAME.namespace, NAME.table), SCHEMA, partition_spec=spec, properties=properties or {}
        )
    return head(catalog)


def head(catalog: IcebergCatalog) -> Source:
    return catalog.namespace(NAME.namespace).table(NAME.table).source()


def write_rows(
    source: Source, ids: Sequence[int], *, partition: Sequence[Any] = (), spec_id: int | None = None
) -> DataFile:
    """A data file that no snapshot names."""
    schema = schema_to_pyarrow(source.metadata.schema())
    region = str(partition[0]) if partition else "north"
    columns = [pa.array(ids, pa.int64()), pa.array([region] * len(ids), schema.field(1).type)]
    nulls = [pa.nulls(len(ids), each.type) for each in list(schema)[2:]]
    rows = pa.Table.from_arrays([*columns, *nulls], schema=schema)
    bounds = {1: tuple(to_bytes(LongType(), each) for each in (min(ids), max(ids)))}
    bounds[2] = (region.encode(), region.encode())
    file = _written(source, rows, DataFileContent.DATA, partition, bounds)
    file.spec_id = source.metadata.default_spec_id if spec_id is None else spec_id
    return file


def write_deletes(source: Source, file: DataFile, positions: Sequence[int]) -> DataFile:
    rows = pa.table([[file.file_path] * len(positions), positions], schema=_DELETED_ROWS)
    path = file.file_path.encode()
    values = [file.partition[place] for place in range(len(file.partition))]
    bounds = {_PATH: (path, path)}
    deletes = _written(source, rows, DataFileContent.POSITION_DELETES, values, bounds)
    deletes.spec_id = file.spec_id
    return deletes


def _written(
    source: Source,
    rows: pa.Table,
    content: DataFileContent,
    partition: Sequence[Any],
    bounds: Mapping[int, tuple[bytes, ...]],
) -> DataFile:
    path = f"{source.metadata.location}/data/{uuid.uuid4()}.parquet"
    local = Path(path.removeprefix("file://"))
    local.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, local, store_schema=False)
    return DataFile.from_args(
        content=content,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(*partition),
        record_count=rows.num_rows,
        file_size_in_bytes=local.stat().st_size,
        column_sizes={},
        value_counts=None,
        null_value_counts=None,
        nan_value_counts=None,
        lower_bounds={key: lowest for key, (lowest, _) in bounds.items()},
        upper_bounds={key: highest for key, (_, highest) in bounds.items()},
        key_metadata=None,
        split_offsets=None,
        equality_ids=None,
        sort_order_id=None,
    )


@dataclass
class Statement:
    """A member whose effect is given, or worked out for each head."""

    effect: Effect | Callable[[Head], Effect | None]
    context: WriteContext = field(default_factory=WriteContext)
    shares: bool = True
    heads: list[Head] = field(default_factory=list)
    discarded: int = 0

    def prepare(self, given: Head) -> Effect | None:
        self.heads.append(given)
        return self.effect if isinstance(self.effect, Effect) else self.effect(given)

    def discard(self) -> None:
        self.discarded += 1
        if isinstance(self.effect, Effect):
            for file in (*self.effect.added, *self.effect.deletes):
                with suppress(FileNotFoundError):
                    Path(file.file_path.removeprefix("file://")).unlink()


def insert(source: Source, ids: Sequence[int], context: WriteContext | None = None) -> Statement:
    effect = Effect(rows=len(ids), added=(write_rows(source, ids),))
    return Statement(effect, context or WriteContext())


def commit(catalog: IcebergCatalog, source: Source, statement: Statement) -> Committed:
    uuid_text = str(source.metadata.table_uuid)
    return catalog.commits.commit(NAME, uuid_text, statement)


def ids_in(catalog: IcebergCatalog) -> list[int]:
    """What PyIceberg reads, by its own way through lists and manifests."""
    rows = catalog.pyiceberg.load_table((NAME.namespace, NAME.table)).scan().to_arrow()
    found: list[Any] = rows["id"].to_pylist()
    return sorted(found)


def metadata_files(source: Source) -> set[str]:
    folder = Path(source.metadata.location.removeprefix("file://")) / "metadata"
    return {path.name for path in folder.iterdir()}


def data_files(source: Source) -> set[str]:
    folder = Path(source.metadata.location.removeprefix("file://")) / "data"
    return {path.name for path in folder.rglob("*.parquet")}
