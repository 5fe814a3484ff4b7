"""Tables with keys are written by a branch, in four commits: each of them may go wrong in every way."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport import Definition, LakeportError, PrimaryKey
from tests.spark.chaos.test_lost_answers import AFTER, FIRST, SECOND
from tests.spark.chaos.troubles import Trouble, commits
from tests.spark.far import Far
from tests.spark.network import passed

KEYED = Definition(pa.schema({"k": pa.int32(), "v": pa.int32()}), (PrimaryKey(("k",), "pk"),))


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(Trouble.LOST, id="LOST"),
        pytest.param(Trouble.HIDDEN, id="HIDDEN", marks=pytest.mark.long),
        pytest.param(Trouble.REFUSED, id="REFUSED", marks=pytest.mark.long),
        pytest.param(Trouble.CUT, id="CUT", marks=pytest.mark.long),
        pytest.param(Trouble.CONFLICT, id="CONFLICT", marks=pytest.mark.long),
    ],
)
def test_trouble_at_any_of_the_commits_of_a_branch_leaves_no_half(
    far: Far, trouble: Trouble
) -> None:
    """Branch made, rows written, main moved, branch dropped: four commits, and each may go wrong."""
    for number in range(1, 5):
        table = f"t{number}"
        far.lake.create_table(f"shop.{table}", KEYED)
        far.network.judge = passed
        far.write(FIRST, into=table, run_id="first")

        def at(seen: int, wanted: int = number) -> Trouble:
            return trouble if seen == wanted else Trouble.NONE

        far.network.judge = commits(table, at)
        try:
            far.write(SECOND, into=table, unique_key="k", run_id="second")
        except LakeportError:
            assert far.rows(table) == [(1, 10), (2, 20)]
            far.network.judge = passed
            assert not far.write(SECOND, into=table, unique_key="k", run_id="second").repeated
        far.network.judge = passed
        assert far.write(SECOND, into=table, unique_key="k", run_id="second").repeated
        assert far.rows(table) == AFTER["delete_insert"]
        assert far.runs(table) == ["first", "second"]
        assert far.refs(table) == ["main"]
