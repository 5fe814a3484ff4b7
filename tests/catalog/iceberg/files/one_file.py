"""A table of one data file, as small as can be: no catalog, no manifest, just what reading needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.typedef import Record
from pyiceberg.types import NestedField

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.parts import Chunk, DataFile, ReadOptions, Source
from lakeport.catalog.iceberg.types.columns import columns_for
from lakeport.catalog.predicates import Predicate, bind
from lakeport.core.names import TableName


@dataclass(frozen=True)
class OneFile:
    """A data file and the table it belongs to; `schema` is the table's current one."""

    source: Source
    file: DataFile
    schema: Schema

    def chunks(
        self, *names: str, where: Predicate | None = None, batch_rows: int = 65_536
    ) -> list[Chunk]:
        return list(
            read_file(
                self.source, self.file, self.wanted(*names, where=where, batch_rows=batch_rows)
            )
        )

    def wanted(
        self, *names: str, where: Predicate | None = None, batch_rows: int = 65_536
    ) -> Wanted:
        """Of the named fields, or all columns; the predicate is in the user's terms."""
        fields = tuple(self.schema.find_field(name) for name in names) or self.schema.fields
        columns = columns_for(self.schema, {})
        bound = None
        if where is not None:
            bound = bind(where, pa.schema([column.arrow for column in columns]))
        return Wanted(self.schema, fields, bound, columns, batch_rows)

    def read(self, *names: str) -> pa.Table:
        """All rows; every batch is checked to be what Arrow says it is."""
        chunks = self.chunks(*names)
        for chunk in chunks:
            chunk.rows.validate(full=True)
        return pa.Table.from_batches([chunk.rows for chunk in chunks])

    def rows(self, *names: str) -> list[dict[str, Any]]:
        return self.read(*names).to_pylist()

    def evolved(self, *fields: NestedField) -> OneFile:
        """The same file, read with another schema."""
        return replace(self, schema=Schema(*fields))


def one_file(
    path: Path | str,
    schema: Schema,
    rows: int,
    *,
    kind: str = "PARQUET",
    io: FileIO | None = None,
    properties: Mapping[str, str] | None = None,
    spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
    partition: tuple[Any, ...] = (),
    options: ReadOptions | None = None,
) -> OneFile:
    metadata = TableMetadataUtil.parse_obj(
        {
            "format-version": 2,
            "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
            "location": "file:///nowhere",
            "last-sequence-number": 1,
            "last-updated-ms": 0,
            "last-column-id": schema.highest_field_id,
            "current-schema-id": 0,
            "schemas": [schema.model_dump()],
            "partition-specs": [spec.model_dump()],
            "default-spec-id": spec.spec_id,
            "last-partition-id": 1000,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "default-sort-order-id": 0,
            "properties": dict(properties or {}),
        }
    )
    source = Source(
        TableName("shop", "orders"),
        metadata,
        io or PyArrowFileIO(),
        Caches(),
        options or ReadOptions(),
    )
    file = DataFile(
        ordinal=0,
        path=str(path),
        format=kind,
        rows=rows,
        bytes=0,
        sequence=1,
        spec_id=spec.spec_id,
        partition=Record(*partition),
    )
    return OneFile(source, file, schema)
