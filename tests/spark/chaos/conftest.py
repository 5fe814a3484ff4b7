"""A far lake for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark
from tests.engines.duck import Duck
from tests.spark.far import Far, open_far


@pytest.fixture
def far(catalog: IcebergCatalog, jvm: Spark, duck: Duck) -> Iterator[Far]:
    with open_far(catalog, jvm, duck) as opened:
        yield opened
