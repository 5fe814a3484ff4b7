"""`append`: the staged rows as they are, beside those that the table has."""

from __future__ import annotations

from lakeport.pipeline.strategies.write import Statement, Write


def append(write: Write) -> tuple[Statement, ...]:
    return (Statement(f"INSERT INTO {write.target.sql} ({write.columns})\n{write.select}"),)
