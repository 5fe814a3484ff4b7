"""Rows as they were, in the columns of now: one commit that follows the snapshot it goes back to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.table import LakeTable
from lakeport.catalog.changes import AddConstraint
from lakeport.catalog.definition import Check
from lakeport.catalog.engines import EngineHost, Engines, Terms
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Expirable, Rewindable, WriteContext, require
from lakeport.core.errors import ConflictError, PreconditionError
from lakeport.core.names import TableName
from tests.lakes.conformance import assert_conforms

K = pa.schema([("k", pa.int64())])


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return Profile("lake", "sql", f"sqlite:///{tmp_path}/c.db", f"file://{tmp_path}/warehouse")


@pytest.fixture
def lake(profile: Profile) -> Iterator[Lake]:
    """Each look at the clock is a second later."""
    seconds = itertools.count(1_900_000_000)
    with IcebergCatalog(profile, clock=lambda: next(seconds) * 1_000_000_000) as catalog:
        yield Lake(catalog)


@pytest.fixture
def table(lake: Lake) -> LakeTable:
    """Versions 1 to 3: a row each, then version 4 takes one away and version 5 adds a column."""
    made = lake.create_table("shop.t", K)
    for k in (1, 2, 3):
        made.append([{"k": k}])
    made.delete("k = 1")
    made.alter(add={"note": pa.string()})
    made.append([{"k": 6, "note": "new"}])
    return made


def engines_of(lake: Lake) -> Engines:
    assert isinstance(lake.catalog, EngineHost)
    return lake.catalog.engines()


def rewind(lake: Lake, table: LakeTable, version: int) -> None:
    ids = {each.version: each.snapshot_id for each in table.history()}
    port = require(table.port, Rewindable, "it")
    context = WriteContext("ann", f"rollback to version {version}")
    head = table.port.state().snapshot_id
    with port.rewinding(ids.get(version), head=head, context=context) as ready:
        engines_of(lake).commit(ready.change, Terms(anywhere=True))
    assert table.port.state().version == ready.version


def keys(table: LakeTable, at: str | None = None) -> list[int]:
    return sorted(row["k"] for row in table.scan(at=at).read_all().to_pylist())


def test_rows_go_back_and_columns_stay(lake: Lake, table: LakeTable) -> None:
    rewind(lake, table, 2)
    assert keys(table) == [1, 2]
    assert table.schema.names == ["k", "note"]
    newest = table.history()[-1]
    assert newest.version == table.port.state().version == 7
    assert newest.schema_id == table.port.state().schema_id
    assert newest.parent_id == table.history()[1].snapshot_id
    assert newest.summary["lakeport.actor"] == "ann"
    assert newest.summary["lakeport.statement"] == "rollback to version 2"
    assert newest.summary["total-records"] == "2"


def test_every_version_and_every_moment_stays_what_it_was(lake: Lake, table: LakeTable) -> None:
    before = [(each.version, each.timestamp_ns) for each in table.history()]
    rewind(lake, table, 2)
    assert [keys(table, f"version:{version}") for version, _ in before] == [
        [1],
        [1, 2],
        [1, 2, 3],
        [2, 3],
        [2, 3],
        [2, 3, 6],
    ]
    assert table.scan(at="version:7").read_all().column_names == ["k", "note"]
    assert keys(table, f"ts_ns:{table.history()[-1].timestamp_ns}") == [1, 2]
    # What main was between the last commit and the rollback, though the rollback follows another.
    assert keys(table, f"ts_ns:{before[-1][1]}") == [2, 3, 6]


def test_what_is_written_next_goes_on_from_there(lake: Lake, table: LakeTable) -> None:
    rewind(lake, table, 2)
    table.append([{"k": 9, "note": "x"}])
    table.delete("k = 2")
    assert keys(table) == [1, 9]
    assert table.port.state().version == 9
    rewind(lake, table, 6)  # and a rollback can be taken back
    assert keys(table) == [2, 3, 6]


def test_version_zero_is_an_empty_table(lake: Lake, table: LakeTable) -> None:
    rewind(lake, table, 0)
    assert keys(table) == []
    assert table.history()[-1].parent_id is None
    table.append([{"k": 5}])
    assert keys(table) == [5]


def test_other_engines_read_the_same_and_the_files_are_as_iceberg_wants_them(
    lake: Lake, table: LakeTable, profile: Profile
) -> None:
    rewind(lake, table, 3)
    assert profile.uri is not None
    native = SqlCatalog("lake", uri=profile.uri, warehouse=str(profile.warehouse))
    found = native.load_table("shop.t")
    rows = found.scan().to_arrow().sort_by("k").to_pylist()
    assert rows == [{"k": k, "note": None} for k in (1, 2, 3)]
    assert_conforms(found.metadata_location)
    native.close()


def test_what_was_rolled_back_expires_and_what_is_needed_stays(
    lake: Lake, table: LakeTable
) -> None:
    rewind(lake, table, 2)
    assert require(table.port, Expirable, "it").expire(keep=1) == 6
    assert keys(table) == [1, 2]


def test_somebody_who_was_faster_is_noticed(lake: Lake, table: LakeTable, tmp_path: Path) -> None:
    port = require(table.port, Rewindable, "it")
    head, first = table.port.state().snapshot_id, table.history()[0].snapshot_id
    metadata = tmp_path / "warehouse"
    with ExitStack() as stack:
        change = stack.enter_context(port.rewinding(first, head=head)).change
        written = set(metadata.rglob("snap-*"))
        table.append([{"k": 7}])
        with pytest.raises(ConflictError), stack:
            engines_of(lake).commit(change, Terms(anywhere=True))
    # Its file is gone again, and the other commit's is there.
    assert len(written - set(metadata.rglob("snap-*"))) == 1
    assert keys(table) == [2, 3, 6, 7]
    with pytest.raises(ConflictError), port.rewinding(first, head=head):
        pass


def test_rows_that_break_a_rule_of_now_do_not_come_back(lake: Lake, table: LakeTable) -> None:
    table.alter(AddConstraint(Check("k > 1", "large")))
    with pytest.raises(PreconditionError, match="large"):
        rewind(lake, table, 2)
    rewind(lake, table, 4)
    assert keys(table) == [2, 3]


def test_several_tables_go_back_in_one_commit_or_not_at_all(lake: Lake, table: LakeTable) -> None:
    other = lake.create_table("shop.u", K)
    other.append([{"k": 1}])
    other.append([{"k": 2}])
    with ExitStack() as stack:
        changes = [
            stack.enter_context(
                require(each.port, Rewindable, "it").rewinding(
                    each.history()[0].snapshot_id, head=each.port.state().snapshot_id
                )
            )
            for each in (table, other)
        ]
        ready = [each.change for each in changes]
        assert engines_of(lake).commit_all(ready, Terms(anywhere=True))
    assert (keys(table), keys(other)) == ([1], [1])
    assert TableName("shop", "t") == table.port.name
