"""A lake in a SQLite file, and how another program looks at its database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return Profile("lake", "embedded", f"sqlite:///{tmp_path}/catalog.db", f"file://{tmp_path}/w")


@pytest.fixture
def lake(profile: Profile) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(profile) as opened:
        opened.create_namespace(NamespaceInfo("shop"))
        yield opened


@pytest.fixture
def database(lake: IcebergCatalog, profile: Profile) -> Iterator[sqlite3.Connection]:
    assert lake.name == profile.name
    assert profile.database_file is not None
    with closing(sqlite3.connect(profile.database_file, isolation_level=None)) as connection:
        yield connection
