"""Delete files: positions and equal values as Parquet, deletion vectors as Puffin blobs."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.schema import Schema
from pyiceberg.types import NestedField
from pyroaring import BitMap64

from tests.lakes.parquet import with_ids
from tests.lakes.storage import arrow_schema

PATH_ID, POSITION_ID = 2_147_483_546, 2_147_483_545
_VECTOR_MAGIC = b"\xd1\xd3\x39\x64"
_PUFFIN_MAGIC = b"PFA1"


def write_positions(path: Path, positions: Mapping[str, Iterable[int]]) -> int:
    """Sorted by path and position, as writers must; how many there are."""
    pairs = sorted((file, at) for file, found in positions.items() for at in found)
    schema = pa.schema(
        [
            _field("file_path", pa.string(), PATH_ID),
            _field("pos", pa.int64(), POSITION_ID),
        ]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"file_path": file, "pos": at} for file, at in pairs]
    table = pa.Table.from_pylist(rows, schema)
    pq.write_table(table, path, store_schema=False)
    return len(pairs)


def _field(name: str, kind: pa.DataType, ident: int) -> pa.Field[pa.DataType]:
    return pa.field(name, kind, nullable=False, metadata={"PARQUET:field_id": str(ident)})


def write_equality(path: Path, rows: pa.Table, fields: Sequence[NestedField]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    optional = Schema(*(field.model_copy(update={"required": False}) for field in fields))
    given = pa.Table.from_arrays(rows.columns, schema=arrow_schema(optional))
    pq.write_table(with_ids(given, optional), path, store_schema=False)


def write_vectors(
    path: Path, positions: Mapping[str, Iterable[int]], *, snapshot_id: int, sequence: int
) -> dict[str, tuple[int, int]]:
    """One blob per data file in one Puffin file: where each begins and how long it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    body = bytearray(_PUFFIN_MAGIC)
    places: dict[str, tuple[int, int]] = {}
    blobs = []
    for file, found in positions.items():
        bitmap = BitMap64(found)
        blob = vector_blob(bitmap)
        places[file] = (len(body), len(blob))
        blobs.append(
            {
                "type": "deletion-vector-v1",
                "fields": [POSITION_ID],
                "snapshot-id": snapshot_id,
                "sequence-number": sequence,
                "offset": len(body),
                "length": len(blob),
                "properties": {"referenced-data-file": file, "cardinality": str(len(bitmap))},
            }
        )
        body += blob
    footer = json.dumps({"blobs": blobs, "properties": {}}).encode()
    body += _PUFFIN_MAGIC + footer + struct.pack("<i", len(footer)) + bytes(4) + _PUFFIN_MAGIC
    path.write_bytes(bytes(body))
    return places


def vector_blob(positions: BitMap64) -> bytes:
    vector = _VECTOR_MAGIC + bytes(positions.serialize())
    return struct.pack(">i", len(vector)) + vector + struct.pack(">I", zlib.crc32(vector))
