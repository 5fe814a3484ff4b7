"""One-row appends by Lakeport and by PyIceberg; as a program, some of them when a line comes in.

Both write to a SQLite catalog of their own on local files, as each opens it by default: PyIceberg's
waits for the disk at every commit, Lakeport's only with `durable`.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import LakeportError

Writer: TypeAlias = Literal["lakeport", "lakeport durable", "pyiceberg"]
Append: TypeAlias = Callable[[int], None]

NAME = ("shop", "orders")
# Thousands of metadata files, each with all snapshots, would fill the disk.
_FEW_FILES = {
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "10",
}


def rows(number: int) -> pa.Table:
    return pa.table({"id": [number], "customer": [f"customer {number}"], "amount": [0.5 * number]})


@contextmanager
def new_lake() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as name:
        folder = Path(name)
        with closing(_pyiceberg(folder)) as catalog:
            catalog.create_namespace(NAME[0])
            catalog.create_table(NAME, rows(0).schema, properties=_FEW_FILES)
        yield folder


@contextmanager
def appender(writer: Writer, folder: Path) -> Iterator[Append]:
    if writer == "pyiceberg":
        with closing(_pyiceberg(folder)) as catalog:
            yield lambda number: catalog.load_table(NAME).append(rows(number))
        return
    with IcebergCatalog(_profile(folder), durable=writer == "lakeport durable") as lake:
        table = lake.namespace(NAME[0]).table(NAME[1])

        def append(number: int) -> None:
            with table.insert() as statement:
                for batch in rows(number).to_batches():
                    statement.add(batch)
                statement.commit()

        yield append


def history(folder: Path, commits: int) -> None:
    """So many commits, made by Lakeport for both, because PyIceberg would take minutes."""
    with appender("lakeport", folder) as append:
        for number in range(commits):
            append(number)


def locked(append: Append) -> Append:
    """Threads that share a PyIceberg catalog have to take turns themselves."""
    lock = threading.Lock()

    def one_by_one(number: int) -> None:
        with lock:
            append(number)

    return one_by_one


def count(folder: Path) -> int:
    """What PyIceberg finds in the end."""
    with closing(_pyiceberg(folder)) as catalog:
        return catalog.load_table(NAME).scan().to_arrow().num_rows


def _pyiceberg(folder: Path) -> SqlCatalog:
    return SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")


def _profile(folder: Path) -> Profile:
    return Profile("lake", "sql", f"sqlite:///{folder}/catalog.db", f"file://{folder}")


def main(writer: Writer, folder: Path, first: int, appends: int) -> None:
    """Says how many succeeded, and the seconds of the slowest."""
    succeeded, slowest = 0, 0.0
    with appender(writer, folder) as append:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(first, first + appends):
            start = time.perf_counter()
            try:
                append(number)
            except (CommitFailedException, LakeportError):
                continue
            finally:
                slowest = max(slowest, time.perf_counter() - start)
            succeeded += 1
    print(succeeded, slowest)


if __name__ == "__main__":
    kind: Writer = "lakeport" if sys.argv[1] == "lakeport" else "pyiceberg"
    main(kind, Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
