"""A fresh catalog per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.catalog.iceberg.write.fresh import Fresh, fresh_catalog


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Fresh]:
    with fresh_catalog(tmp_path) as found:
        yield found
