"""A scan of an Iceberg table as calls that DuckDB makes itself, where they give exactly the same rows.

Files without deletes are read by `read_parquet`, which is told the columns by field id: a column that was
renamed, added or widened is then right in files of any age. A snapshot with position deletes is read by
`iceberg_scan`, of DuckDB's extension `iceberg`. Whatever either would read differently, or might, is not
lent: types of ours that are stored as others, files without field ids, partition values that only the
metadata has, defaults of format 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import pyarrow as pa
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import PrimitiveType

from lakeport.catalog.arrow import Field
from lakeport.catalog.delegation import FunctionCall, Lent
from lakeport.catalog.expressions.type_text import type_text
from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.files.held import fields_held, is_at_hand
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.plan import plan_scan
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.ports import ScanRequest, Split
from lakeport.catalog.requests import bind_request

_MAPPING = "schema.name-mapping.default"
_EXTENSION = b"ARROW:extension:name"
_MOST = 32
"""Calls of one scan: DuckDB runs as many at a time as it has threads."""
_LONGEST = 100_000
"""Files of one scan; a client that is told more of them has to list more than it reads."""
_MOST_ASKED = 64
"""Footers that a plan reads to find out whether a file has its partition's values."""

# Names that DuckDB's file systems have for these; it takes `*`, `?` and `[` of a path for a pattern.
_SCHEMES = {"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "https": "https", "http": "http"}
_PATTERN = frozenset("*?[]{}")

_DEFINITION = pa.struct(
    [("name", pa.string()), ("type", pa.string()), ("default_value", pa.string())]
)
_PLAIN = frozenset(
    kind.id
    for kind in (
        *(pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(1)),
        *(pa.date32(), pa.string(), pa.large_string(), pa.binary(), pa.large_binary()),
    )
)


def lend(source: Source, location: str, moment: Moment, request: ScanRequest) -> Lent | None:
    """`location` is the metadata file's. None where only we read it right."""
    plan = plan_scan(source, moment, request)
    if moment.snapshot is None or not plan.splits:
        return Lent(plan.state, ())
    bound = bind_request(request, plan.state.definition.schema)
    every = columns_of(source, moment.schema)
    wanted = [every[index] for index in bound.needed]
    if source.metadata.format_version > 2 or not _is_plain(source.metadata, wanted):
        return None
    inventory = inventory_of(source, moment.snapshot)
    if sum(len(split.parts) for split in plan.splits) > _LONGEST:
        return None
    groups = [[inventory.file(part) for part in parts] for parts in _joined(plan.splits)]
    files = [file for group in groups for file in group]
    if any(file.deletes for file in files):
        if inventory.count > _LONGEST:
            return None
        # It reads the whole snapshot, whatever of it is wanted.
        files = list(inventory.files())
        groups = []
    if any(file.format != "PARQUET" for file in files):
        return None
    if not _holds_partitions(source, files, wanted):
        return None
    calls = [_read(group, wanted) for group in groups] or [_scan(location, moment, files, wanted)]
    found = tuple(call for call in calls if call is not None)
    return Lent(plan.state, found) if len(found) == len(calls) else None


def _joined(splits: Sequence[Split]) -> Iterator[list[int]]:
    count = min(_MOST, len(splits))
    for index in range(count):
        first, end = (len(splits) * edge // count for edge in (index, index + 1))
        yield [part for split in splits[first:end] for part in split.parts]


# -- the two calls -------------------------------------------------------------------------------


def _read(files: Sequence[DataFile], columns: Sequence[Column]) -> FunctionCall | None:
    paths = [shown_path(file.path) for file in files]
    if None in paths:
        return None
    schema = [
        (
            column.field.field_id,
            {"name": column.arrow.name, "type": type_text(column.arrow), "default_value": None},
        )
        for column in columns
    ]
    return FunctionCall(
        "read_parquet",
        (pa.scalar(paths, pa.list_(pa.string())),),
        {
            "schema": pa.scalar(schema, pa.map_(pa.int32(), _DEFINITION)),
            # Folders are named after partition values, and a column would come of each.
            "hive_partitioning": pa.scalar(value=False),
        },
    )


def _scan(
    location: str, moment: Moment, files: Sequence[DataFile], columns: Sequence[Column]
) -> FunctionCall | None:
    """Of a snapshot as it is: the extension reads it in the columns it was written with."""
    path, snapshot = shown_path(location), moment.snapshot
    kinds = {(delete.kind, delete.format) for file in files for delete in file.deletes}
    if path is None or snapshot is None or kinds != {("positions", "PARQUET")}:
        return None
    # Names are those that are stored; ours differ where two are the same but for their case.
    is_named = all(column.field.name == column.arrow.name for column in columns)
    if snapshot.schema_id != moment.schema.schema_id or not is_named:
        return None
    # The extension refuses what format 1 left behind, and 1.5.5 compares partition values without
    # regard to NULL, which ends the user's whole database.
    if any(file.sequence == 0 or _has_null(file.partition) for file in files):
        return None
    return FunctionCall(
        "iceberg_scan",
        (pa.scalar(path),),
        {"snapshot_from_id": pa.scalar(snapshot.snapshot_id, pa.uint64())},
    )


def _has_null(partition: Record) -> bool:
    return any(partition[index] is None for index in range(len(partition)))


def shown_path(location: str) -> str | None:
    """As DuckDB takes it for one file; None if it does not, or if it would tell a secret."""
    if _PATTERN & set(location):
        return None
    scheme, separator, rest = location.partition("://")
    if not separator:
        plain = location.removeprefix("file:")
        return plain if plain.startswith("/") else None
    if scheme == "file":
        return rest if rest.startswith("/") else None
    known = _SCHEMES.get(scheme.lower())
    parts = urlsplit(location)
    is_secret = parts.username or parts.password or parts.query
    return None if known is None or is_secret else f"{known}://{rest}"


# -- what DuckDB reads as we do ------------------------------------------------------------------


def _is_plain(metadata: TableMetadata, columns: Sequence[Column]) -> bool:
    if _MAPPING in metadata.properties:
        return False  # some files have no field ids
    return all(_is_plain_column(metadata, column) for column in columns)


def _is_plain_column(metadata: TableMetadata, column: Column) -> bool:
    stored, shown = pa.field(column.arrow.name, column.stored), column.arrow
    if column.codec.metadata or column.field.initial_default is not None:
        return False
    if not all(_is_plain_field(each) for each in (stored, shown)):
        return False
    if type_text(stored) != type_text(shown):
        return False
    if isinstance(column.field.field_type, PrimitiveType):
        return True
    # What is inside a column is found by its names, so they must have been the same all along.
    return _is_whole(metadata) and all(_same(schema, column) for schema in metadata.schemas)


def _is_plain_type(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.TimestampType):
        return bool(kind.unit == "us")
    if isinstance(kind, (pa.ListType, pa.LargeListType, pa.StructType, pa.MapType)):
        return all(_is_plain_field(kind.field(index)) for index in range(kind.num_fields))
    return kind.id in _PLAIN


def _is_plain_field(field: Field) -> bool:
    return _EXTENSION not in (field.metadata or {}) and _is_plain_type(field.type)


def _is_whole(metadata: TableMetadata) -> bool:
    """Whether all schemas that the table ever had are known: maintenance may forget some."""
    ids = {schema.schema_id for schema in metadata.schemas}
    return ids == set(range(max(ids, default=-1) + 1))


def _same(schema: Schema, column: Column) -> bool:
    own = column.field
    return all(
        field.field_type == own.field_type
        for field in schema.fields
        if field.field_id == own.field_id
    )


def _holds_partitions(source: Source, files: Sequence[DataFile], columns: Sequence[Column]) -> bool:
    """Whether the values of identity partitions are in the files, too: some writers leave them out.

    Only the files themselves tell. Too many that were never opened are not worth asking.
    """
    wanted = {column.field.field_id for column in columns}
    named = {spec_id: _sources(spec) & wanted for spec_id, spec in source.metadata.specs().items()}
    asked = [file for file in files if named.get(file.spec_id)]
    if sum(not is_at_hand(source, file) for file in asked) > _MOST_ASKED:
        return False
    return all(named[file.spec_id] <= fields_held(source, file) for file in asked)


def _sources(spec: PartitionSpec) -> set[int]:
    return {each.source_id for each in spec.fields if isinstance(each.transform, IdentityTransform)}
