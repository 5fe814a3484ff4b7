"""What DuckDB's extension sent while it read, and the tables it was told of.

`reading.jsonl.gz` is cut from the project's recordings of the real client (`airport-traces`, DuckDB 1.5.0
and 1.5.5): every distinct request of an action that reads, GetFlightInfo and ListFlights, by run, first
the runs with their catalogs and tables. Left out: requests about table functions, and tokens.
"""

from __future__ import annotations

import base64
import gzip
import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicNamespace, Insertable, NamespaceInfo, require
from tests.behaviours.implementations import LiveCatalog

Make: TypeAlias = Callable[[str, Path], AbstractContextManager[LiveCatalog]]
"""A catalog of that name, below that folder."""

_COLUMNS_OF_T: dict[str, pa.DataType] = {"id": pa.int64(), "name": pa.string(), "v": pa.float64()}
SCHEMA_OF_T = pa.schema(_COLUMNS_OF_T)
ROWS_OF_T = [(1, "a", 1.5), (2, "b", 2.5), (3, "c", None)]
_FILE = Path(__file__).with_name("reading.jsonl.gz")


@dataclass(frozen=True)
class Request:
    """`payload` is an action's body or a descriptor; `id` the statement that sent it."""

    id: str
    action: str
    headers: tuple[tuple[str, str], ...]
    payload: bytes

    @property
    def catalog(self) -> str:
        return dict(self.headers).get("airport-catalog", "")


@dataclass(frozen=True)
class Run:
    name: str
    catalogs: tuple[str, ...]
    tables: tuple[tuple[str, str, pa.Schema], ...]
    requests: tuple[Request, ...]

    def build(self, make: Callable[[str], LiveCatalog]) -> list[LiveCatalog]:
        """A catalog for each name that is asked for. Who attaches "" gets the first one."""
        return [self._stock(make(name or "lake")) for name in self.catalogs]

    def _stock(self, catalog: LiveCatalog) -> LiveCatalog:
        for namespace in dict.fromkeys(schema for schema, _, _ in self.tables):
            catalog.create_namespace(NamespaceInfo(namespace))
        for namespace, table, schema in self.tables:
            place = require(catalog.namespace(namespace), DynamicNamespace, namespace)
            made = place.create_table(table, Definition(schema))
            for row in _rows(schema):
                with require(made, Insertable, table).insert() as write:
                    write.add(row)
                    write.commit()
        return catalog


@contextmanager
def memory(name: str, _: Path) -> Iterator[LiveCatalog]:
    yield MemoryCatalog(name)


@contextmanager
def iceberg(name: str, folder: Path) -> Iterator[LiveCatalog]:
    uri, place = f"sqlite:///{folder / name}.db", f"file://{folder / name}"
    with IcebergCatalog(Profile(name, "embedded", uri, place)) as catalog:
        yield catalog


@cache
def recorded_runs() -> dict[str, Run]:
    lines = [json.loads(line) for line in gzip.decompress(_FILE.read_bytes()).splitlines()]
    requests: defaultdict[str, list[Request]] = defaultdict(list)
    for line in lines:
        if "action" in line:
            payload = base64.b64decode(line["payload"])
            headers = tuple(headers_of(line["headers"]))
            requests[line["run"]].append(Request(line["id"], line["action"], headers, payload))
    return {
        line["run"]: Run(
            line["run"],
            tuple(line["catalogs"]),
            tuple((s, t, _schema(packed)) for s, t, packed in line["tables"]),
            tuple(requests[line["run"]]),
        )
        for line in lines
        if "tables" in line
    }


def headers_of(values: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The recordings stand `<session>`, `<trace-n>` and `<tx-n>` in for ids: any UUID does."""
    return [
        (name, str(uuid.uuid5(uuid.NAMESPACE_OID, value)) if value.startswith("<") else value)
        for name, several in values.items()
        for value in several
    ]


def _schema(packed: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(packed)))


def _rows(schema: pa.Schema) -> list[pa.RecordBatch]:
    """One for each commit, so that version n has n rows. Tables unlike the recordings' `t` get NULLs."""
    if schema.names == SCHEMA_OF_T.names:
        return [
            pa.RecordBatch.from_arrays(
                [pa.array([value], each.type) for value, each in zip(row, schema, strict=True)],
                schema=schema,
            )
            for row in ROWS_OF_T
        ]
    if not all(field.nullable for field in schema):
        return []
    return [pa.RecordBatch.from_arrays([pa.nulls(1, f.type) for f in schema], schema=schema)]
