"""The name Spark gives to an unaliased expression: its own pretty-printed form."""

from __future__ import annotations

from lakeport.lineage.spark_names.printer import spark_name
from lakeport.lineage.spark_names.surroundings import Surroundings

__all__ = ["Surroundings", "spark_name"]
