"""What the source writes: everything of a job or nothing, each row once, in the table's columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.types import (
    DecimalType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from lakeport.catalog.memory import MemoryCatalog
from lakeport.core.errors import (
    ConstraintViolationError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)
from tests.airport.airport_server import shop
from tests.spark.source.served import Source, batch_of, served

NEW = StructType([StructField("NAME", StringType()), StructField("id", IntegerType())])


@pytest.fixture
def source() -> Iterator[Source]:
    with served([shop()]) as address:
        yield Source(address)


def ids(source: Source) -> list[int]:
    return sorted(row["id"] for row in source.rows())


def test_columns_are_matched_by_name_and_those_left_out_get_their_default(source: Source) -> None:
    source.write(NEW, [("x", 7)], [], [(None, 8)])
    source.write(StructType([StructField("id", LongType())]), [(9,)])
    assert source.rows()[3:] == [
        {"id": 7, "name": "x", "v": None},
        {"id": 8, "name": None, "v": None},
        {"id": 9, "name": "zz", "v": None},
    ]


def test_an_attempt_that_is_not_committed_counts_for_nothing(
    source: Source, tmp_path: Path
) -> None:
    writer = source.writer(NEW, staging=str(tmp_path))
    batch = batch_of(NEW, [("x", 7)])
    first = writer.write(iter([batch]))
    again = writer.write(iter([batch]))  # the task was run once more
    assert first != again
    writer.commit([again, None])
    assert ids(source) == [1, 2, 3, 7]
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_fails_leaves_nothing(source: Source, tmp_path: Path) -> None:
    writer = source.writer(NEW, staging=str(tmp_path))
    writer.write(iter([batch_of(NEW, [("x", 7)])]))
    large = pa.record_batch({"NAME": ["x"], "id": pa.array([2**64 - 1], pa.uint64())})
    with pytest.raises(InvalidRequestError, match="`id` is int64, which cannot hold"):
        writer.write(iter([large]))
    writer.abort([None, None])
    assert ids(source) == [1, 2, 3]
    assert list(tmp_path.iterdir()) == []


def test_what_the_server_refuses_is_told_as_it_says_it(source: Source, tmp_path: Path) -> None:
    with pytest.raises(ConstraintViolationError, match="positive") as told:
        source.write(NEW, [("x", 7)], [("y", -1)], staging=str(tmp_path))
    assert "\n" not in str(told.value)
    with pytest.raises(ConstraintViolationError, match="NOT NULL"):
        source.write(NEW, [("x", None)])
    assert ids(source) == [1, 2, 3]
    assert list(tmp_path.iterdir()) == []


def test_an_overwrite_takes_the_place_of_all_rows_in_one_statement(source: Source) -> None:
    with pytest.raises(ConstraintViolationError):
        source.write(NEW, [("y", -1)], overwrite=True)
    assert ids(source) == [1, 2, 3]
    source.write(NEW, [("x", 7)], [("y", 8)], overwrite=True)
    assert ids(source) == [7, 8]
    source.write(NEW, overwrite=True)
    assert ids(source) == []


def test_rows_may_be_deleted_first_where_a_server_knows_no_overwrite(source: Source) -> None:
    source.write(NEW, [("x", 7)], overwrite=True, OVERWRITE="delete")
    assert ids(source) == [7]


def test_a_missing_table_is_made_only_if_asked_for_and_goes_if_its_rows_cannot_come() -> None:
    catalog = MemoryCatalog("lake")
    with served([catalog]) as address:
        source = Source(address, "new.orders")
        with pytest.raises(NotFoundError, match=r'`new` \(to make it .*"create", "true"'):
            source.write(NEW, [("x", 7)])
        writer = source.writer(NEW, create="true")
        assert not catalog.namespaces()  # nothing is made before the rows are there
        writer.commit([writer.write(iter([batch_of(NEW, [("x", 7)])]))])
        assert source.rows() == [{"NAME": "x", "id": 7}]
        assert source.opened().schema().simpleString() == "struct<NAME:string,id:int>"

        odd = Source(address, "new.second")
        lost = odd.writer(NEW, create="true")
        staged = lost.write(iter([batch_of(NEW, [("x", 7)])]))
        Path(staged.file).write_bytes(b"no rows")  # type: ignore[attr-defined]
        with pytest.raises((LakeportError, pa.ArrowException)):
            lost.commit([staged])
        assert catalog.namespace("new").tables() == ["orders"]


def test_a_frame_that_does_not_fit_is_refused_before_spark_computes_it(source: Source) -> None:
    def refused(*fields: StructField) -> str:
        with pytest.raises(LakeportError) as told:
            source.writer(StructType(list(fields)))
        return str(told.value)

    key = StructField("id", LongType())
    assert "no column `nam`" in refused(key, StructField("nam", StringType()))
    assert "did you mean `name`?" in refused(key, StructField("nam", StringType()))
    assert "two columns `id`" in refused(key, StructField("ID", LongType()))
    assert "column `v` is double" in refused(key, StructField("v", StringType()))
    assert "`id` of table `shop.orders` is NOT NULL" in refused(StructField("v", DecimalType()))


def test_rows_that_the_driver_cannot_reach_are_told_before_anything_is_sent(
    source: Source, tmp_path: Path
) -> None:
    writer = source.writer(NEW, staging=str(tmp_path))
    staged = writer.write(iter([batch_of(NEW, [("x", 7)])]))
    Path(staged.file).unlink()  # type: ignore[attr-defined]  # as on another machine
    with pytest.raises(PreconditionError, match=r'share: .option\("staging"'):
        writer.commit([staged])
    assert ids(source) == [1, 2, 3]


def test_a_statement_for_each_task_is_seen_at_once_and_replaces_nothing(source: Source) -> None:
    writer = source.writer(NEW, commit="partition")
    writer.write(iter([batch_of(NEW, [("x", 7)])]))
    assert ids(source) == [1, 2, 3, 7]
    with pytest.raises(UnsupportedError, match="an overwrite is one statement"):
        source.writer(NEW, overwrite=True, commit="partition")
