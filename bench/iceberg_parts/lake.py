"""The tables that the Iceberg benches read, written once by PyIceberg into a cache folder and reused.

`lineitem` has one file and one manifest per commit; `lineitem_deleted` is the same files with one more
snapshot that deletes one row in a hundred by position; `many` exists in manifests only, because
planning opens no data file. What PyIceberg cannot write (delete manifests) is put together here from
its own Avro writers. The folder's name changes with this code, so that old data is never measured.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.conversions import to_bytes
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.serializers import ToOutputFile
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRef
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.typedef import Record
from pyiceberg.types import IntegerType, LongType, PrimitiveType, StringType

from bench.iceberg_parts import lineitem
from lakeport.catalog.arrow import Field

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakeport-bench"
MANY_FILES = 5_000
MANY_MANIFESTS = 10
ROWS_PER_FILE = 100
DELETED_SHARE = 100  # one row in so many
_POSITION_COLUMNS: list[Field] = [
    pa.field("file_path", pa.string(), nullable=False, metadata={"PARQUET:field_id": "2147483546"}),
    pa.field("pos", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "2147483545"}),
]
_POSITIONS = pa.schema(_POSITION_COLUMNS)


@dataclass(frozen=True, slots=True)
class Lake:
    folder: Path

    @property
    def uri(self) -> str:
        return f"sqlite:///{self.folder / 'catalog.db'}"

    @property
    def warehouse(self) -> str:
        return self.folder.as_uri()

    def connect(self) -> SqlCatalog:
        return SqlCatalog("lake", uri=self.uri, warehouse=self.warehouse)


def ready(rows: int = lineitem.SCALE_ONE) -> Lake:
    """The lake with a lineitem of so many rows; made now if this code has not made it yet."""
    sources = [Path(__file__).read_bytes(), Path(lineitem.__file__).read_bytes()]
    lake = Lake(CACHE / f"lake-{rows}-{hashlib.sha256(b''.join(sources)).hexdigest()[:12]}")
    done = lake.folder / "done"
    if not done.exists():
        print(f"  writing {rows:,} rows below {lake.folder} …", file=sys.stderr, flush=True)
        shutil.rmtree(lake.folder, ignore_errors=True)
        lake.folder.mkdir(parents=True)
        _write(lake, rows)
        done.touch()
    return lake


def _write(lake: Lake, rows: int) -> None:
    with lake.connect() as catalog:
        catalog.create_namespace("bench")
        for name, count, files in (("tiny", 2_000, 2), ("lineitem", rows, lineitem.FILES)):
            table = catalog.create_table(f"bench.{name}", lineitem.SCHEMA)
            for part in lineitem.parts(count, files):
                table.append(part)
            _delete_rows(catalog, table, f"bench.{name}_deleted")
        _many(catalog)


# -- rows deleted by position --------------------------------------------------------------------


def _delete_rows(catalog: Catalog, table: Table, name: str) -> None:
    """The table's files once more under another name, with a delete file for each."""
    rng = np.random.default_rng(7)
    snapshot = _new_snapshot_id(table)
    deletes = []
    for task in table.scan().plan_files():
        file = task.file
        count = file.record_count // DELETED_SHARE
        positions = np.sort(rng.choice(file.record_count, count, replace=False))
        path = f"{file.file_path.removesuffix('.parquet')}-deletes.parquet"
        deletes.append(_position_deletes(path, file.file_path, positions))
    manifest = _manifest(table, deletes, snapshot, "deletes", ManifestContent.DELETES)
    _register(catalog, table, name, [manifest], snapshot)


def _position_deletes(path: str, data_path: str, positions: np.ndarray) -> DataFile:
    paths = pa.repeat(data_path, len(positions))
    rows = pa.Table.from_arrays([paths, pa.array(positions)], schema=_POSITIONS)
    local = Path(path.removeprefix("file://"))
    pq.write_table(rows, local, compression="zstd")
    return DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=len(positions),
        file_size_in_bytes=local.stat().st_size,
        lower_bounds={2147483546: data_path.encode()},
        upper_bounds={2147483546: data_path.encode()},
        sort_order_id=None,
        spec_id=0,
    )


# -- many files that only manifests know ---------------------------------------------------------


