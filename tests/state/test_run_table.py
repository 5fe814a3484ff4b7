"""Runs and lineage in a SQLite store."""

from __future__ import annotations

from lakeport.state import Store
from tests.state import runs_check


def test_a_run_is_written_down_from_its_beginning_to_its_end(store: Store) -> None:
    runs_check.check_a_run_from_beginning_to_end(store)


def test_the_newest_of_every_model_is_found(store: Store) -> None:
    runs_check.check_what_is_newest(store)


def test_a_run_that_was_killed_is_taken_up_by_one(store: Store, url: str) -> None:
    runs_check.check_an_interrupted_run_is_taken_up_once(store, url)


def test_old_runs_are_forgotten_but_for_what_is_still_needed(store: Store) -> None:
    runs_check.check_old_runs_are_forgotten(store)


def test_lineage_of_an_environment_is_replaced_as_a_whole(store: Store) -> None:
    runs_check.check_lineage_is_replaced(store)
