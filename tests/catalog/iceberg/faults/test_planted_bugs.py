"""Four bugs planted into the Iceberg writer itself: the checker of random programs must name each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.behaviours.history import ImpossibleHistoryError
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import Lake
from tests.behaviours.programs import create
from tests.behaviours.runners import check, run_interleaved
from tests.catalog.iceberg.faults.planted import BUGS

PROGRAMS = 20


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    implementation, clock = IMPLEMENTATIONS["iceberg"], Clock()
    lake = Lake(implementation, implementation.make(clock, tmp_path), clock)
    yield lake
    implementation.close(lake.catalog)


@pytest.mark.parametrize("report", sorted(BUGS))
def test_a_bug_in_the_writer_is_reported_by_its_name(
    lake: Lake, report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    BUGS[report](monkeypatch)
    reports = []
    for seed in range(PROGRAMS):
        subject = create(lake, seed)
        try:
            check(subject, run_interleaved(subject, seed, lake.implementation.upkeep))
        except ImpossibleHistoryError as found:
            reports.append(str(found))
            if report in str(found):
                return
    pytest.fail(f"nobody noticed: {reports}")
