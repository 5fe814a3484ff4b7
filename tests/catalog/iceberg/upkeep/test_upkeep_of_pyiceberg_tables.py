"""A table that PyIceberg made and goes on to write to, before and after each of our tasks."""

from __future__ import annotations

from contextlib import closing

import pyarrow as pa
from pyiceberg.types import LongType

from tests.catalog.iceberg.upkeep.made import BY_GROUP, SCHEMA, some
from tests.catalog.iceberg.upkeep.readers import (
    EVERYTHING,
    assert_others_agree,
    every_snapshot,
    opened,
    rows,
)
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake


def test_pyiceberg_and_upkeep_take_turns(lake: Lake, duckdb_reader: DuckDBReader) -> None:
    with closing(lake.catalog()) as catalog:
        catalog.create_namespace("s")
        native = catalog.create_table("s.t", SCHEMA, partition_spec=BY_GROUP)
        for k in range(4):
            native.append(pa.concat_tables([some(k), some(k + 10, group="b")]))
        native.delete("k == 2")
        with native.update_schema() as change:
            change.add_column("extra", LongType())
        native.append(some(20, group="c").append_column("extra", pa.array([7], pa.int64())))
        with opened(lake, "s.t") as ours:
            tasks = (ours.compact, ours.rewrite_manifests, ours.forget)
            for turn, task in enumerate(tasks):
                expected, past = rows(ours), every_snapshot(ours)
                task(EVERYTHING)
                ours.remove_orphans(grace=0)
                left = every_snapshot(ours)
                assert {ident: left[ident] for ident in left if ident in past} == {
                    ident: past[ident] for ident in left if ident in past
                }
                assert rows(ours) == expected
                assert_others_agree(lake, "s.t", duckdb_reader, expected)
                native.refresh()
                more = some(100 + turn, group="b")
                native.append(more.append_column("extra", pa.array([turn], pa.int64())))
                assert len(rows(ours)) == len(expected) + 1
