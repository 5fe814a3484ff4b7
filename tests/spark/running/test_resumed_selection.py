"""A run of what has changed that goes on: what it has built no longer counts as changed, and is still told."""

from __future__ import annotations

from tests.spark.running.folder import Folder, statuses


def test_what_a_run_of_changes_did_before_is_counted(folder: Folder) -> None:
    folder.model("one.good", "SELECT 1 AS id")
    folder.model("one.seen", "SELECT id FROM one.good", materialized="view")
    folder.model("two.bad", "SELECT id, assert_true(false) AS no FROM one.good")
    assert statuses(folder.run("state:modified"))["two.bad"] == "failed"
    folder.model("two.bad", "SELECT id FROM one.good")
    again = folder.run(retry=True)
    assert statuses(again) == {"two.bad": "succeeded"}
    started, done = again.notes
    assert started.startswith("goes on with run ")
    assert done == "2 models were done before: one.good, one.seen"


def test_a_run_of_everything_lists_what_it_did_before(folder: Folder) -> None:
    folder.model("one.good", "SELECT 1 AS id")
    folder.model("two.bad", "SELECT id, assert_true(false) AS no FROM one.good")
    folder.run()
    folder.model("two.bad", "SELECT id FROM one.good")
    again = folder.run(retry=True)
    assert statuses(again) == {"one.good": "recovered", "two.bad": "succeeded"}
    assert len(again.notes) == 1
