"""Scans: columns, conditions, limits, row ids, and splits that are opened one by one."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pyarrow as pa
import pytest

from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.ports import ScanRequest, Split
from lakeport.catalog.predicates import And, Compare, IsNull, Not, Op
from lakeport.catalog.reading import read
from lakeport.core.errors import InvalidRequestError, LakeportError, NotFoundError
from tests.behaviours.lake import Lake, Subject, schema_of, values

MANY = 1_000


def over(column: str, value: int) -> Compare:
    return Compare(column, Op.GT, pa.scalar(value))


@pytest.fixture
def many(lake: Lake) -> Subject:
    """Rows 0 … 999 in ten commits, ascending, so that bounds can prune."""
    schema = schema_of(k=pa.int64(), parity=pa.string())
    commits = [
        pa.table({"k": list(range(start, start + 100)), "parity": ["even", "odd"] * 50}, schema)
        for start in range(0, MANY, 100)
    ]
    return lake.seed(schema, *commits, name="many")


def test_a_plain_scan_gives_all_rows_in_the_schema_of_the_table(items: Subject) -> None:
    found = items.read()
    assert found.schema == items.schema
    assert items.rows() == [(1, "apple", 1.0), (2, "pear", 2.0), (3, None, 3.5)]


def test_an_empty_table_gives_no_rows_and_its_schema(lake: Lake, items_schema: pa.Schema) -> None:
    found = lake.seed(items_schema, name="fresh").read()
    assert (found.num_rows, found.schema) == (0, items_schema)


def test_columns_come_in_the_order_asked_for_and_in_any_spelling(items: Subject) -> None:
    found = items.read(ScanRequest(columns=("PRICE", "k")))
    assert found.schema.names == ["price", "k"]
    assert sorted(values(found, "k")) == [1, 2, 3]


def test_no_columns_still_count_the_rows(items: Subject) -> None:
    with read(items.table, ScanRequest(columns=())) as stream:
        assert sum(batch.num_rows for batch in stream) == 3


def test_an_unknown_column_is_an_error(items: Subject) -> None:
    with pytest.raises(NotFoundError, match="prise") as caught:
        items.scannable.plan(ScanRequest(columns=("prise",)))
    assert "price" in str(caught.value.hint)


def test_an_unknown_column_in_a_predicate_is_an_error(items: Subject) -> None:
    with pytest.raises(LakeportError, match="prise"):
        items.scannable.plan(ScanRequest(predicate=over("prise", 1)))


def test_a_predicate_keeps_rows_where_it_is_true(items: Subject) -> None:
    request = ScanRequest(columns=("k",), predicate=Not(Compare("name", Op.EQ, pa.scalar("pear"))))
    assert items.read(request).column("k").to_pylist() == [1]  # NULL is not TRUE


def test_an_expression_keeps_rows_where_it_is_true(items: Subject) -> None:
    assert items.rows("k", where="length(name) > 4") == [(1,)]


def test_predicate_and_expression_must_both_hold(items: Subject) -> None:
    request = ScanRequest(
        columns=("k",),
        predicate=over("k", 1),
        expression=parse_expression("price < 3", items.schema),
    )
    assert items.read(request).column("k").to_pylist() == [2]


def test_a_condition_may_read_columns_that_are_not_asked_for(items: Subject) -> None:
    found = items.read(ScanRequest(columns=("k",), predicate=IsNull("name")))
    assert (found.schema.names, found.column("k").to_pylist()) == (["k"], [3])


@pytest.mark.parametrize("limit", [0, 1, 7, 250, MANY, MANY + 1])
def test_a_limit_bounds_the_whole_read(many: Subject, limit: int) -> None:
    assert many.read(ScanRequest(limit=limit)).num_rows == min(limit, MANY)


def test_a_limit_counts_rows_that_the_conditions_keep(many: Subject) -> None:
    request = ScanRequest(predicate=Compare("parity", Op.EQ, pa.scalar("odd")), limit=300)
    assert set(many.read(request).column("parity").to_pylist()) == {"odd"}
    assert many.read(request).num_rows == 300


@pytest.mark.parametrize("predicate", [None, Compare("parity", Op.EQ, pa.scalar("odd"))])
def test_a_limit_bounds_each_split(many: Subject, predicate: Compare | None) -> None:
    request = ScanRequest(predicate=predicate, limit=5)
    for split in many.scannable.plan(request).splits:
        assert many.scannable.open(request, split).read_all().num_rows <= 5


def test_a_negative_limit_is_refused(items: Subject) -> None:
    with pytest.raises(InvalidRequestError, match="limit"):
        items.scannable.plan(ScanRequest(limit=-1))


def test_row_ids_come_last_differ_and_do_not_change_between_reads(many: Subject) -> None:
    found = many.read(ScanRequest(columns=("k",), row_ids=True))
    assert found.schema.names == ["k", "rowid"]
    assert found.schema.field("rowid").metadata == {b"is_rowid": b"1"}
    ids = dict(zip(values(found, "k"), values(found, "rowid"), strict=True))
    assert len(set(ids.values())) == MANY
    again = many.read(ScanRequest(columns=("k",), predicate=over("k", 500), limit=20, row_ids=True))
    for k, row_id in zip(values(again, "k"), values(again, "rowid"), strict=True):
        assert ids[k] == row_id


def test_a_plan_says_what_its_streams_carry(many: Subject) -> None:
    plan = many.scannable.plan(ScanRequest(columns=("parity",), row_ids=True))
    assert plan.state == many.state
    assert plan.schema.names == ["parity", "rowid"]
    assert len(plan.splits) > 1
    for split in plan.splits:
        with many.scannable.open(ScanRequest(columns=("parity",), row_ids=True), split) as stream:
            assert stream.schema == plan.schema
            assert all(batch.schema == plan.schema for batch in stream)


def test_splits_are_the_table_exactly_once_in_any_order(many: Subject) -> None:
    request = ScanRequest(columns=("k",))
    splits = many.scannable.plan(request).splits
    found: list[int] = []
    for split in reversed(splits):
        found += values(many.scannable.open(request, split).read_all(), "k")
    assert sorted(found) == list(range(MANY))


def test_a_predicate_prunes_what_it_cannot_match(many: Subject) -> None:
    whole = many.scannable.plan(ScanRequest())
    few = many.scannable.plan(ScanRequest(predicate=over("k", 950)))
    parts = sum(len(split.parts) for split in whole.splits)
    assert 0 < sum(len(split.parts) for split in few.splits) <= parts // 5
    nothing = ScanRequest(predicate=And((over("k", 10), Compare("k", Op.LT, pa.scalar(5)))))
    assert many.read(nothing).num_rows == 0


def test_a_split_is_plain_values(many: Subject) -> None:
    request = ScanRequest(columns=("k",))
    for split in many.scannable.plan(request).splits:
        copied = Split(int(split.snapshot_id), tuple(int(part) for part in split.parts))
        assert copied == split
        assert many.scannable.open(request, copied).read_all().num_rows


def test_splits_are_opened_on_other_threads(many: Subject) -> None:
    request = ScanRequest(columns=("k",), expression=parse_expression("k % 3 = 0", many.schema))
    plan = many.scannable.plan(request)

    def work(split: Split) -> list[int]:
        return values(many.scannable.open(request, split).read_all(), "k")

    with ThreadPoolExecutor(4) as pool:
        found = [value for part in pool.map(work, plan.splits) for value in part]
    assert sorted(found) == list(range(0, MANY, 3))


def test_a_split_that_names_an_unknown_part_is_refused(many: Subject) -> None:
    split = many.scannable.plan(ScanRequest()).splits[0]
    with pytest.raises(InvalidRequestError):
        many.scannable.open(ScanRequest(), Split(split.snapshot_id, (10_000,))).read_all()


def test_a_split_of_an_unknown_snapshot_is_refused(many: Subject) -> None:
    with pytest.raises(LakeportError):
        many.scannable.open(ScanRequest(), Split(1, (0,))).read_all()


def test_a_stream_that_is_closed_early_gives_no_more(many: Subject) -> None:
    with read(many.table) as stream:
        next(stream)
        stream.close()
        assert list(stream) == []


def test_closing_early_leaves_no_thread_behind(many: Subject) -> None:
    before = threading.active_count()
    for _ in range(5):
        with read(many.table) as stream:
            next(stream)
    assert threading.active_count() <= before


def test_batches_are_bounded(many: Subject) -> None:
    with read(many.table) as stream:
        sizes = [batch.num_rows for batch in stream]
    assert sum(sizes) == MANY
    assert max(sizes) <= 65_536


def test_a_column_may_be_asked_for_twice(items: Subject) -> None:
    found = items.read(ScanRequest(columns=("k", "k")))
    assert found.schema.names == ["k", "k"]


def test_row_ids_ascend_within_a_split(many: Subject) -> None:
    request = ScanRequest(columns=(), row_ids=True)
    for split in many.scannable.plan(request).splits:
        ids = values(many.scannable.open(request, split).read_all(), "rowid")
        assert all(one < other for one, other in pairwise(ids))