def _many(catalog: Catalog) -> None:
    """Files of a hundred rows each with lineitem's sixteen columns, their keys one after the other."""
    table = catalog.create_table("bench.many", lineitem.SCHEMA)
    snapshot = _new_snapshot_id(table)
    per_manifest = MANY_FILES // MANY_MANIFESTS
    manifests = [
        _manifest(
            table,
            [
                _imagined_file(table, number)
                for number in range(start, min(start + per_manifest, MANY_FILES))
            ],
            snapshot,
            f"data-{start}",
            ManifestContent.DATA,
        )
        for start in range(0, MANY_FILES, per_manifest)
    ]
    catalog.drop_table("bench.many")
    _register(catalog, table, "bench.many", manifests, snapshot)


def _imagined_file(table: Table, number: int) -> DataFile:
    fields = table.schema().fields
    bounds = [
        {
            field.field_id: to_bytes(field.field_type, _imagined_value(field.field_type, key))
            for field in fields
            if isinstance(field.field_type, IntegerType | LongType | StringType)
        }
        for key in (number * ROWS_PER_FILE, (number + 1) * ROWS_PER_FILE - 1)
    ]
    ids = [field.field_id for field in fields]
    return DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"{table.location()}/data/{number:06d}.parquet",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=ROWS_PER_FILE,
        file_size_in_bytes=20_000,
        column_sizes=dict.fromkeys(ids, 1_000),
        value_counts=dict.fromkeys(ids, ROWS_PER_FILE),
        null_value_counts=dict.fromkeys(ids, 0),
        nan_value_counts={},
        lower_bounds=bounds[0],
        upper_bounds=bounds[1],
        split_offsets=[4],
        sort_order_id=None,
        spec_id=0,
    )


def _imagined_value(kind: PrimitiveType, key: int) -> int | str:
    return f"name-{key:09d}" if isinstance(kind, StringType) else key


# -- what PyIceberg's commits do, for manifests made here ----------------------------------------


class _DeleteManifestWriter(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


def _new_snapshot_id(table: Table) -> int:
    return len(table.snapshots()) + 1_000


def _manifest(
    table: Table, files: Iterable[DataFile], snapshot: int, name: str, content: ManifestContent
) -> ManifestFile:
    kind = ManifestWriterV2 if content is ManifestContent.DATA else _DeleteManifestWriter
    output = table.io.new_output(f"{table.location()}/metadata/{name}-{snapshot}.avro")
    with kind(table.spec(), table.schema(), output, snapshot, "deflate") as writer:
        for file in files:
            writer.add_entry(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED, snapshot_id=snapshot, data_file=file
                )
            )
    return writer.to_manifest_file()


def _register(
    catalog: Catalog, table: Table, name: str, manifests: Sequence[ManifestFile], snapshot: int
) -> None:
    """The table under a new name, with one more snapshot that adds these manifests."""
    current = table.metadata
    added = _snapshot(table, manifests, snapshot)
    metadata = current.model_copy(
        update={
            "table_uuid": uuid.uuid5(uuid.NAMESPACE_URL, name),
            "snapshots": [*current.snapshots, added],
            "current_snapshot_id": snapshot,
            "last_sequence_number": added.sequence_number,
            "last_updated_ms": added.timestamp_ms,
            "refs": {
                "main": SnapshotRef.model_validate({"snapshot-id": snapshot, "type": "branch"})
            },
        }
    )
    location = f"{table.location()}/metadata/{name}.metadata.json"
    ToOutputFile.table_metadata(metadata, table.io.new_output(location), overwrite=True)
    catalog.register_table(name, location)


def _snapshot(table: Table, manifests: Sequence[ManifestFile], snapshot: int) -> Snapshot:
    parent = table.current_snapshot()
    sequence = (parent.sequence_number or 0) + 1 if parent else 1
    location = f"{table.location()}/metadata/snap-{snapshot}.avro"
    held = _manifests_of(parent, table.io)
    with write_manifest_list(
        2,
        table.io.new_output(location),
        snapshot,
        parent.snapshot_id if parent else None,
        sequence,
        "deflate",
    ) as writer:
        writer.add_manifests([*manifests, *held])
    return Snapshot.model_validate(
        {
            "snapshot-id": snapshot,
            "parent-snapshot-id": parent.snapshot_id if parent else None,
            "sequence-number": sequence,
            "timestamp-ms": table.metadata.last_updated_ms + 1,
            "manifest-list": location,
            "summary": Summary(Operation.OVERWRITE if parent else Operation.APPEND),
            "schema-id": table.schema().schema_id,
        }
    )


def _manifests_of(snapshot: Snapshot | None, io: FileIO) -> list[ManifestFile]:
    return snapshot.manifests(io) if snapshot else []
