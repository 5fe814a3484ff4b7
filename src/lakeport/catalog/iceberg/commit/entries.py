"""Entries of manifests as they are written, and as they are read to be written again.

What an entry says of its file never changes, so those bytes are copied from one manifest to the next as
long as both have one schema text; status, snapshot and sequence numbers are all that is put before them.
Entries of other writers are decoded field by field, and lose nothing that format 2 knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Any, cast
from uuid import UUID

from pyiceberg.avro.encoder import BinaryEncoder
from pyiceberg.avro.resolver import construct_writer
from pyiceberg.io import OutputStream
from pyiceberg.manifest import (
    DataFile,
    data_file_with_partition,
    manifest_entry_schema_with_data_file,
)
from pyiceberg.types import NestedField, StringType, StructType
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

from lakeport.catalog.iceberg.commit.avro import (
    NULL,
    PRESENT,
    blob,
    number,
    optional_blob,
    optional_list,
    optional_number,
    text,
)
from lakeport.catalog.iceberg.manifests.container import SCHEMA, Records, open_container
from lakeport.catalog.iceberg.manifests.entries import Partition
from lakeport.catalog.iceberg.manifests.layout import Layout, layout_of

EXISTING, ADDED, DELETED = 0, 1, 2

# The data file that position deletes are about: optional in format 2, unknown to PyIceberg there.
_REFERENCED = NestedField(143, "referenced_data_file", StringType(), required=False)

# Ids of status, snapshot and the two sequence numbers; then of what is said of the file, as stored.
_HEAD = (0, 1, 3, 4)
_FILE = (134, 100, 101, 102, 103, 104, 108, 109, 110, 137, 125, 128, 131, 132, 135, 140, 143)
_FIELDS = (*_HEAD, *_FILE)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What is said of a file, encoded, and of it what commits need to know.

    `sequence` is its data sequence number, `file_sequence` the number of the snapshot that added it.
    Both are None for a file that is being added: it inherits the number of its snapshot.
    """

    encoded: bytes
    content: int
    path: str
    partition: Partition
    rows: int
    size: int
    snapshot_id: int | None = None
    sequence: int | None = None
    file_sequence: int | None = None


def entry_bytes(entry: FileEntry, status: int, snapshot_id: int | None) -> bytes:
    return b"".join(
        (
            number(status),
            optional_number(snapshot_id),
            optional_number(entry.sequence),
            optional_number(entry.file_sequence),
            entry.encoded,
        )
    )


class EntryCodec:
    """Encodes and decodes the entries of one partition spec; `partition` is the type of its tuples."""

    def __init__(self, partition: StructType) -> None:
        self.partition = partition
        self.schema = _schema_text(partition)
        self._writers = [construct_writer(field.field_type) for field in partition.fields]
        self._ids = [field.field_id for field in partition.fields]

    def added(self, file: DataFile, sequence: int | None = None) -> FileEntry:
        partition = tuple(_stored(file.partition[place]) for place in range(len(self._writers)))
        encoded = self._encoded(
            (
                int(file.content),
                file.file_path,
                file.file_format.value,
                partition,
                file.record_count,
                file.file_size_in_bytes,
                _numbers(file.column_sizes),
                _numbers(file.value_counts),
                _numbers(file.null_value_counts),
                _numbers(file.nan_value_counts),
                _blobs(file.lower_bounds),
                _blobs(file.upper_bounds),
                file.key_metadata,
                file.split_offsets,
                file.equality_ids,
                file.sort_order_id,
                None,
            )
        )
        return FileEntry(
            encoded,
            int(file.content),
            file.file_path,
            partition,
            file.record_count,
            file.file_size_in_bytes,
            sequence=sequence,
        )

    def live(self, data: bytes, sequence: int, snapshot_id: int) -> list[FileEntry]:
        """The live entries of a manifest; those without numbers of their own inherit these."""
        records = open_container(data)
        layout = layout_of(records, _FIELDS)
        is_ours = records.header[SCHEMA] == self.schema
        rows = (
            _rows_with_bytes(layout, records)
            if is_ours
            else ((row, b"") for row in layout.rows(records))
        )
        ids = [field.field_id for field in layout.partition]
        found = []
        for row, encoded in rows:
            status, added_by, own, own_file, *rest = row[:-1]
            if status == DELETED:
                continue
            rest[0] = rest[0] or 0  # format 1 knows data only
            held = dict(zip(ids, rest[3], strict=True))
            rest[3] = tuple(_stored(held.get(field_id)) for field_id in self._ids)
            inherited = sequence if status == ADDED else 0
            found.append(
                FileEntry(
                    encoded or self._encoded(rest),
                    rest[0],
                    rest[1],
                    rest[3],
                    rest[4],
                    rest[5],
                    snapshot_id if added_by is None else added_by,
                    inherited if own is None else own,
                    inherited if own_file is None else own_file,
                )
            )
        return found

    def _encoded(self, values: Sequence[Any]) -> bytes:
        return b"".join(
            encode(value) for encode, value in zip(self._encoders(), values, strict=True)
        )

    def _encoders(self) -> tuple[Callable[[Any], bytes], ...]:
        return (number, text, text, self._partition, *_REST)

    def _partition(self, values: Partition) -> bytes:
        stream = BytesIO()
        encoder = BinaryEncoder(cast("OutputStream", stream))
        for writer, value in zip(self._writers, values, strict=True):
            if value is None:
                encoder.write(NULL)
            else:
                encoder.write(PRESENT)
                writer.write(encoder, value)
        return stream.getvalue()


