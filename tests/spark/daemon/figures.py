"""Figures of rows that are asked for while they are staged, and by a question afterwards."""

from __future__ import annotations

from typing import Any

from lakeport.pipeline.session import Session, checkpointed

FIGURES = (
    "count(*)",
    "count_if(k IS NULL OR t IS NULL)",
    *("min(k)", "max(k)", "min(d)", "max(d)", "min(t)", "max(t)"),
    *("unix_date(min(on))", "unix_micros(max(at))", "CAST(max(local) AS STRING)"),
)
ROWS = """
SELECT IF(id = 3, NULL, id) AS k, CAST(id AS DECIMAL(38, 2)) / 3 AS d, concat('ä', id) AS t,
       DATE '0001-01-01' + CAST(id AS INT) AS on, TIMESTAMP '1969-12-31 23:59:59.5' AS at,
       TIMESTAMP_NTZ '2024-03-31 02:30:00' AS local
FROM range({rows}) WHERE id % 7 < 6
"""


def both(session: Session, rows: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """In passing, and by a question to the rows that were kept."""
    # A server that does much else may not tell them: whoever asked for them asks the rows then.
    attempts = (checkpointed(session.sql(ROWS.format(rows=rows)), FIGURES) for _ in range(10))
    kept = next(each for each in attempts if each.figures is not None)
    kept.frame.createOrReplaceTempView("figures")
    (asked,) = session.sql(f"SELECT {', '.join(FIGURES)} FROM figures").collect()
    session.sql("DROP VIEW figures")
    return kept.figures or (), tuple(asked)
