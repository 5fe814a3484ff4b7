"""The Iceberg door against the same calls of PyIceberg in-process: load, commit, list 1,000 tables.

Both sides are PyIceberg's client, in a process of its own, with 1 and with 16 threads that have a catalog and
a table each; behind one is its own SQL catalog, behind the other our door, which is another process on the
same machine, over the same database. What a call takes is what its caller waits for. Sixteen who never
pause would measure Python's lock instead: whoever has it makes several calls in-process before it
moves on. So each of them pauses for a random while, the same on both sides, and how many calls a second
they make without is printed beside. A 304 is set against the whole answer twice: as bytes on one
connection, and as PyIceberg's client loads it.
"""

from __future__ import annotations

import http.client
import itertools
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlparse

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog

from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.access import EVERYONE
from lakeport.app.http import HttpServer
from lakeport.app.serve.collector import calm_collector
from lakeport.app.settings.values import Address
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.rest import IcebergDoor

TABLES, SNAPSHOTS, LONG = 1_000, 5, 100
PAUSE = 0.1
"""Seconds between two calls of one of many clients, on average."""
ACTS = ("load", "commit", "list")
COLUMNS = pa.schema([(f"column_{number}", pa.int64()) for number in range(16)])


def main() -> int:
    match sys.argv[1:]:
        case ["serve", folder]:
            return _serve(Path(folder))
        case ["measure", threads, calls, pause, place]:
            print(json.dumps(_measured(int(threads), int(calls), float(pause), place)))
            return 0
    with TemporaryDirectory() as folder:
        _fill(Path(folder))
        with _server(Path(folder)) as address:
            return finish([*_races(Path(folder), address), *_unchanged(address)])


# -- the race ------------------------------------------------------------------------------------


def _races(folder: Path, address: str) -> Iterator[Line]:
    places = (address, str(folder))
    print(f"\n  {'milliseconds':<22}{'door p50':>10}{'p99':>9}{'in-process p50':>17}{'p99':>9}")
    for threads, calls, pause in ((1, 60, 0.0), (16, 8, PAUSE)):
        found: list[dict[str, list[float]]] = [{act: [] for act in ACTS} for _ in places]
        for _ in range(1 if is_quick() else 2):  # in turns, so that a busy moment hits both
            for side, place in zip(found, places, strict=True):
                for act, seconds in _measure(threads, calls, pause, place).items():
                    side[act].extend(seconds)
        for act in ACTS:
            what = f"{act}, {threads} {'client' if threads == 1 else 'clients'}"
            shown = [value * 1e3 for side in found for value in _percentiles(side[act])]
            print(f"  {what:<22}{shown[0]:>10.2f}{shown[1]:>9.2f}{shown[2]:>17.2f}{shown[3]:>9.2f}")
            yield Line(f"{what}: door / in-process, p50", shown[0] / shown[2], 3)
    hurried = [_measure(16, 6, 0.0, place) for place in places]
    for act in ACTS:
        rates = [16 / statistics.mean(side[act]) for side in hurried]
        print(f"  {act}, 16 without a pause: {rates[0]:.0f} calls/s, in-process {rates[1]:.0f}")


def _measure(threads: int, calls: int, pause: float, place: str) -> dict[str, list[float]]:
    given = (str(threads), str(calls), str(pause), place)
    program = [sys.executable, __file__, "measure", *given]
    found: dict[str, list[float]] = json.loads(subprocess.check_output(program, text=True))
    return found


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(seconds, n=100)
    return cuts[49], cuts[98]


def _measured(threads: int, calls: int, pause: float, place: str) -> dict[str, list[float]]:
    """In a process of its own. The first calls of each thread are not counted."""
    found: dict[str, list[float]] = {act: [] for act in ACTS}
    begin = threading.Barrier(threads)

    def run(number: int) -> None:
        catalog = _opened(place)
        chance = random.Random(number)  # noqa: S311  no secret
        for act in ACTS:
            call = _call(catalog, act, number)
            for _ in range(3):
                call()
            begin.wait()
            for _ in range(calls):
                time.sleep(chance.uniform(0, 2 * pause))
                found[act].append(_seconds(call))
        catalog.close()

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if {len(seconds) for seconds in found.values()} != {threads * calls}:
        raise AssertionError("a client has failed")
    return found


