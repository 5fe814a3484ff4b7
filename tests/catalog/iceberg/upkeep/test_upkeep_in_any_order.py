"""Upkeep in any order, between any changes, loses no row of a snapshot or ref that is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from tests.catalog.iceberg.upkeep.lives import Life
from tests.lakes.conformance import assert_conforms
from tests.seeds import few_of


def live(folder: Path, seed: int, steps: int) -> None:
    warehouse = folder / "warehouse"
    warehouse.mkdir()
    profile = Profile("lake", "sql", f"sqlite:///{folder / 'catalog.db'}", warehouse.as_uri())
    with IcebergCatalog(profile) as catalog:
        Life(catalog, seed).live(steps)
        assert_conforms(catalog.pyiceberg.load_table(("s", "t")).metadata_location)


@pytest.mark.parametrize("seed", few_of(range(8), 4))
def test_no_row_of_what_is_left_is_lost(tmp_path: Path, seed: int) -> None:
    live(tmp_path, seed, steps=14)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 115))
def test_no_row_of_what_is_left_is_lost_in_long_lives(tmp_path: Path, seed: int) -> None:
    live(tmp_path, seed, steps=40)
