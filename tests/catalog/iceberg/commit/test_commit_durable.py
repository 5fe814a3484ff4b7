"""With `durable` everything is on disk before the pointer moves: seen from a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from tests.catalog.iceberg.commit.members import embedded

# The real calls, written down: every fsync with its file, every write to the catalog's row.
_TRACED = """
import json, os, sys
from pathlib import Path

seen = []
real = os.fsync

def fsync(file):
    seen.append(["sync", os.readlink(f"/proc/self/fd/{file}")])
    real(file)

os.fsync = fsync

from sqlalchemy import event
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.catalog.iceberg.commit.members import commit, embedded, insert, new_table

durable = sys.argv[2] == "durable"
with IcebergCatalog(embedded(Path(sys.argv[1])), durable=durable) as catalog:
    source = new_table(catalog)
    statement = insert(source, [1])
    engine = catalog.pyiceberg.engine
    event.listen(
        engine, "before_cursor_execute", lambda *given: seen.append(["sql", given[2].split()[0]])
    )
    seen.clear()
    done = commit(catalog, source, statement)
    named = [done.snapshot.manifest_list]
    named += [row.manifest_path for row in done.snapshot.manifests(source.io)]
    named += [file.file_path for file in statement.effect.added]
    named += [catalog.pyiceberg.load_table("shop.orders").metadata_location]
sys.stdout.write(json.dumps({"seen": seen, "named": named}))
"""


def traced(folder: Path, mode: str) -> Any:
    command = [sys.executable, "-c", _TRACED, str(folder), mode]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="open files are told by /proc")
def test_every_file_and_its_folder_is_synced_before_the_pointer_moves(tmp_path: Path) -> None:
    found = traced(tmp_path, "durable")
    events = found["seen"]
    before = events[: events.index(["sql", "UPDATE"])]
    synced = {path for kind, path in before if kind == "sync"}
    for location in found["named"]:
        path = Path(location.removeprefix("file://"))
        assert str(path) in synced, path.name
        assert str(path.parent) in synced, path.parent.name


@pytest.mark.skipif(sys.platform != "linux", reason="open files are told by /proc")
def test_usually_nobody_waits_for_the_disk(tmp_path: Path) -> None:
    events = traced(tmp_path, "usual")["seen"]
    assert [event for event in events if event[0] == "sync"] == []


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
def test_the_database_syncs_as_much(tmp_path: Path, *, durable: bool, level: int) -> None:
    with IcebergCatalog(embedded(tmp_path), durable=durable) as catalog:
        native = catalog.pyiceberg
        assert isinstance(native, PatientSqlCatalog)
        with native.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
