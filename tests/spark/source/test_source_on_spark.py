"""The source inside Spark itself: its planner, its workers and its commits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lakeport.spark
from lakeport.access import EVERYONE
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark
from tests.airport.airport_server import People
from tests.rest.doors import profile_in
from tests.spark.source.served import served, stocked

TOKEN = "tok-5f0e1d9c"  # noqa: S105  of a server that ends with the test
DAY, WALL = date(2024, 1, 1), datetime(2024, 1, 1, 12)  # noqa: DTZ001  a wall clock
PAIR = pa.struct([("a", pa.int8()), ("b", pa.list_(pa.int8()))])
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4, 5, None], pa.int64()),
        "small": pa.array([1, 2, 3, 4, 255, None], pa.uint8()),
        "word": ["a", "b", "ab", "", "é%_", None],
        "real": [0.5, float("nan"), -0.0, float("inf"), -1e300, None],
        "price": pa.array([Decimal("1.25"), 0, -1, 10, 99999, None], pa.decimal128(9, 2)),
        "day": [date(1969, 1, 1), DAY, date(2024, 1, 2), DAY, date(9999, 1, 1), None],
        "wall": [WALL, datetime(1900, 1, 1), WALL, WALL, WALL, None],  # noqa: DTZ001
        "at": pa.array([0, -1, 1, 10**15, 5, None], pa.timestamp("us", "UTC")),
        "flag": [True, False, True, False, True, None],
        "pair": pa.array([{"a": 1, "b": [1]}] * 5 + [None], PAIR),
    }
)
CONDITIONS = (
    "id IN (1, 3, 7)",
    "small < 1000",
    "word LIKE 'a%' OR word = ''",
    "real = 'NaN'",
    "price > 0 AND NOT flag",
    "wall = TIMESTAMP_NTZ'2024-01-01 12:00:00'",
)
MORE_CONDITIONS = (
    "id > 2",
    "id <=> NULL",
    "NOT (id = 2)",
    "small = 255",
    "word LIKE '%b'",
    "word = '' OR id = 1",
    "word > 'a'",
    "real > 1",
    "real = 0",
    "real <= -0.0D",
    "price = 1.25",
    "day = DATE'2024-01-01'",
    "day >= DATE'2024-01-02'",
    "at < TIMESTAMP'1970-01-01 00:00:00.000001Z'",
    "flag",
    "NOT flag AND id IS NOT NULL",
    "pair.a = 1 AND id < 3",
    "word IS NULL",
)


@pytest.fixture(scope="module")
def session(jvm: Spark) -> Any:
    opened: Any = jvm.fresh()
    lakeport.spark.register(opened)
    return opened


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on an Iceberg lake, in which every batch is a file of its own."""
    folder = tmp_path_factory.mktemp("lake")
    with IcebergCatalog(profile_in(folder)) as lake:
        stocked(lake, pa.Table.from_batches(ROWS.to_batches(max_chunksize=2)), "things")
        with served([lake], People({TOKEN: EVERYONE})) as address:
            yield address


def reading(session: Any, address: str, table: str = "shop.things", **options: str) -> Any:
    given = {"location": address, "token": TOKEN, **options}
    return session.read.format("airport").options(**given).load(table)


def writing(frame: Any, address: str, mode: str = "append", **options: str) -> Any:
    given = {"location": address, "token": TOKEN, **options}
    return frame.write.format("airport").mode(mode).options(**given)


def keeps(session: Any, address: str, conditions: tuple[str, ...]) -> None:
    """What Spark itself would keep. Each is planned by several processes of Python."""
    frame = reading(session, address)
    here = session.createDataFrame(frame.collect(), frame.schema)
    assert here.count() == ROWS.num_rows
    for condition in conditions:
        pushed = reading(session, address, pushdown="true").where(condition)
        found = sorted(map(str, pushed.collect()))
        assert found == sorted(map(str, here.where(condition).collect())), condition


def test_filters_keep_what_spark_itself_would_keep(session: Any, address: str) -> None:
    frame = reading(session, address)
    assert frame.where("id > 4").count() == 1
    assert frame.count() == ROWS.num_rows  # nothing of a filter is kept for the next query
    keeps(session, address, CONDITIONS)


@pytest.mark.long
def test_more_filters_keep_what_spark_itself_would_keep(session: Any, address: str) -> None:
    keeps(session, address, MORE_CONDITIONS)


def test_a_condition_of_the_frame_is_that_of_every_query_over_it(
    session: Any, address: str
) -> None:
    frame = reading(session, address, where="id > 1 AND length(word) >= 0")
    whole = sorted(row.id for row in frame.collect())
    first, last = whole[0], whole[-1]
    assert 1 not in whole
    both = frame.where(f"id = {first}").union(frame.where(f"id = {last}"))
    assert sorted(row.id for row in both.select("id").collect()) == [first, last]
    assert frame.count() == len(whole)


def test_a_query_over_the_source_stops_reading_when_it_has_enough(
    session: Any, address: str
) -> None:
    assert len(reading(session, address).limit(1).collect()) == 1
    assert reading(session, address, columns="id").columns == ["id"]
    given = session.read.format("airport").options(location=address, token=TOKEN)
    words = given.schema("word string").load("shop.things")
    assert {row.word for row in words.collect()} == set(ROWS["word"].to_pylist())


def test_a_job_of_several_partitions_is_seen_whole_or_not_at_all(
    session: Any, address: str, tmp_path: Path
) -> None:
    numbers = session.range(0, 1_000, 1, 4).selectExpr("id", "cast(id as string) as word")
    writing(numbers, address, create="true", staging=str(tmp_path)).save("shop.many")

    def counts() -> tuple[int, int]:
        many = reading(session, address, "shop.many")
        (row,) = many.selectExpr("count(*)", "count(DISTINCT id, word)").collect()
        return row[0], row[1]

    assert counts() == (1_000, 1_000)

    broken = numbers.selectExpr("if(id = 999, raise_error('no more'), id) as id", "word")
    with pytest.raises(Exception, match="no more"):
        writing(broken, address, staging=str(tmp_path)).save("shop.many")
    assert counts() == (1_000, 1_000)
    writing(numbers.where("id < 10"), address, "overwrite", staging=str(tmp_path)).save("shop.many")
    assert counts() == (10, 10)
    assert list(tmp_path.iterdir()) == []


def test_errors_end_with_one_sentence_and_a_token_is_nowhere(session: Any, address: str) -> None:
    with pytest.raises(Exception, match="has no table `thing` ") as told:
        reading(session, address, "shop.thing")
    assert "(did you mean `things`?" in str(told.value)
    with pytest.raises(Exception, match="a valid token is needed"):
        reading(session, address, token="another")  # noqa: S106
    frame = reading(session, address).where("id > 1")
    frame.collect()
    writing(frame.limit(0), address, create="true").save("shop.none")
    plans = frame._jdf.queryExecution().toString()
    store = session._jsparkSession.sharedState().statusStore()
    ran = store.executionsList()
    texts = [ran.apply(each).physicalPlanDescription() for each in range(ran.size())]
    assert any("BatchScan airport" in each for each in texts)
    assert TOKEN not in plans + "".join(texts) + str(told.value)
