"""`lakeport maintain` as a person types it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_lake_commands import plain

EAGER = ("--set", "maintenance.keep_snapshots=1", "--set", "maintenance.keep_days=0")


@pytest.fixture
def shop(lakeport: Run) -> Run:
    """A project with `shop.orders`, eight commits of a row each, and `shop.items` with one."""
    assert lakeport("init").code == 0
    for k in range(8):
        Path("one.csv").write_text(f"k\n{k}\n")
        assert lakeport("load", "shop.orders", "one.csv").code == 0
    assert lakeport("load", "shop.items", "one.csv").code == 0
    return lakeport


def answer(run: Run, *arguments: str) -> Any:
    done = run("maintain", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_rehearsal_says_what_is_due_and_changes_nothing(shop: Run) -> None:
    before = shop("history", "shop.orders", "--json").out
    shown = shop("maintain", "--dry-run", *EAGER)
    assert (shown.code, shown.err) == (0, "")
    assert plain(shown.out) == plain(
        """\
table        task       due  why
shop.items   expire     no   none of 1 snapshot is to be forgotten
shop.items   compact    no   too few small files and deleted rows to be worth it
shop.items   manifests  no   1 manifest, not too many
shop.items   orphans    no   nothing old enough is left over
shop.orders  expire     yes  7 of 8 snapshots are old, and no tag or branch holds them
shop.orders  compact    yes  8 small files to be joined
shop.orders  manifests  no   8 manifests, not too many
shop.orders  orphans    no   nothing old enough is left over

2 tables, 2 tasks due, nothing was changed
"""
    )
    assert shop("history", "shop.orders", "--json").out == before


def test_what_is_due_is_done_and_said(shop: Run) -> None:
    shown = shop("maintain", "shop.o*", *EAGER)
    assert (shown.code, shown.err) == (0, "")
    expire, compact = shown.out.splitlines()[1:3]
    assert "  7 snapshots forgotten, 7 files removed (" in expire
    assert "  8 files became 1 (" in compact
    assert shown.out.splitlines()[-1] == "1 table, 2 tasks done"
    after = answer(shop, "shop.orders", "--dry-run", *EAGER)
    assert [task["due"] for task in after["tables"][0]["tasks"]] == [True, False, False, False]
    rows = json.loads(shop("read", "shop.orders", "--format", "json").out)
    assert sorted(row["k"] for row in rows) == list(range(8))


def test_json_has_reasons_numbers_and_what_was_done(shop: Run) -> None:
    told = answer(shop, "shop.orders", "--only", "compact,manifests", "--force")
    (table,) = told["tables"]
    assert [task["task"] for task in table["tasks"]] == ["compact", "manifests"]
    compact = table["tasks"][0]
    assert (compact["due"], compact["numbers"]["small_files"]) == (True, 8)
    assert (compact["done"]["rewritten"], compact["done"]["versions"]) == (8, [9])
    assert (table["before"]["data_files"], table["after"]["data_files"]) == (8, 1)
    assert (table["skipped"], table["problem"], told["dry_run"]) == (None, None, False)


def test_orphans_go_when_they_are_old_enough(shop: Run) -> None:
    folder = next(Path(".lakeport/warehouse").rglob("*.parquet")).parent
    stray = folder / "stray.parquet"
    stray.write_bytes(b"x")
    assert not answer(shop, "--dry-run", "--only", "orphans")["tables"][0]["tasks"][0]["due"]
    os.utime(stray, (0, 0))
    shown = shop("maintain", "--only", "orphans")
    assert "1 file removed (1 B)" in shown.out
    assert not stray.exists()
    stray.write_bytes(b"x")
    answer(shop, "--only", "orphans", "--older-than", "0")
    assert not stray.exists()


NONSENSE = {
    ("--only", "compct"): (2, "did you mean `compact`?"),
    ("--only", ","): (2, "no task of upkeep"),
    ("--older-than", "soon"): (2, "not a length of time"),
    ("shop.ordrs",): (1, "did you mean `shop.orders`?"),
    ("sales.*",): (1, "no table matches `sales.*`"),
}


def test_what_makes_no_sense_is_said(shop: Run) -> None:
    for arguments, (code, words) in NONSENSE.items():
        shown = shop("maintain", *arguments)
        assert (shown.code, shown.out) == (code, ""), arguments
        assert words in shown.err


def test_a_damaged_table_is_named_and_the_exit_code_says_so(shop: Run) -> None:
    for path in Path(".lakeport/warehouse").rglob("snap-*.avro"):
        if "items" in str(path):
            path.write_bytes(b"")
    shown = shop("maintain")
    assert shown.code == 1
    assert "failed: shop.items: manifest list" in shown.out
    assert shown.out.splitlines()[-1] == "2 tables, 1 task done, 1 failed"


def test_an_empty_lake_needs_nothing(lakeport: Run) -> None:
    assert lakeport("init").code == 0
    shown = lakeport("maintain")
    assert (shown.code, shown.out.startswith("there are no tables yet")) == (0, True)
