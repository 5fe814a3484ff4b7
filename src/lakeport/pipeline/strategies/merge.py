"""`merge`: a row with a known key is updated, another one inserted, in one MERGE.

An update sets the columns that the model has values for; one that left the model keeps what it held in
rows that were there before, and is NULL in new ones. Staged keys must be unique (`measure`), since two
updates of one row have no order.
"""

from __future__ import annotations

from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.strategies.keys import key_columns, matches
from lakeport.pipeline.strategies.write import SOURCE, TARGET, Statement, Write


def merge(write: Write) -> tuple[Statement, ...]:
    keys = key_columns(write)
    condition = matches(write, tuple(_given(key.name) for key in keys))
    updates = ", ".join(
        f"{identifier(column.name)} = {_given(column.name)}"
        for column in write.projection
        if column.source is not None and column not in keys
    )
    lines = (
        f"MERGE INTO {write.target.sql} AS {TARGET}",
        "USING (",
        f"  SELECT {write.values}",
        f"  FROM {write.staged.sql}",
        f") AS {SOURCE}",
        f"ON {condition}",
        *((f"WHEN MATCHED THEN UPDATE SET {updates}",) if updates else ()),
        f"WHEN NOT MATCHED THEN INSERT ({write.columns})",
        f"  VALUES ({', '.join(_given(column.name) for column in write.projection)})",
    )
    return (Statement("\n".join(lines)),)


def _given(name: str) -> str:
    return f"{SOURCE}.{identifier(name)}"
