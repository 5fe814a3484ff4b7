"""The contract's own text: ANSI SQL on names alone, quoted in double quotes, NULL where a column left.

This is the contract's worked form of what a write does, without types and without Spark; the
statements that are run are made by `spark_select` and `pipeline/strategies`.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeport.pipeline.growth.columns import diff, final_columns, projection


def insert_columns(final: Sequence[str]) -> str:
    """`"a", "b", "c"`"""
    return ", ".join(_quoted(name) for name in final)


def select_columns(final: Sequence[str], source: Sequence[str]) -> str:
    """`"a", NULL AS "b", "c"`: an expression for every final column, in order."""
    return ", ".join(select_expressions(final, source))


def select_expressions(final: Sequence[str], source: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        _quoted(column.name) if column.source is not None else f"NULL AS {_quoted(column.name)}"
        for column in projection(final, source)
    )


def delete_insert(
    relation: str, staged: str, unique_key: str, target: Sequence[str], source: Sequence[str]
) -> str:
    """The contract's two statements; `relation`, `staged` and `unique_key` stand as they are."""
    final = final_columns(target, diff(target, source).added)
    return "\n".join(
        (
            f"DELETE FROM {relation}",  # noqa: S608 relations are the caller's own SQL
            f"WHERE {unique_key} IN (",
            f"  SELECT DISTINCT {unique_key} FROM {staged}",  # noqa: S608
            ");",
            "",
            f"INSERT INTO {relation} ({insert_columns(final)})",
            f"SELECT {select_columns(final, source)}",
            f"FROM {staged}",
        )
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
