"""`full` and `overwrite_partitions`: one overwrite commit, of all rows or of the partitions at hand.

The text of both is the same; what it replaces is a setting of the session, so it travels along. Neither
touches a column: the projection has all of them.
"""

from __future__ import annotations

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.strategies.write import MEANING, Statement, Write

_MODE = "spark.sql.sources.partitionOverwriteMode"


def full(write: Write) -> tuple[Statement, ...]:
    return (_overwrite(write, "static"),)


def overwrite_partitions(write: Write) -> tuple[Statement, ...]:
    """The partitions that the staged rows fall into; the others stay."""
    if not write.partitioned_by:
        raise InvalidRequestError(
            "overwrite_partitions would replace every row of a table without partitions",
            hint='set partitioned_by, or say strategy = "full"',
        )
    return (_overwrite(write, "dynamic"),)


def _overwrite(write: Write, mode: str) -> Statement:
    text = f"INSERT OVERWRITE {write.target.sql} ({write.columns})\n{write.select}"
    return Statement(text, {**MEANING, _MODE: mode})
