"""A plan never leaves out a file with a matching row, whatever became of the table before.

Tables are generated with pasts: evolved schemas, several partition specs with every transform, files
without metrics, deletes. Each predicate is evaluated on the rows of every file; those with a match
must be planned.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.iceberg.planning.planned import (
    all_rows,
    kept_paths,
    matching_paths,
    planned_paths,
    source_of,
)
from tests.lakes.generated import Profile, random_lake_table
from tests.lakes.lake import Lake
from tests.random_predicates import random_predicate
from tests.strategies import seeded

PREDICATES = 60


@pytest.mark.parametrize("seed", range(12))
def test_no_file_with_a_matching_row_is_left_out(tmp_path: Path, seed: int) -> None:
    rng = seeded(seed)
    table = random_lake_table(rng, Lake(tmp_path), "s.t", Profile(steps=5))
    source = source_of(table)
    rows = all_rows(table, source)
    for _ in range(PREDICATES):
        predicate = random_predicate(rng, rows)
        lost = matching_paths(table, source, predicate) - kept_paths(source, predicate)
        assert not lost, f"{predicate} loses {lost}"


def test_most_of_what_cannot_match_is_left_out(tmp_path: Path) -> None:
    """Guards against a planner that is right because it never rules anything out."""
    rng = seeded(99)
    useless = ruled_out = 0
    for index in range(4):
        table = random_lake_table(rng, Lake(tmp_path / str(index)), "s.t", Profile(steps=5))
        source = source_of(table)
        rows, everything = all_rows(table, source), planned_paths(source)
        for _ in range(PREDICATES):
            predicate = random_predicate(rng, rows)
            pointless = everything - matching_paths(table, source, predicate)
            useless += len(pointless)
            ruled_out += len(pointless - kept_paths(source, predicate))
    assert ruled_out > useless / 2
