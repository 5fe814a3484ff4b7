from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.catalog.iceberg.commit.members import embedded


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(embedded(tmp_path)) as opened:
        yield opened
