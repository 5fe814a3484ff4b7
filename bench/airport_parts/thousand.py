"""A lake of a thousand small tables beside SF1 lineitem, made once and reused like the benches' own.

The tables have a snapshot each and 4 to 19 columns, a comment and a property, as tables of people have.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import pyarrow as pa

from bench.iceberg_parts.lake import CACHE, Lake
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo

NAMESPACE = "wide"
TABLES = 1_000
_TYPES = (pa.int64(), pa.string(), pa.float64(), pa.timestamp("us", "UTC"), pa.decimal128(21, 2))


def table(number: int) -> str:
    return f"table_{number:04d}"


def ready(scanned: Lake) -> Lake:
    """`scanned` is where lineitem is; its files are shared."""
    made = hashlib.sha256(Path(__file__).read_bytes() + scanned.folder.name.encode()).hexdigest()
    lake = Lake(CACHE / f"thousand-{made[:12]}")
    done = lake.folder / "done"
    if not done.exists():
        print(f"  making {TABLES:,} tables below {lake.folder} …", file=sys.stderr, flush=True)
        shutil.rmtree(lake.folder, ignore_errors=True)
        lake.folder.mkdir(parents=True)
        _make(lake, scanned)
        done.touch()
    return lake


def _make(lake: Lake, scanned: Lake) -> None:
    with IcebergCatalog(Profile("lake", "sql", lake.uri, lake.warehouse)) as catalog:
        space = catalog.create_namespace(NamespaceInfo(NAMESPACE, "a thousand tables"))
        for number in range(TABLES):
            rows = _rows(number)
            definition = Definition(
                rows.schema, comment=f"number {number}", properties={"owner": "us"}
            )
            with space.create_table(table(number), definition).insert() as insert:
                insert.add(rows)
                insert.commit()
        catalog.create_namespace(NamespaceInfo("bench"))
        with scanned.connect() as theirs, catalog.changing() as native:
            native.register_table(
                "bench.lineitem", theirs.load_table("bench.lineitem").metadata_location
            )


def _rows(number: int) -> pa.RecordBatch:
    count = 4 + number % 16
    kinds = [_TYPES[place % len(_TYPES)] for place in range(count)]
    columns = [pa.array([place], pa.int64()).cast(kind) for place, kind in enumerate(kinds)]
    return pa.RecordBatch.from_arrays(columns, [f"column_{place}" for place in range(count)])
