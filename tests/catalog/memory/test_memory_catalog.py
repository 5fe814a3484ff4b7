"""What only the in-memory catalog promises: given clocks and ids, its sizes, fair commits."""

from __future__ import annotations

import itertools
import threading
import uuid

import pyarrow as pa
import pytest

from lakeport.catalog import ports
from lakeport.catalog.definition import Definition
from lakeport.catalog.functions import FunctionHost
from lakeport.catalog.memory import MemoryCatalog, MemoryTable
from lakeport.catalog.memory.catalog import random_id
from lakeport.catalog.memory.segments import Segment, pack, starts
from lakeport.catalog.memory.store import Surroundings, TableStore
from lakeport.catalog.memory.timeline import Shape, Timeline
from lakeport.catalog.ports import NamespaceInfo, ScanRequest, require
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtTime

SCHEMA = pa.schema([pa.field("k", pa.int64())])


def numbers(count: int) -> pa.Table:
    return pa.table({"k": list(range(count))}, SCHEMA)


def table_of(catalog: MemoryCatalog) -> MemoryTable:
    made = catalog.create_namespace(NamespaceInfo("s")).create_table("t", Definition(SCHEMA))
    assert isinstance(made, MemoryTable)
    return made


@pytest.mark.parametrize(
    "ability",
    [
        ports.Table,
        ports.Scannable,
        ports.Travelable,
        ports.Referable,
        ports.Expirable,
        ports.Measurable,
        ports.Insertable,
        ports.Updatable,
        ports.Deletable,
        ports.Truncatable,
        ports.Alterable,
    ],
)
def test_a_table_has_every_ability(ability: type) -> None:
    assert isinstance(table_of(MemoryCatalog("lake")), ability)


def test_a_namespace_and_a_catalog_have_every_ability() -> None:
    catalog = MemoryCatalog("lake")
    namespace = catalog.create_namespace(NamespaceInfo("s"))
    assert isinstance(catalog, ports.Catalog)
    assert isinstance(catalog, ports.DynamicCatalog)
    assert isinstance(namespace, ports.Namespace)
    assert isinstance(namespace, ports.DynamicNamespace)
    assert isinstance(namespace, FunctionHost)


def test_statistics_know_everything_there_is_to_know() -> None:
    namespace = MemoryCatalog("lake").create_namespace(NamespaceInfo("s"))
    table = namespace.create_table("names", Definition(pa.schema({"name": pa.string()})))
    insert_rows(table, [{"name": name} for name in ("pear", None, "apple", "pear")])
    assert require(table, ports.Measurable, "it").statistics("name") == ports.ColumnStatistics(
        minimum=pa.scalar("apple"),
        maximum=pa.scalar("pear"),
        has_null=True,
        has_values=True,
        distinct=2,
        longest=5,
    )


def test_ids_come_from_the_source_that_was_given() -> None:
    ids = itertools.count(7)
    table = table_of(MemoryCatalog("lake", new_id=lambda: next(ids)))
    assert table.state().uuid == str(uuid.UUID(int=7 << 64 | 8))
    insert_rows(table, numbers(1))
    assert table.state().snapshot_id == 9


def test_random_ids_are_positive_and_fit_64_bits() -> None:
    assert all(0 < random_id() < 2**63 for _ in range(1_000))


def test_moments_keep_the_order_of_versions_when_the_clock_goes_back() -> None:
    moments = iter([100, 40, 70])
    now = [0]

    def clock() -> int:
        now[0] = next(moments, 200)
        return now[0]

    table = table_of(MemoryCatalog("lake", clock=clock))
    for _ in range(3):
        insert_rows(table, numbers(1))
    assert [info.timestamp_ns for info in table.history()] == [100, 100, 100]
    assert table.state_at(AtTime(100)).version == 3


@pytest.mark.parametrize(("rows", "expected"), [(0, []), (5, [5]), (64, [64]), (130, [64, 64, 2])])
def test_rows_are_stored_in_pieces_of_bounded_size(rows: int, expected: list[int]) -> None:
    batches = numbers(rows).to_batches(max_chunksize=3)
    assert [batch.num_rows for batch in pack(batches, SCHEMA, 64)] == expected


def test_small_batches_of_one_statement_become_one_piece() -> None:
    table = table_of(MemoryCatalog("lake"))
    insert_rows(table, numbers(5_000).to_batches(max_chunksize=100))
    (split,) = table.plan(ScanRequest()).splits
    assert split.parts == (0,)


def test_a_scan_of_a_large_piece_gives_bounded_batches() -> None:
    table = table_of(MemoryCatalog("lake", batch_rows=1_000))
    insert_rows(table, numbers(2_500))
    with read(table) as stream:
        assert [batch.num_rows for batch in stream] == [1_000, 1_000, 500]


def test_splits_hold_about_as_many_rows_as_wished() -> None:
    table = table_of(MemoryCatalog("lake", segment_rows=10, split_rows=30))
    insert_rows(table, numbers(100))
    parts = [split.parts for split in table.plan(ScanRequest()).splits]
    assert parts == [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9,)]


def test_a_plan_estimates_rows_and_bytes() -> None:
    table = table_of(MemoryCatalog("lake"))
    insert_rows(table, numbers(100))
    plan = table.plan(ScanRequest())
    assert plan.rows == 100
    assert plan.bytes is not None
    assert plan.bytes >= 800
    assert table.plan(ScanRequest(limit=5)).rows == 5


def test_a_piece_without_live_rows_is_dropped() -> None:
    table = table_of(MemoryCatalog("lake", segment_rows=10))
    insert_rows(table, numbers(30))
    delete_where(table, "k BETWEEN 10 AND 19")
    assert table.plan(ScanRequest()).splits[0].parts == (0, 1)


def test_dead_positions_count_in_ordinals() -> None:
    batch = numbers(10).to_batches()[0]
    first = Segment(0, batch).without(pa.array([0, 1, 2]))
    assert first is not None
    assert (first.live_count, starts([first, Segment(1, batch)])) == (7, [0, 10])
    assert first.are_live(pa.array([3, 9]))
    assert not first.are_live(pa.array([2, 9]))
    assert first.without(pa.array(range(10))) is None


def test_a_long_statement_gets_its_turn_between_short_ones() -> None:
    """Every optimistic attempt is overtaken here; the last one holds the lock."""
    surroundings = Surroundings(lambda: 0, random_id, 10, 10, 10)
    shape = Shape(Definition(SCHEMA), 0, (0,))
    store = TableStore(Timeline("u", TableName("s", "t"), shape, shape), surroundings)
    attempts = 0

    def short(timeline: Timeline) -> Timeline:
        return timeline.grow("append", surroundings.stamp(None), kept=())

    def long(timeline: Timeline) -> Timeline:
        nonlocal attempts
        attempts += 1
        if attempts <= 3:
            other = threading.Thread(target=store.commit, args=(short,))
            other.start()
            other.join()
        return timeline.grow("overwrite", surroundings.stamp(None), kept=())

    done = store.commit(long)
    assert (attempts, done.version) == (4, 4)
    assert [s.info.operation for s in done.snapshots.values()][-1] == "overwrite"


def test_handles_of_one_table_see_the_same_table() -> None:
    catalog = MemoryCatalog("lake")
    table = table_of(catalog)
    other = catalog.namespace("S").table("T")
    insert_rows(other, numbers(3))
    assert table.state() == other.state()
    catalog.namespace("s").rename_table("t", "u")
    assert str(table.name) == "s.u"
