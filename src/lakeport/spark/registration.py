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
    # A write looks the source up in the session that is active, which need not be the frame's own.
    active = type(spark).getActiveSession()
    for session in (spark,) if active is None else (spark, active):
        session.dataSource.register(AirportDataSource)
    spark.conf.set(_PUSHDOWN, "true")
