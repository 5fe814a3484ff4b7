"""Each strategy on real Spark: rows equal to the model's, one data snapshot per write, again the same."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from lakeport import InvalidRequestError, KeyViolationError
from lakeport.core.errors import ConstraintViolationError
from tests.spark.ground import Ground
from tests.spark.model import Model, Record


def values(columns: str, *rows: str) -> str:
    return f"SELECT * FROM VALUES {', '.join(rows)} AS given ({columns})"


FIRST = values("k, part, v", "(1, 'a', 10)", "(2, 'a', 20)", "(3, 'b', 30)")
FIRST_ROWS: list[Record] = [
    {"k": 1, "part": "a", "v": 10},
    {"k": 2, "part": "a", "v": 20},
    {"k": 3, "part": "b", "v": 30},
]


def started(ground: Ground, **settings: Any) -> Model:
    model = Model()
    ground.write(FIRST, strategy="append", **settings)
    model.append(["k", "part", "v"], FIRST_ROWS)
    return model


def test_delete_insert_replaces_by_key_and_pads_what_left(ground: Ground) -> None:
    model = started(ground)
    query = values("K, seen", "(2, DATE '2026-01-02')", "(9, DATE '2026-01-09')")
    deleted: list[int] = []
    batch = [{"K": 2, "seen": date(2026, 1, 2)}, {"K": 9, "seen": date(2026, 1, 9)}]
    for _ in range(2):
        made = ground.write(query, unique_key="k")
        model.delete_insert(["K", "seen"], batch, ["k"], "append")
        assert ground.rows() == model.expected()
        assert made.strategy == "delete_insert"
        deleted.append(made.counts["spark.merge-into.num-target-rows-deleted"])
    assert ground.columns() == ["k", "part", "v", "seen"]
    assert ground.types() == {"k": "int32", "part": "string", "v": "int32", "seen": "date32[day]"}
    assert len(ground.data_snapshots()) == 3
    assert len(ground.history()) == 4  # one more, without rows, for the new column
    assert deleted == [1, 2]


@pytest.mark.parametrize("mode", ["mor", "cow"])
def test_both_write_modes_write_the_same(ground: Ground, mode: str) -> None:
    model = started(ground, write_mode=mode)
    query = values("k, part, v", "(2, 'z', 21)", "(2, 'z', 22)", "(4, 'z', 40)")
    batch = [
        {"k": 2, "part": "z", "v": 21},
        {"k": 2, "part": "z", "v": 22},
        {"k": 4, "part": "z", "v": 40},
    ]
    made = ground.write(query, unique_key="k", write_mode=mode)
    model.delete_insert(["k", "part", "v"], batch, ["k"], "append")
    assert ground.rows() == model.expected()  # both rows of key 2 are there
    assert ("added-position-deletes" in made.counts) == (mode == "mor")
    assert len(ground.history()) == 2


def test_the_write_mode_of_a_table_can_be_changed(ground: Ground) -> None:
    started(ground)
    ground.write(FIRST, unique_key="k", write_mode="cow", properties={"comment.of": "ours"})
    properties = ground.client.load_table(("shop", "t")).properties
    assert properties["write.merge.mode"] == "copy-on-write"
    assert properties["comment.of"] == "ours"
    assert len(ground.history()) == 2


def test_merge_updates_what_the_query_has_and_keeps_the_rest(ground: Ground) -> None:
    model = started(ground)
    query = values("k, v, w", "(1, 11, 'new')", "(5, 50, 'new')")
    batch: list[Record] = [{"k": 1, "v": 11, "w": "new"}, {"k": 5, "v": 50, "w": "new"}]
    for _ in range(2):
        ground.write(query, strategy="merge", unique_key=["k"])
        model.merge(["k", "v", "w"], batch, ["k"], "append")
        assert ground.rows() == model.expected()
    assert (1, "a", 11, "new") in ground.rows()
    assert len(ground.data_snapshots()) == 3


def test_merge_refuses_keys_that_repeat_and_names_them(ground: Ground) -> None:
    started(ground)
    query = values("k, v", "(7, 1)", "(7, 2)", "(8, 1)")
    with pytest.raises(KeyViolationError, match="7"):
        ground.write(query, strategy="merge", unique_key="k")
    assert len(ground.history()) == 1


def test_composite_keys(ground: Ground) -> None:
    model = started(ground)
    query = values("k, part, v", "(1, 'a', 100)", "(1, 'b', 101)")
    batch = [{"k": 1, "part": "a", "v": 100}, {"k": 1, "part": "b", "v": 101}]
    ground.write(query, unique_key=["part", "k"])
    model.delete_insert(["k", "part", "v"], batch, ["k", "part"], "append")
    assert ground.rows() == model.expected()


@pytest.mark.parametrize("nulls", ["append", "match"])
@pytest.mark.parametrize("strategy", ["delete_insert", "merge"])
def test_null_keys(ground: Ground, nulls: str, strategy: str) -> None:
    model = started(ground)
    query = values("k, part, v", "(1, CAST(NULL AS STRING), 1)", "(2, 'a', 2)")
    batch: list[Record] = [{"k": 1, "part": None, "v": 1}, {"k": 2, "part": "a", "v": 2}]
    for _ in range(2):
        made = ground.write(query, strategy=strategy, unique_key=["k", "part"], null_keys=nulls)
        warned = any("NULL in their unique_key" in text for text in made.warnings)
        assert warned == (nulls == "append")
        getattr(model, strategy)(["k", "part", "v"], batch, ["k", "part"], nulls)
        assert ground.rows() == model.expected()


def test_null_keys_can_be_refused(ground: Ground) -> None:
    started(ground)
    query = values("k, part, v", "(CAST(NULL AS INT), 'a', 1)")
    with pytest.raises(ConstraintViolationError, match="1 of 1 rows have a NULL in `k`"):
        ground.write(query, unique_key="k", null_keys="fail")
    assert len(ground.history()) == 1


def test_overwrite_partitions_replaces_those_that_rows_fall_into(ground: Ground) -> None:
    model = started(ground, partitioned_by=["part"])
    query = values("k, part, v", "(7, 'b', 70)", "(8, 'c', 80)")
    batch: list[Record] = [{"k": 7, "part": "b", "v": 70}, {"k": 8, "part": "c", "v": 80}]
    for _ in range(2):
        ground.write(query, strategy="overwrite_partitions")
        model.replace(["k", "part", "v"], batch, lambda row: row["part"] in {"b", "c"})
        assert ground.rows() == model.expected()
    assert len(ground.history()) == 3


def test_full_replaces_all_rows_and_keeps_columns_and_history(ground: Ground) -> None:
    model = started(ground)
    query = values("k, w", "(7, 'x')")
    for _ in range(2):
        ground.write(query, strategy="full")
        model.full(["k", "w"], [{"k": 7, "w": "x"}])
        assert ground.rows() == model.expected()
    assert ground.columns() == ["k", "part", "v", "w"]
    with ground.lake.table("shop.t").scan(at=1) as then:
        assert then.read_all().num_rows == 3
    assert [each.operation for each in ground.history()] == [
        "append",
        "replace",
        "overwrite",
        "overwrite",
    ]
    emptied = ground.write("SELECT 1 AS k WHERE false", strategy="full")
    assert emptied.snapshot_id is not None
    assert emptied.version == 5
    assert ground.rows() == []
    assert ground.columns() == ["k", "part", "v", "w"]


def moments(*rows: tuple[int, str]) -> str:
    return values("k, at", *(f"({k}, TIMESTAMP '{at}')" for k, at in rows))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


DAYS = ((1, "2026-01-01 05:00:00"), (2, "2026-01-02 05:00:00"), (3, "2026-01-03 05:00:00"))
DAY = (at("2026-01-02"), at("2026-01-03"))


def test_a_time_range_of_whole_partitions_is_one_overwrite(ground: Ground) -> None:
    ground.write(moments(*DAYS), partitioned_by=["day(at)"])
    query = moments((4, "2026-01-02 09:00:00"), (5, "2026-01-07 09:00:00"))
    for _ in range(2):
        made = ground.write(query, strategy="time_range", time_column="at", range=DAY)
        assert [row[0] for row in ground.rows()] == [1, 3, 4]
        assert made.warnings == ("1 of 2 rows are outside of the range and were left out",)
    assert len(ground.history()) == 3
    summary = ground.data_snapshots()[-1]
    assert summary["lakeport.interval"] == "2026-01-02T00:00:00+00:00/2026-01-03T00:00:00+00:00"


def test_a_time_range_that_cuts_partitions_takes_two_snapshots_at_once(ground: Ground) -> None:
    ground.write(moments(*DAYS))
    query = moments((4, "2026-01-02 09:00:00"))
    ends = (at("2026-01-02 01:00:00"), at("2026-01-02 23:00:00"))
    for number in (3, 5):
        made = ground.write(query, strategy="time_range", time_column="at", range=ends)
        assert [row[0] for row in ground.rows()] == [1, 3, 4]
        assert len(ground.history()) == number
        assert made.version == number
    assert [ref.name for ref in ground.lake.table("shop.t").refs()] == ["main"]


def test_a_time_range_without_rows_empties_it(ground: Ground) -> None:
    ground.write(moments(*DAYS), partitioned_by=["day(at)"])
    nothing = f"{moments(*DAYS)} WHERE false"
    made = ground.write(nothing, strategy="time_range", time_column="at", range=DAY)
    assert made.rows == 0
    assert [row[0] for row in ground.rows()] == [1, 3]
    cut = (at("2026-01-01 01:00:00"), at("2026-01-01 23:00:00"))
    ground.write(nothing, strategy="time_range", time_column="at", range=cut)
    assert [row[0] for row in ground.rows()] == [3]


def test_dates_and_wall_clocks_make_ranges_too(ground: Ground) -> None:
    days = values("k, d", "(1, DATE '2026-01-01')", "(2, DATE '2026-02-01')")
    ground.write(days, into="days", partitioned_by=["month(d)"])
    ground.write(
        values("k, d", "(3, DATE '2026-02-03')"),
        into="days",
        strategy="time_range",
        time_column="D",
        range=(date(2026, 2, 1), date(2026, 3, 1)),
    )
    assert ground.rows("days") == [(1, date(2026, 1, 1)), (3, date(2026, 2, 3))]
    with pytest.raises(InvalidRequestError, match="timestamp"):
        ground.write(
            moments(*DAYS),
            strategy="time_range",
            time_column="at",
            range=(date(2026, 1, 1), date(2026, 1, 2)),
        )


def test_frames_and_arrow_data_are_written_like_queries(ground: Ground) -> None:
    model = started(ground)
    session = ground.lake.spark()
    frame = session.sql("SELECT k, v + 1 AS v FROM shop.t WHERE k < 3")
    ground.write(frame, strategy="merge", unique_key="k")
    model.merge(["k", "v"], [{"k": 1, "v": 11}, {"k": 2, "v": 21}], ["k"], "append")
    assert ground.rows() == model.expected()
    table = pa.table({"k": pa.array([3, 4], pa.int32()), "u": pa.array([1, 2**40], pa.uint64())})
    for data in (table, pa.RecordBatchReader.from_batches(table.schema, table.to_batches())):
        made = ground.write(data, unique_key="k")
        assert made.rows == 2
    batch = [{"k": 3, "u": Decimal(1)}, {"k": 4, "u": Decimal(2**40)}]
    model.delete_insert(["k", "u"], batch, ["k"], "append")
    assert ground.rows() == model.expected()
    assert ground.lake.tables("lakeport_staging") == []


def test_parameters_are_values_and_never_text(ground: Ground) -> None:
    ground.write(
        "SELECT :who AS name, :at AS at, id AS k FROM range(:n)",
        parameters={"who": "O'Hara; DROP TABLE x", "n": 1, "at": date(2026, 1, 1)},
    )
    assert ground.rows() == [("O'Hara; DROP TABLE x", date(2026, 1, 1), 0)]