def _optional_numbers(pairs: Sequence[int] | None) -> bytes:
    """A map, as keys and values in turn."""
    if pairs is None:
        return NULL
    coded = [number(value) for value in pairs]
    return optional_list([key + value for key, value in zip(coded[::2], coded[1::2], strict=True)])


def _optional_blobs(held: tuple[Sequence[int], Sequence[bytes]] | None) -> bytes:
    if held is None:
        return NULL
    pairs = zip(*held, strict=True)
    return optional_list([number(key) + blob(value) for key, value in pairs])


def _optional_integers(values: Iterable[int] | None) -> bytes:
    return optional_list(None if values is None else [number(value) for value in values])


def _optional_text(value: str | None) -> bytes:
    return optional_blob(None if value is None else value.encode())


# From `record_count` on; before it, the partition has a codec of its own.
_REST: tuple[Callable[[Any], bytes], ...] = (
    number,
    number,
    _optional_numbers,
    _optional_numbers,
    _optional_numbers,
    _optional_numbers,
    _optional_blobs,
    _optional_blobs,
    optional_blob,
    _optional_integers,
    _optional_integers,
    optional_number,
    _optional_text,
)


def _stored(value: Any) -> Any:
    """Readers and writers differ in whether a uuid is an object: here it is bytes."""
    return value.bytes if isinstance(value, UUID) else value


def _numbers(held: Mapping[int, int] | None) -> Sequence[int] | None:
    if held is None:
        return None
    return [each for pair in held.items() for each in pair]


def _blobs(held: Mapping[int, bytes] | None) -> tuple[Sequence[int], Sequence[bytes]] | None:
    return None if held is None else (list(held.keys()), list(held.values()))


def _rows_with_bytes(layout: Layout, records: Records) -> Iterable[tuple[list[Any], bytes]]:
    """Of a manifest with our schema, where all about the file follows the four fields of the entry."""
    spans: list[tuple[int, int]] = []
    decoder = records.decoder

    def noting(step: int, read: Callable[[Records], Any]) -> Callable[[Records], Any]:
        def first(given: Records) -> Any:
            spans.append((decoder.tell(), 0))
            return read(given)

        def last(given: Records) -> Any:
            value = read(given)
            spans[-1] = (spans[-1][0], decoder.tell())
            return value

        return first if step == len(_HEAD) else last if step + 1 == len(_FIELDS) else read

    steps = [(slot, noting(step, read)) for step, (slot, read) in enumerate(layout.steps)]
    rows = Layout(tuple(steps), layout.width, layout.partition).rows(records)
    return [(row, records.data[start:end]) for row, (start, end) in zip(rows, spans, strict=True)]


@lru_cache(maxsize=64)
def _schema_text(partition: StructType) -> str:
    file = data_file_with_partition(partition, 2)
    schema = manifest_entry_schema_with_data_file(2, StructType(*file.fields, _REFERENCED))
    return json.dumps(AvroSchemaConversion().iceberg_to_avro(schema, schema_name="manifest_entry"))
