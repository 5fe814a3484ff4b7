"""`delete_insert`: rows with a staged key go, all staged rows come, in one MERGE and so one snapshot.

The source is two things in one: the distinct keys, which match and delete, and the staged rows, which
carry no key in the private columns, match nothing and are inserted. So a target row meets one source
row at most, duplicates within a batch are kept, and running it again changes nothing (but for rows
whose key holds a NULL, which `append` adds each time).
"""

from __future__ import annotations

from lakeport.core.names import OWN_PREFIX
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.spark_select import expression, null
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.strategies.keys import key_columns, matches
from lakeport.pipeline.strategies.write import SOURCE, TARGET, Statement, Write

_DELETES = f"{OWN_PREFIX}_deletes"
"""Tells the two kinds of rows apart where a key may be NULL."""


def delete_insert(write: Write) -> tuple[Statement, ...]:
    keys = key_columns(write)
    names = tuple(f"{OWN_PREFIX}_key_{number}" for number in range(1, len(keys) + 1))
    marked = write.null_keys == "match"
    condition = matches(write, tuple(f"{SOURCE}.{name}" for name in names))
    # A private key is NULL in rows to insert only, unless NULL is a key like any other.
    inserts = f"NOT {SOURCE}.{_DELETES}" if marked else f"{SOURCE}.{names[0]} IS NULL"
    values = ", ".join(f"{SOURCE}.{identifier(column.name)}" for column in write.projection)
    lines = (
        f"MERGE INTO {write.target.sql} AS {TARGET}",
        "USING (",
        *_delete_rows(write, keys, names, marked=marked),
        "  UNION ALL",
        *_insert_rows(write, keys, names, marked=marked),
        f") AS {SOURCE}",
        f"ON {SOURCE}.{_DELETES}\n  AND {condition}" if marked else f"ON {condition}",
        "WHEN MATCHED THEN DELETE",
        f"WHEN NOT MATCHED AND {inserts} THEN",
        f"  INSERT ({write.columns})",
        f"  VALUES ({values})",
    )
    return (Statement("\n".join(lines)),)


def _delete_rows(
    write: Write, keys: tuple[Projected, ...], names: tuple[str, ...], *, marked: bool
) -> tuple[str, ...]:
    columns = [f"{null(column.type)} AS {identifier(column.name)}" for column in write.projection]
    marker = [f"TRUE AS {_DELETES}"] if marked else []
    named = ", ".join(f"{expression(key)} AS {name}" for key, name in zip(keys, names, strict=True))
    known = " AND ".join(f"{expression(key)} IS NOT NULL" for key in keys)
    where = "" if marked else f" WHERE {known}"
    # DISTINCT is over the keys alone: Spark has none over maps, which other columns may be.
    return (
        f"  SELECT {', '.join((*names, *marker, *columns))}",
        f"  FROM (SELECT DISTINCT {named} FROM {write.staged.sql}{where})",  # noqa: S608 quoted
    )


def _insert_rows(
    write: Write, keys: tuple[Projected, ...], names: tuple[str, ...], *, marked: bool
) -> tuple[str, ...]:
    nulls = [f"{null(key.type)} AS {name}" for key, name in zip(keys, names, strict=True)]
    marker = [f"FALSE AS {_DELETES}"] if marked else []
    return (
        f"  SELECT {', '.join((*nulls, *marker, write.values))}",
        f"  FROM {write.staged.sql}",
    )
