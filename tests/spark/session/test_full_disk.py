"""A disk that is full while Spark writes to it: a sentence, a table as it was, and room is all it takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.catalog.iceberg.faults.boxes import cannot_mount, run_on_small_disk


@pytest.mark.long
@pytest.mark.usefixtures("machine")
@pytest.mark.skipif(cannot_mount() is not None, reason=str(cannot_mount()))
def test_a_full_disk_is_told_and_the_table_is_as_it_was(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    told = json.loads(run_on_small_disk(small, "64m", "tests.spark.session.full_disk", str(small)))
    code, sentence = told["error"]
    assert code == "unavailable"
    assert sentence.startswith("table `shop.t` was not written: ")
    assert "No space left on device" in sentence
    assert f"all of what Spark said is in {small}/.lakeport/spark.log" in sentence
    assert "\n" not in sentence
    version, rows = told["rows"]
    assert version == 3  # the new column has one, and the rows that did not fit have none
    assert rows == [{"k": 1, "v": "a", "new": None}, {"k": 2, "v": "b", "new": None}]
