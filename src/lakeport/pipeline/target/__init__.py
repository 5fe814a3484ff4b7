"""The table that is written: looked at, made, grown, and asked which runs it has rows of."""

from __future__ import annotations

from lakeport.catalog.history import RUN_ID
from lakeport.pipeline.target.branches import (
    Branched,
    MovedError,
    begin_branch,
    can_publish,
    drop_branches,
    publish,
    require_together,
)
from lakeport.pipeline.target.head import Commit, Head
from lakeport.pipeline.target.run import Run, fingerprint_of
from lakeport.pipeline.target.tables import Tables

__all__ = [
    "RUN_ID",
    "Branched",
    "Commit",
    "Head",
    "MovedError",
    "Run",
    "Tables",
    "begin_branch",
    "can_publish",
    "drop_branches",
    "fingerprint_of",
    "publish",
    "require_together",
]
