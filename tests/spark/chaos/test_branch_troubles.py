"""Tables with keys are written by a branch, in four commits: each of them may go wrong in every way."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from lakeport import Definition, LakeportError, PrimaryKey
from tests.spark.chaos.test_lost_answers import AFTER, FIRST, SECOND
from tests.spark.chaos.troubles import Trouble, commits
from tests.spark.far import Far
from tests.spark.network import passed

KEYED = Definition(pa.schema({"k": pa.int32(), "v": pa.int32()}), (PrimaryKey(("k",), "pk"),))


PUBLISHED = 3
"""Branch made, rows written, main moved, branch dropped: the number of the commit that counts."""


@pytest.mark.parametrize(
    ("trouble", "numbers"),
    [
        pytest.param(Trouble.LOST, [PUBLISHED], id="LOST"),
        *(
            pytest.param(each, range(1, 5), id=f"{each.name}-anywhere", marks=pytest.mark.long)
            for each in Trouble
            if each not in {Trouble.NONE, Trouble.BROKEN}
        ),
    ],
)
def test_trouble_at_any_of_the_commits_of_a_branch_leaves_no_half(
    far: Far, trouble: Trouble, numbers: Sequence[int]
) -> None:
    for number in numbers:
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


def test_trouble_at_the_first_snapshot_of_a_table_is_no_trouble(far: Far) -> None:
    """A branch needs one to start from, and it has no rows: so it is simply tried again."""
    for number, trouble in enumerate((Trouble.LOST, Trouble.CUT, Trouble.REFUSED)):
        table = f"t{number}"
        far.lake.create_table(f"shop.{table}", KEYED)

        def at(seen: int, trouble: Trouble = trouble) -> Trouble:
            return trouble if seen == 1 else Trouble.NONE

        far.network.judge = commits(table, at)
        far.write(FIRST, into=table, run_id="first")
        assert far.rows(table) == [(1, 10), (2, 20)]
        assert far.runs(table) == ["first"]
        assert far.refs(table) == ["main"]
