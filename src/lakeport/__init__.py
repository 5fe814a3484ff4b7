"""Lakeport: an airport for a lakehouse.

Only the public names live here. Importing this module loads no heavy library (pyarrow, duckdb,
pyiceberg, sqlglot, pyspark); a test holds it to that.
"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__"]
