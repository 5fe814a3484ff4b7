"""A server over any lake, as a program until stdin ends; and a client that changes its tables as DuckDB
does: a scan for the row ids where it needs them, then an exchange in batches of 2,048 rows.
"""
# ruff: noqa: PLC0415  - the server loads its own libraries, the client none of them

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl

BATCH_ROWS = 2_048
_BIGINT = {"id": "BIGINT", "type_info": None}


class Client:
    """One connection. The published types of pyarrow.flight differ from what it does."""

    def __init__(self, address: str, name: Sequence[str]) -> None:
        self._flight: Any = fl.connect(address)
        self._name = tuple(name)
        self._path = fl.FlightDescriptor.for_path(*name)

    def close(self) -> None:
        self._flight.close()

    def insert(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> int:
        return self._exchange("insert", schema, batches)

    def update(self, rows: pa.Table) -> int:
        """New values, and the row ids last."""
        return self._exchange("update", rows.schema, rows.to_batches(BATCH_ROWS))

    def delete(self, row_ids: pa.Table) -> int:
        return self._exchange("delete", row_ids.schema, row_ids.to_batches(BATCH_ROWS))

    def scan(self, columns: Sequence[str], conditions: Mapping[str, tuple[str, int]]) -> pa.Table:
        """`{"COMPARE_EQUAL": ("id", 7)}`: all of them hold."""
        namespace, table = self._name
        filters = [_compare(kind, *rest) for kind, rest in conditions.items()]
        names = [column for column, _ in conditions.values()]
        ticket = {
            "schema_name": namespace,
            "table_name": table,
            "columns": list(columns),
            "filter": {"filters": filters, "column_binding_names_by_index": names},
        }
        found = self._flight.do_get(fl.Ticket(json.dumps(ticket).encode())).read_all()
        chosen: pa.Table = found.select(list(columns))
        return chosen

    def _exchange(
        self, operation: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]
    ) -> int:
        headers: Any = [
            (b"airport-user-agent", b"airport/20250723"),
            (b"airport-operation", operation.encode()),
            (b"return-chunks", b"0"),
        ]
        options = fl.FlightCallOptions(headers=headers)
        writer, reader = self._flight.do_exchange(self._path, options)
        writer.begin(schema)
        _ = reader.schema  # DuckDB waits for it, too
        for batch in batches:
            writer.write_batch(batch)
        writer.done_writing()
        changed: int = msgpack.unpackb(bytes(reader.read_chunk().app_metadata))["total_changed"]
        writer.close()
        return changed


def _compare(kind: str, column: str, value: int) -> dict[str, object]:
    return {
        "expression_class": "BOUND_COMPARISON",
        "type": kind,
        "alias": "",
        "left": {
            "expression_class": "BOUND_COLUMN_REF",
            "type": "BOUND_COLUMN_REF",
            "alias": column,
            "return_type": _BIGINT,
            "binding": {"table_index": 0, "column_index": 0},
            "depth": 0,
        },
        "right": {
            "expression_class": "BOUND_CONSTANT",
            "type": "VALUE_CONSTANT",
            "alias": "",
            "value": {"type": _BIGINT, "is_null": False, "value": value},
        },
    }


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of its own process, over the lake in that folder."""
    with subprocess.Popen(
        [sys.executable, __file__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("there are pipes")
        yield process.stdout.readline().strip()
        process.stdin.close()


def main(folder: str) -> None:
    from bench.airport_parts.server import OpenDoor
    from lakeport.airport.service import AirportService
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.catalog.iceberg.profile import Profile
    from lakeport.flight.server import FlightServer

    profile = Profile("lake", "sql", f"sqlite:///{folder}/catalog.db", f"file://{folder}")
    with (
        IcebergCatalog(profile) as catalog,
        FlightServer(AirportService([catalog], OpenDoor())) as server,  # type: ignore[arg-type] # lazily typed
    ):
        print(server.address, flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    main(sys.argv[1])
