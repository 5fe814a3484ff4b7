"""Spark reads and writes any Airport server: `lakeport.spark.register(spark)`, then format `airport`.

Runs inside Spark's Python workers too, so nothing of a server is imported here.
"""

from __future__ import annotations

from lakeport.spark.registration import register
from lakeport.spark.source import AirportDataSource

__all__ = ["AirportDataSource", "register"]
