"""Reading from an object store, printed without a bar: Lakeport beside PyIceberg on a local S3.

The store is moto's server in a process of its own. It answers in Python, slower than the network of any
cloud, so the number of requests is what counts here; it is counted from the server's log.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import boto3  # type: ignore[import-untyped]
from pyiceberg.catalog.sql import SqlCatalog

from bench.iceberg_parts import lineitem
from bench.iceberg_parts.race import is_quick
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read

ROWS, FILES, ROUNDS = 600_000, 4, 3
CASES = {
    "full scan": ScanRequest(),
    "3 columns": ScanRequest(columns=("l_orderkey", "l_suppkey", "l_extendedprice")),
    "LIMIT 10": ScanRequest(limit=10),
}


def main() -> int:
    with TemporaryDirectory() as folder, _store(Path(folder)) as store:
        catalog, theirs = _written(Path(folder), store)
        print(f"  {'seconds (requests)':<24}{'lakeport':>20}{'PyIceberg':>20}")
        for what, request in CASES.items():
            ours = _measured(store, partial(_lakeport, catalog, request))
            peer = _measured(store, partial(_pyiceberg, theirs, request))
            print(f"  {what:<24}{ours:>20}{peer:>20}", flush=True)
        catalog.close()
    return 0


class Store:
    """The address of a running server, and how many requests it has logged."""

    def __init__(self, address: str, log: Path) -> None:
        self.address = address
        self._log = log

    @property
    def requests(self) -> int:
        return self._log.read_text().count("HTTP/1.1")

    @property
    def properties(self) -> dict[str, str]:
        return {
            "s3.endpoint": self.address,
            "s3.access-key-id": "bench",
            "s3.secret-access-key": "bench",
            "s3.region": "us-east-1",
        }


@contextmanager
def _store(folder: Path) -> Iterator[Store]:
    log = folder / "requests.log"
    program = [str(Path(sys.executable).parent / "moto_server"), "-p", "0"]
    with log.open("w") as output, subprocess.Popen(program, stdout=output, stderr=output) as server:
        try:
            yield Store(_address(log), log)
        finally:
            server.terminate()


def _address(log: Path) -> str:
    for _ in range(600):
        for word in log.read_text().split():
            if word.startswith("http://127.0.0.1:"):
                return word
        time.sleep(0.05)
    raise TimeoutError("moto's server did not start")


def _written(folder: Path, store: Store) -> tuple[IcebergCatalog, SqlCatalog]:
    keys = {"aws_access_key_id": "bench", "aws_secret_access_key": "bench"}
    client = boto3.client("s3", endpoint_url=store.address, region_name="us-east-1", **keys)
    client.create_bucket(Bucket="bench")
    uri, warehouse = f"sqlite:///{folder / 'catalog.db'}", "s3://bench/lake"
    theirs = SqlCatalog("lake", uri=uri, warehouse=warehouse, **store.properties)
    theirs.create_namespace("bench")
    table = theirs.create_table("bench.lineitem", lineitem.SCHEMA)
    for part in lineitem.parts(ROWS // 10 if is_quick() else ROWS, FILES):
        table.append(part)
    return IcebergCatalog.open(Profile("lake", "sql", uri, warehouse, store.properties)), theirs


def _lakeport(catalog: IcebergCatalog, request: ScanRequest) -> int:
    with read(catalog.namespace("bench").table("lineitem"), request) as stream:
        return sum(batch.num_rows for batch in stream)


def _pyiceberg(catalog: SqlCatalog, request: ScanRequest) -> int:
    scan = catalog.load_table("bench.lineitem").scan(
        selected_fields=request.columns or ("*",), limit=request.limit
    )
    return sum(batch.num_rows for batch in scan.to_arrow_batch_reader())


def _measured(store: Store, run: Callable[[], int]) -> str:
    """Warm: what a reader keeps from one read to the next is allowed to help."""
    run()
    seconds, requests = [], []
    for _ in range(1 if is_quick() else ROUNDS):
        before, start = store.requests, time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
        requests.append(store.requests - before)
    return f"{statistics.median(seconds):.2f} ({statistics.median(requests):.0f})"


if __name__ == "__main__":
    sys.exit(main())
