"""The data source made known to a session."""

from __future__ import annotations

from typing import Any

from lakeport.spark.source import AirportDataSource

_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(spark: Any) -> None:
    """`spark` is a session of PySpark's, classic or Connect; each session is told once.

    Spark refuses a Python source that can take filters while its setting for that is off, which is how
    it comes: it is switched on for this session.
    """
    spark.dataSource.register(AirportDataSource)
    spark.conf.set(_PUSHDOWN, "true")
