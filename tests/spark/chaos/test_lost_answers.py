"""Commits that are made while Spark hears that they were not, or nothing, or hears of it too late."""

from __future__ import annotations

import pytest

from lakeport import ConflictError, LakeportError
from lakeport.catalog.engines import OutcomeUnknownError
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark
from tests.engines.duck import Duck
from tests.spark.chaos.troubles import DONE, Trouble, commits
from tests.spark.far import Far, open_far
from tests.spark.network import Asked, Reply, Send, error, passed
from tests.spark.test_strategies_on_spark import values

FIRST = values("k, v", "(1, 10)", "(2, 20)")
SECOND = values("k, v", "(2, 21)", "(3, 30)")
AFTER = {
    "append": [(1, 10), (2, 20), (2, 21), (3, 30)],
    "delete_insert": [(1, 10), (2, 21), (3, 30)],
    "full": [(2, 21), (3, 30)],
}


@pytest.mark.parametrize("trouble", DONE, ids=lambda trouble: trouble.name)
def test_a_commit_whose_answer_is_lost_is_made_once(far: Far, trouble: Trouble) -> None:
    for number, (strategy, after) in enumerate(AFTER.items()):
        table = f"t{number}"
        far.network.judge = passed
        far.write(FIRST, into=table, run_id="first")
        far.network.judge = commits(table, lambda seen: trouble if seen == 1 else Trouble.NONE)
        keys = {"unique_key": "k"} if strategy == "delete_insert" else {}
        made = far.write(SECOND, into=table, run_id="second", strategy=strategy, **keys)
        assert not made.repeated
        assert far.write(SECOND, into=table, run_id="second", strategy=strategy, **keys).repeated
        assert far.rows(table) == after
        assert far.runs(table) == ["first", "second"]


@pytest.mark.parametrize("trouble", [Trouble.REFUSED, Trouble.CUT], ids=lambda each: each.name)
def test_a_commit_that_never_arrived_is_told_as_unknown_and_made_by_the_next_try(
    far: Far, trouble: Trouble
) -> None:
    far.write(FIRST, run_id="first")
    far.network.judge = commits("t", lambda _: trouble)
    with pytest.raises(OutcomeUnknownError, match=r"`shop\.t`") as caught:
        far.write(SECOND, run_id="second")
    assert "run_id='second'" in str(caught.value)
    assert far.rows() == [(1, 10), (2, 20)]
    far.network.judge = passed
    assert not far.write(SECOND, run_id="second").repeated
    assert far.rows() == AFTER["append"]
    assert far.runs() == ["first", "second"]


def test_a_storm_of_conflicts_is_outlasted(far: Far) -> None:
    far.write(FIRST, run_id="first")
    # Iceberg tries five times by itself: the sixth is our second attempt.
    far.network.judge = commits("t", lambda n: Trouble.CONFLICT if n < 7 else Trouble.NONE)
    made = far.write(SECOND, unique_key="k", run_id="second")
    assert made.attempts == 2
    assert far.rows() == AFTER["delete_insert"]
    assert far.runs() == ["first", "second"]


@pytest.mark.long
def test_a_storm_that_does_not_end_is_told_and_leaves_nothing(far: Far) -> None:
    far.write(FIRST, run_id="first")
    far.network.judge = commits("t", lambda _: Trouble.CONFLICT)
    with pytest.raises(ConflictError, match="during each of 5 attempts"):
        far.write(SECOND, unique_key="k", run_id="second")
    far.network.judge = passed
    assert far.rows() == [(1, 10), (2, 20)]
    assert far.refs() == ["main"]
    far.write(SECOND, unique_key="k", run_id="second")
    assert far.runs() == ["first", "second"]


def test_an_answer_that_comes_too_late_is_as_good_as_lost(
    catalog: IcebergCatalog, jvm: Spark, duck: Duck
) -> None:
    settings = {"rest.client.socket-timeout-ms": "5000"}
    with open_far(catalog, jvm, duck, settings) as far:
        far.write(FIRST, run_id="first")

        def hold(asked: Asked, send: Send) -> Reply | None:
            if asked.commits_to != "t":
                return send()
            answer = send()
            asked.await_leaving()
            return answer

        far.network.judge = hold
        made = far.write(SECOND, run_id="second")
        assert made.rows == 2
        far.network.judge = passed
        assert far.rows() == AFTER["append"]
        assert far.runs() == ["first", "second"]


def test_a_slow_commit_that_others_overtake_is_made_on_what_they_made(far: Far) -> None:
    far.write(FIRST, run_id="first")
    table = far.lake.table("shop.t")
    slow = [lambda: table.update({"v": "v + 1"}, where="k = 2"), lambda: table.append([{"k": 9}])]

    def meanwhile(asked: Asked, send: Send) -> Reply:
        if asked.commits_to == "t" and slow:
            slow.pop(0)()
        return send()

    far.network.judge = meanwhile
    made = far.write(SECOND, unique_key="k", run_id="second")
    assert made.attempts == 2  # the update met its rows; the append met nobody's
    assert far.rows() == [(1, 10), (2, 21), (3, 30), (9, None)]
    assert far.runs() == ["first", "second"]


def test_a_catalog_that_cannot_be_read_from_is_told(
    catalog: IcebergCatalog, jvm: Spark, duck: Duck
) -> None:
    # Or the client would ask for half a minute.
    with open_far(catalog, jvm, duck, {"rest.client.max-retries": "1"}) as far:
        far.write(FIRST, run_id="first")

        def busy(asked: Asked, send: Send) -> Reply:
            is_asked = "/tables/t" in asked.path
            return error(503, "ServiceUnavailableException") if is_asked else send()

        far.network.judge = busy
        with pytest.raises(LakeportError) as caught:
            far.write(SECOND, run_id="second")
        assert "said by the network" in caught.value.message
        assert "\n" not in str(caught.value)
        far.network.judge = passed
        far.write(SECOND, run_id="second")
        assert far.runs() == ["first", "second"]
