"""Schemas that only grow: what a query's columns do to a table's, planned before anything is touched.

Pure: no Spark, no catalog's library. Columns and types in, a `Plan` out, which renderers write as SQL
and a catalog applies as `Growth`.
"""

from __future__ import annotations

from lakeport.pipeline.growth.changes import arrow_schema, changes
from lakeport.pipeline.growth.columns import Difference, diff, final_columns, projection
from lakeport.pipeline.growth.evolver import GrowingTables, evolve_schema, log_unmapped
from lakeport.pipeline.growth.iceberg_words import schema_from_iceberg
from lakeport.pipeline.growth.model import Field, Schema, Type
from lakeport.pipeline.growth.plan import Plan
from lakeport.pipeline.growth.planner import plan_growth
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.growth.spark_select import select_list
from lakeport.pipeline.growth.spark_words import schema_from_json, type_from_text

__all__ = [
    "Difference",
    "Field",
    "GrowingTables",
    "Plan",
    "Policy",
    "Schema",
    "Type",
    "arrow_schema",
    "changes",
    "diff",
    "evolve_schema",
    "final_columns",
    "log_unmapped",
    "plan_growth",
    "projection",
    "schema_from_iceberg",
    "schema_from_json",
    "select_list",
    "type_from_text",
]