def _opened(place: str) -> Catalog:
    if place.startswith("http"):
        return RestCatalog("lake", uri=place)
    return SqlCatalog(
        "lake", uri=f"sqlite:///{place}/catalog.db", warehouse=f"file://{place}/warehouse"
    )


def _call(catalog: Catalog, act: str, number: int) -> Callable[[], object]:
    name = f"some.t{number}"
    if act == "list":
        return lambda: catalog.list_tables("wide")
    if act == "load":
        return lambda: catalog.load_table(name)
    table = catalog.load_table(name)
    values = itertools.count()

    def commit() -> None:
        with table.transaction() as transaction:
            transaction.set_properties(value=str(next(values)))

    return commit


# -- what has not changed ------------------------------------------------------------------------


def _unchanged(address: str) -> Iterator[Line]:
    place = urlparse(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port)
    path = f"{place.path}/v1/lake/namespaces/some/tables/long"

    def ask(tag: str = "") -> str:
        connection.request("GET", path, headers={"if-none-match": tag} if tag else {})
        answer = connection.getresponse()
        answer.read()
        if answer.status != (304 if tag else 200):
            raise AssertionError(f"{path} is answered with {answer.status}")
        return answer.headers["etag"]

    client = RestCatalog("lake", uri=address)
    tag = ask()
    whole, same, loaded = [], [], []
    for _ in range(20 if is_quick() else 150):
        whole.append(_seconds(ask))
        same.append(_seconds(lambda: ask(tag)))
        loaded.append(_seconds(lambda: client.load_table("some.long")))
    connection.close()
    client.close()
    ours, bytes_, load = (statistics.median(each) * 1e3 for each in (same, whole, loaded))
    print(
        f"\n  a table of {LONG} snapshots: 304 {ours:.2f} ms, all bytes {bytes_:.2f} ms,"
        f" loaded by PyIceberg {load:.2f} ms"
    )
    yield Line("304 / whole answer, bytes alone", ours / bytes_, 1)
    yield Line("304 / full load by PyIceberg's client", ours / load, 0.3)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


# -- the lake and its door -----------------------------------------------------------------------


def _fill(folder: Path) -> None:
    (folder / "warehouse").mkdir()
    with IcebergCatalog(_profile(folder)) as lake:
        native = lake.pyiceberg
        for namespace in ("some", "wide"):
            native.create_namespace(namespace)
        rows = pa.table([pa.array([1])] * len(COLUMNS), schema=COLUMNS)
        for number in range(16):
            table = native.create_table(f"some.t{number}", COLUMNS)
            for _ in range(SNAPSHOTS):
                table.append(rows)
        long = native.create_table("some.long", COLUMNS)
        for _ in range(LONG):
            long.append(rows)
        native.create_table("wide.table_0000", COLUMNS)
    with sqlite3.connect(folder / "catalog.db") as connection:
        connection.executemany(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location,"
            " iceberg_type) SELECT catalog_name, table_namespace, ?, metadata_location, iceberg_type"
            " FROM iceberg_tables WHERE table_name = 'table_0000'",
            [(f"table_{number:04d}",) for number in range(1, TABLES)],
        )


def _profile(folder: Path) -> Profile:
    database, warehouse = f"sqlite:///{folder}/catalog.db", f"file://{folder}/warehouse"
    return Profile("lake", "embedded", database, warehouse)


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    program = [sys.executable, __file__, "serve", str(folder)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        if run.stdout is None:
            raise AssertionError("the door has nothing to say")
        yield f"{run.stdout.readline().strip()}"
        run.communicate()


def _serve(folder: Path) -> int:
    with IcebergCatalog(_profile(folder)) as lake, calm_collector():
        server = HttpServer(
            IcebergDoor((lake,), lambda _header: EVERYONE), Address("127.0.0.1", 0), None
        )
        server.start()
        print(server.address, flush=True)
        sys.stdin.read()
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
