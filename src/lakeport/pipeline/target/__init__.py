"""The table that is written: looked at, made, grown, and asked which runs it has rows of."""

from __future__ import annotations

from lakeport.catalog.history import RUN_ID
from lakeport.pipeline.target.head import Commit, Head
from lakeport.pipeline.target.run import Run, fingerprint_of
from lakeport.pipeline.target.tables import Tables

__all__ = ["RUN_ID", "Commit", "Head", "Run", "Tables", "fingerprint_of"]
