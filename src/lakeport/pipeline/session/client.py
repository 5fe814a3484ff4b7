"""PySpark's client for Spark Connect, loaded before anybody needs it: by a process that stands by for commands."""

from __future__ import annotations

from importlib import import_module

# By name: its types would cost mypy more than all of ours.
for _name in (
    "pyspark.logger",
    "pyspark.sql.connect.client.core",
    "pyspark.sql.connect.client.retries",
    "pyspark.sql.connect.functions.builtin",
    "pyspark.sql.connect.proto",
    "pyspark.sql.connect.session",
):
    import_module(_name)
