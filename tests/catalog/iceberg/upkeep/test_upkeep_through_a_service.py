"""Upkeep where commits go through a REST catalog, which may not say what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo, Ref
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import UnavailableError
from lakeport.core.timepoint import AtRef
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.rest_server import RestServer, WithheldError, rest_server
from tests.catalog.iceberg.upkeep.made import keys
from tests.catalog.iceberg.upkeep.readers import EVERYTHING, every_snapshot, files_on_disk

IMPATIENT = {"lakeport.commit-seconds": "0.5", "lakeport.settle-seconds": "0.2"}
SCHEMA = schema_of(k=pa.int64(), g=pa.string())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestServer]:
    with rest_server(tmp_path) as found:
        yield found


@pytest.fixture
def table(server: RestServer) -> Iterator[IcebergTable]:
    """Four commits of a row each."""
    with IcebergCatalog(server.profile(**IMPATIENT), max_staleness=0) as catalog:
        catalog.create_namespace(NamespaceInfo("s"))
        table = catalog.namespace("s").create_table("t", Definition(SCHEMA))
        for k in range(4):
            insert_rows(table, pa.Table.from_pylist([{"k": k, "g": "a"}], SCHEMA))
        yield table


def folder_of(table: IcebergTable) -> Path:
    return Path(table.storage().location.removeprefix("file://"))


def test_all_tasks_work_through_a_service(table: IcebergTable) -> None:
    first = table.history()[0].snapshot_id
    table.create_ref(Ref("v1", "tag", first))
    assert table.compact(EVERYTHING).rewritten == 4
    assert table.forget(EVERYTHING).snapshots == 3
    stray = folder_of(table) / "data" / "stray.parquet"
    stray.write_bytes(b"x")
    assert table.remove_orphans(grace=0).files == 1
    assert sorted(keys(table)) == [0, 1, 2, 3]
    assert keys(table, AtRef("v1")) == [0]
    assert len(table.history()) == 2


def silent_before(_: Callable[[], Any]) -> Any:
    raise WithheldError(500)


def silent_after(commit: Callable[[], Any]) -> Any:
    commit()
    raise WithheldError(500)


def test_no_file_goes_when_expiry_was_perhaps_not_committed(
    server: RestServer, table: IcebergTable
) -> None:
    table.compact(EVERYTHING)
    before, past = files_on_disk(folder_of(table)), every_snapshot(table)
    server.around_commit = silent_before
    with pytest.raises(UnavailableError):
        table.expire(keep=1)
    assert files_on_disk(folder_of(table)) == before
    assert every_snapshot(table) == past


def test_expiry_that_was_committed_in_silence_is_recognised(
    server: RestServer, table: IcebergTable
) -> None:
    """The table itself says that the snapshots are gone: then their files may go, too."""
    table.compact(EVERYTHING)
    server.around_commit = silent_after
    assert table.expire(keep=1) == 4
    server.around_commit = lambda commit: commit()
    assert len(table.history()) == 1
    assert sorted(keys(table)) == [0, 1, 2, 3]
    assert not list(table.orphans(grace=0))


def test_a_compaction_that_was_committed_in_silence_is_recognised(
    server: RestServer, table: IcebergTable
) -> None:
    server.around_commit = silent_after
    done = table.compact(EVERYTHING)
    server.around_commit = lambda commit: commit()
    assert (done.rewritten, done.written, len(done.versions)) == (4, 1, 1)
    assert sorted(keys(table)) == [0, 1, 2, 3]
    assert not list(table.orphans(grace=0))


def test_the_files_of_a_compaction_that_may_still_come_stay(
    server: RestServer, table: IcebergTable
) -> None:
    server.around_commit = silent_before
    before = files_on_disk(folder_of(table))
    with pytest.raises(UnavailableError):
        table.compact(EVERYTHING)
    server.around_commit = lambda commit: commit()
    assert before < files_on_disk(folder_of(table))
    assert sorted(keys(table)) == [0, 1, 2, 3]
    assert table.remove_orphans(grace=0).files > 0
    assert files_on_disk(folder_of(table)) == before
