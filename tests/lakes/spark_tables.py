"""Unpacks the tables that Spark wrote (`spark/make.py`) into a lake, with every path in them rewritten.

Paths are in the metadata, in manifest lists and manifests, in the rows of position delete files and
in the footers of Puffin files; sizes of rewritten files are in their parents, so leaves come first.
"""

from __future__ import annotations

import io
import json
import struct
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from tests.lakes.deletes import PATH_ID
from tests.lakes.lake import Lake

ARCHIVES = Path(__file__).parent / "spark"
NAMES = sorted(path.name.removesuffix(".tar.gz") for path in ARCHIVES.glob("*.tar.gz"))
_OLD = "file:/lakeport-fixture/s"
_POSITION_DELETES = 1

Move = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SparkTable:
    """`answers` are the rows that Spark reads at each snapshot; `head` is with the newest schema."""

    name: str
    folder: Path
    metadata_location: str
    head: pa.Table
    answers: dict[int, pa.Table]


def unpack_spark_table(lake: Lake, name: str) -> SparkTable:
    """Registered as `spark.NAME`."""
    parent = lake.warehouse / "spark"
    parent.mkdir(parents=True, exist_ok=True)
    answers: dict[str, pa.Table] = {}
    with tarfile.open(ARCHIVES / f"{name}.tar.gz") as archive:
        for member in archive.getmembers():
            stream = archive.extractfile(member)
            if stream is None:
                continue
            content = stream.read()
            if member.name.startswith("answers/"):
                answers[Path(member.name).stem] = pa.ipc.open_stream(content).read_all()
            else:
                path = parent / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    folder = parent / name
    _rewrite(folder, lambda text: text.replace(_OLD, f"{lake.scheme}{parent}"), parent)
    version = (folder / "metadata" / "version-hint.text").read_text().strip()
    location = f"{lake.scheme}{folder}/metadata/v{version}.metadata.json"
    lake.publish(f"spark.{name}", location)
    head = answers.pop("head")
    numbered = {int(ident): rows for ident, rows in answers.items()}
    return SparkTable(name, folder, location, head, numbered)


def _rewrite(folder: Path, move: Move, parent: Path) -> None:
    for path in folder.glob("metadata/*.metadata.json"):
        path.write_text(move(path.read_text()))
    avro = {path: _read_avro(path) for path in sorted(folder.glob("metadata/*.avro"))}
    rewritten: set[str] = set()
    for path, (records, header) in avro.items():
        if records and "data_file" in records[0]:
            for record in records:
                _move_entry(record["data_file"], move, parent, rewritten)
            _write_avro(path, records, header)
    for path, (records, header) in avro.items():
        if records and "manifest_path" in records[0]:
            for record in records:
                record["manifest_length"] = _on_disk(record["manifest_path"], parent).stat().st_size
                record["manifest_path"] = move(record["manifest_path"])
            _write_avro(path, records, header)


def _on_disk(old: str, parent: Path) -> Path:
    return parent / old.removeprefix(_OLD + "/")


def _move_entry(entry: dict[str, Any], move: Move, parent: Path, rewritten: set[str]) -> None:
    old = entry["file_path"]
    path = _on_disk(old, parent)
    if entry.get("content") == _POSITION_DELETES and path.exists():
        if old not in rewritten:
            rewritten.add(old)
            _MOVES[entry["file_format"]](path, move)
        entry["file_size_in_bytes"] = path.stat().st_size
    for bounds in ("lower_bounds", "upper_bounds"):
        for pair in entry.get(bounds) or ():
            if pair["key"] == PATH_ID:
                pair["value"] = move(pair["value"].decode()).encode()
    entry["file_path"] = move(old)
    if entry.get("referenced_data_file"):
        entry["referenced_data_file"] = move(entry["referenced_data_file"])


def _move_positions(path: Path, move: Move) -> None:
    table = pq.read_table(path)
    at = table.schema.get_field_index("file_path")
    moved = pa.array([move(str(old)) for old in table.column(at).to_pylist()], pa.string())
    table = table.set_column(at, table.schema.field(at), moved)
    pq.write_table(table, path, store_schema=False)


def _move_vectors(path: Path, move: Move) -> None:
    """A Puffin file ends with a footer of JSON, its length, four flag bytes and a magic number."""
    content = path.read_bytes()
    (length,) = struct.unpack("<i", content[-12:-8])
    start = len(content) - 12 - length
    footer = json.dumps(json.loads(move(content[start:-12].decode()))).encode()
    path.write_bytes(content[:start] + footer + struct.pack("<i", len(footer)) + content[-8:])


def _move_avro_positions(path: Path, move: Move) -> None:
    records, header = _read_avro(path)
    for record in records:
        record["file_path"] = move(record["file_path"])
    _write_avro(path, records, header)


_MOVES = {
    "PARQUET": _move_positions,
    "AVRO": _move_avro_positions,
    "PUFFIN": _move_vectors,
}


def _read_avro(path: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    reader = fastavro.reader(io.BytesIO(path.read_bytes()))
    records: list[Any] = list(reader)
    return records, dict(reader.metadata)


def _write_avro(path: Path, records: list[dict[str, Any]], header: dict[str, str]) -> None:
    schema = json.loads(header["avro.schema"])
    kept = {key: value for key, value in header.items() if not key.startswith("avro.")}
    with path.open("wb") as file:
        fastavro.writer(file, schema, records, codec=header["avro.codec"], metadata=kept)
