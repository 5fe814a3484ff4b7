"""A table that has every kind of file, ways to damage one of them, and what an error must look like."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.reading import read
from lakeport.core.errors import LakeportError
from tests.lakes.lake import Lake
from tests.lakes.parquet import Style
from tests.lakes.storage import arrow_schema
from tests.lakes.table import LakeTable

SCHEMA = Schema(
    NestedField(1, "k", LongType(), required=True), NestedField(2, "name", StringType())
)
ROWS = 40

KINDS = ("metadata", "manifest list", "manifest", "data", "positions", "equality", "vectors")


@dataclass(frozen=True, slots=True)
class Victim:
    """A table and the files of each kind that reading it needs. `left` rows are visible."""

    lake: Lake
    table: LakeTable
    files: dict[str, Path]
    left: int


def make_victim(folder: Path, *, vectors: bool = False) -> Victim:
    """Two data files of 40 rows; 3 rows deleted by position or vector, 2 by value."""
    lake = Lake(folder)
    table = lake.create("shop.items", SCHEMA, version=3 if vectors else 2)
    for start in (0, ROWS):
        table.append(some_rows(start), Style(row_group_rows=15))
    head = table.head
    assert head is not None
    path = head.files[0].path
    deleted = {path: [1, 5, 30]}
    vectors_or_positions = (
        table.deletion_vectors(deleted) if vectors else table.position_deletes(deleted)
    )
    table.commit(add=vectors_or_positions, operation="delete")
    values = pa.table({"k": pa.array([3, ROWS + 3], pa.int64())})
    equality = table.equality_deletes(values, [SCHEMA.fields[0]])
    snapshot = table.commit(add=[equality], operation="delete")
    by_position = "vectors" if vectors else "positions"
    places = {
        "metadata": str(table.metadata_location),
        "manifest list": snapshot.manifest_list,
        "manifest": next(one.path for one in snapshot.manifests if not one.deletes),
        "data": path,
        by_position: vectors_or_positions[0].path,
        "equality": equality.path,
    }
    files = {kind: table.disk_path(place) for kind, place in places.items()}
    return Victim(lake, table, files, table.rows().num_rows)


def some_rows(start: int) -> pa.Table:
    keys = range(start, start + ROWS)
    names = [f"name {key % 7}" if key % 5 else None for key in keys]
    return pa.table({"k": list(keys), "name": names}, arrow_schema(SCHEMA))


def read_everything(lake: Lake, name: str = "items") -> pa.Table:
    with (
        IcebergCatalog(lake.profile) as catalog,
        read(catalog.namespace("shop").table(name)) as stream,
    ):
        return stream.read_all()


# -- ways to damage ------------------------------------------------------------------------------


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def halve(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def cut_tail(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def cut_head(path: Path) -> None:
    path.write_bytes(path.read_bytes()[5:])


def replace_with_text(path: Path) -> None:
    path.write_bytes(b"this is not the file you are looking for\n" * 20)


def replace_with_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: tuple[Callable[[Path], None], ...] = (
    remove,
    empty,
    halve,
    cut_tail,
    cut_head,
    replace_with_text,
    replace_with_folder,
)


# -- what must hold ------------------------------------------------------------------------------


@contextmanager
def a_good_error(lake: Lake) -> Iterator[pytest.ExceptionInfo[LakeportError]]:
    """Raised on purpose, with something to do, nothing internal inside and no thread left behind."""
    before = set(threading.enumerate())
    with pytest.raises(LakeportError) as caught:
        yield caught
    assert_presentable(caught.value, lake)
    # A service of the tests' own may still be busy with the end of its answer.
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert not {name for name in left if "process_request_thread" not in name}


def assert_presentable(error: LakeportError, lake: Lake) -> None:
    shown = str(error)
    assert error.code not in {"error", "internal"}, shown
    assert error.hint, shown
    assert "\n" not in shown
    for inside in ("Traceback", "object at 0x", "pyarrow", "pydantic", "site-packages"):
        assert inside not in shown
    # A catalog that cannot be reached is named by its address; a table's files by their last names.
    told = shown.replace(str(lake.profile), "")
    assert str(lake.folder) not in told
