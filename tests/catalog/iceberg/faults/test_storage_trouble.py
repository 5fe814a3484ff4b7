"""No room, no right, no folder to write to: each statement is refused as a whole and leaves no file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.iceberg.faults.boxes import cannot_mount, run, run_on_small_disk
from tests.catalog.iceberg.faults.leftovers import path_of
from tests.catalog.iceberg.faults.small_disk import InTheWay, open_lake
from tests.catalog.iceberg.faults.statements import (
    STATEMENTS,
    State,
    assert_nothing_is_left,
    make_table,
    refusal_of,
)

MODULE = "tests.catalog.iceberg.faults.small_disk"

needs_mounts = pytest.mark.skipif(cannot_mount() is not None, reason=f"mount: {cannot_mount()}")


def refusals(output: str, folder: Path) -> list[str]:
    """The statements that were refused, each with an error that a person can act on."""
    found = []
    for said in map(json.loads, output.splitlines()):
        if said["error"] is not None:
            assert_presentable(said["error"], folder)
            found.append(said["statement"])
    return found


def assert_presentable(error: dict[str, Any], folder: Path, *codes: str) -> None:
    assert error["code"] in {"unavailable", *codes}, error
    assert error["hint"], error
    for inside in ("Traceback", "0x", "pyarrow", "site-packages", "\n"):
        assert inside not in error["shown"]
    # The catalog is named by its address; files by their last names.
    told = error["shown"].replace(f"sqlite:///{folder / 'catalog.db'}", "")
    assert str(folder) not in told.replace(f"{folder}/warehouse)", ""), error


@needs_mounts
@pytest.mark.parametrize("scene", ["full-disk", "full-everywhere"])
def test_a_full_disk_refuses_statements_and_loses_nothing(tmp_path: Path, scene: str) -> None:
    small = tmp_path / "warehouse" if scene == "full-disk" else tmp_path
    small.mkdir(exist_ok=True)
    mounted = run_on_small_disk(small, "16m", MODULE, str(tmp_path), scene)
    assert set(refusals(mounted, tmp_path)) == set(STATEMENTS)


def test_files_that_may_not_grow_refuse_statements_and_lose_nothing(tmp_path: Path) -> None:
    output = run([sys.executable, "-m", MODULE, str(tmp_path), "short-files"])
    assert set(refusals(output, tmp_path)) == set(STATEMENTS)


@needs_mounts
def test_a_read_only_warehouse_refuses_every_statement(tmp_path: Path) -> None:
    small = tmp_path / "warehouse"
    small.mkdir()
    output = run_on_small_disk(small, "16m", MODULE, str(tmp_path), "read-only")
    assert refusals(output, tmp_path) == list(STATEMENTS)


@pytest.mark.parametrize("part", ["data", "metadata"])
def test_a_file_in_the_place_of_a_folder_refuses_statements(tmp_path: Path, part: str) -> None:
    with open_lake(tmp_path) as catalog:
        table = make_table(catalog, "orders")
        place = path_of(catalog.pyiceberg.load_table(("shop", "orders")).location())
        before = State.of(table)
        for statement in STATEMENTS.values():
            with InTheWay(place / part):
                error = refusal_of(table, statement)
            if part == "metadata" or error is not None:
                assert error is not None
                # Those that read before they write find their files gone.
                shown = {**error.as_dict(), "shown": str(error)}
                assert_presentable(shown, tmp_path, "corrupt_data")
                assert State.of(table) == before
            before = State.of(table)
            assert_nothing_is_left(catalog, table)
