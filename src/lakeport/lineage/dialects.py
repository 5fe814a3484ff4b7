"""What each SQL dialect does differently, as one table of plain facts.

A row answers questions the parser cannot: how names fold, which aliases are visible where, how an
unaliased expression is called. An unknown dialect gets the permissive row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Literal, TypeAlias

from sqlglot.dialects.dialect import Dialect as Engine

Naming: TypeAlias = Literal["spark", "postgres", "bigquery", "duckdb", "position"]


class Fold(Enum):
    """How an identifier becomes the key it is compared by."""

    LOWER = "lower"  # unquoted to lower case, quoted verbatim
    UPPER = "upper"  # unquoted to upper case, quoted verbatim
    INSENSITIVE = "insensitive"  # both to lower case
    EXACT = "exact"  # both verbatim


@dataclass(frozen=True, slots=True)
class Dialect:
    """The facts about one dialect."""

    name: str
    parser: str
    tables: Fold = Fold.LOWER
    columns: Fold = Fold.LOWER
    # May a later select item use the alias of an earlier one?
    lateral_aliases: bool = False
    # Where else a select alias is visible; ORDER BY sees it everywhere.
    group_by_aliases: bool = True
    having_aliases: bool = True
    # Of two outputs with one name, ORDER BY takes the first.
    first_alias_wins: bool = False
    # WHERE sees select aliases too.
    where_aliases: bool = False
    # A name in double quotes that nothing has is a string.
    quoted_strings: bool = False
    # `c.lower()` is `lower(c)`.
    method_calls: bool = False
    # `x IN t` asks a table.
    in_takes_tables: bool = False
    # A sort key of a set operation may have its name from any branch.
    branches_name_keys: bool = False
    # A row that is written without a list may be shorter than the table.
    short_rows: bool = False
    # A relation's name may stand for its whole row.
    row_values: bool = False
    # `f(*)` calls a function with all columns.
    star_arguments: bool = False
    # A subquery may name columns of queries further out than the one around it.
    far_correlation: bool = True
    # In `*`, a column merged by USING keeps its place in the left table instead of coming first.
    merged_in_place: bool = False
    # A MERGE takes all of a row by position, not by name.
    merges_by_position: bool = False
    # RETURNING sees the rows of the target alone.
    returns_target: bool = False
    naming: Naming = "position"
    # What queries around may call a column by that is shown as `_col_N`: its text in capitals, with
    # or without blanks, or its position behind a word.
    unnamed: Literal["text", "squeezed", "_c", "_col", "count_star()"] | None = None
    values_columns: Literal["col", "column", "column_", "_col", "EXPR$", "c"] = "column"
    # The relatives to try when a statement does not parse.
    relatives: tuple[str, ...] = ()
    # A CTE may read itself without the word RECURSIVE.
    implicit_recursion: bool = False
    # Temporary relations stand in front of catalog tables of the same name.
    temporary_shadows: bool = True
    # GLOBAL TEMPORARY is a persistent definition with data per session.
    global_temporary_persists: bool = False
    # Division of integers is fractional.
    fractional_division: bool = False
    pseudo_columns: frozenset[str] = frozenset()


_SPARK = Dialect(
    name="spark",
    parser="spark",
    tables=Fold.INSENSITIVE,
    columns=Fold.INSENSITIVE,
    lateral_aliases=True,
    star_arguments=True,
    far_correlation=False,
    naming="spark",
    values_columns="col",
    relatives=("databricks", ""),
    fractional_division=True,
    pseudo_columns=frozenset(
        {
            "_metadata",
            "input_file_name",
            "_file",
            "_pos",
            "_spec_id",
            "_partition",
            "_deleted",
            "_row_id",
            "_last_updated_sequence_number",
            "grouping__id",
            "row__id",
            "row__is__deleted",
            "input__file__name",
            "block__offset__inside__file",
            "window",
            "session_window",
        }
    ),
)
_INSENSITIVE = Dialect(name="", parser="", tables=Fold.INSENSITIVE, columns=Fold.INSENSITIVE)
_ORACLE_PSEUDO = frozenset(
    {
        "ROWNUM",
        "ROWID",
        "LEVEL",
        "SYSDATE",
        "SYSTIMESTAMP",
        "USER",
        "CONNECT_BY_ISLEAF",
        "ORA_ROWSCN",
        "CONNECT_BY_ISCYCLE",
        "CON_ID",
    }
)

# The schema that a session of the engine begins in: there `t` is `public.t`.
FIRST_SCHEMAS = {
    **dict.fromkeys(("spark", "spark2", "databricks", "hive", "clickhouse"), "default"),
    **dict.fromkeys(("postgres", "redshift", "materialize", "risingwave", "snowflake"), "public"),
    **dict.fromkeys(("tsql", "fabric"), "dbo"),
    **dict.fromkeys(("duckdb", "sqlite"), "main"),
}

_TABLE: dict[str, Dialect] = {
    row.name: row
    for row in (
        Dialect(
            name="generic",
            parser="",
            relatives=("spark", "postgres", "duckdb", "mysql", "tsql"),
        ),
        Dialect(
            name="ansi", parser="", tables=Fold.UPPER, columns=Fold.UPPER, relatives=("postgres",)
        ),
        _SPARK,
        replace(_SPARK, name="spark2", parser="spark2", relatives=("spark", "")),
        replace(_SPARK, name="databricks", parser="databricks", relatives=("spark", "")),
        replace(
            _SPARK,
            name="hive",
            parser="hive",
            relatives=("spark", ""),
            naming="position",
            unnamed="_c",
            values_columns="col",
        ),
        Dialect(
            name="postgres",
            parser="postgres",
            short_rows=True,
            having_aliases=False,
            row_values=True,
            naming="postgres",
            relatives=("redshift", ""),
            pseudo_columns=frozenset({"ctid", "xmin", "xmax", "tableoid", "oid", "cmin", "cmax"}),
        ),
        Dialect(
            name="materialize",
            parser="materialize",
            short_rows=True,
            having_aliases=False,
            row_values=True,
            naming="postgres",
            relatives=("postgres",),
        ),
        Dialect(
            name="risingwave",
            parser="risingwave",
            short_rows=True,
            having_aliases=False,
            row_values=True,
            naming="postgres",
            relatives=("postgres",),
        ),
        replace(
            _INSENSITIVE,
            name="redshift",
            parser="redshift",
            short_rows=True,
            lateral_aliases=True,
            where_aliases=True,
            naming="postgres",
            relatives=("postgres",),
        ),
        Dialect(
            name="teradata",
            parser="teradata",
            lateral_aliases=True,
            where_aliases=True,
            implicit_recursion=True,
        ),
        Dialect(name="drill", parser="drill"),
        Dialect(name="druid", parser="druid", values_columns="EXPR$"),
        Dialect(name="dremio", parser="dremio", values_columns="EXPR$"),
        Dialect(
            name="snowflake",
            parser="snowflake",
            tables=Fold.UPPER,
            columns=Fold.UPPER,
            lateral_aliases=True,
            star_arguments=True,
            where_aliases=True,
            unnamed="text",
            implicit_recursion=True,
            fractional_division=True,
            pseudo_columns=frozenset(
                {
                    "LEVEL",
                    "CONNECT_BY_ROOT",
                    "SYS_CONNECT_BY_PATH",
                    "METADATA$FILENAME",
                    "METADATA$FILE_ROW_NUMBER",
                    "METADATA$ACTION",
                    "METADATA$ISUPDATE",
                    "METADATA$ROW_ID",
                    "METADATA$FILE_LAST_MODIFIED",
                    "METADATA$START_SCAN_TIME",
                }
            ),
        ),
        Dialect(
            name="oracle",
            parser="oracle",
            tables=Fold.UPPER,
            columns=Fold.UPPER,
            group_by_aliases=False,
            having_aliases=False,
            unnamed="squeezed",
            implicit_recursion=True,
            global_temporary_persists=True,
            fractional_division=True,
            pseudo_columns=_ORACLE_PSEUDO,
        ),
        Dialect(name="exasol", parser="exasol", tables=Fold.UPPER, columns=Fold.UPPER),
        replace(
            _INSENSITIVE,
            name="trino",
            parser="trino",
            relatives=("presto",),
            unnamed="_col",
            values_columns="_col",
            pseudo_columns=frozenset(
                {"$path", "$file_size", "$file_modified_time", "$partition", "$row_id"}
            ),
        ),
        replace(
            _INSENSITIVE,
            name="presto",
            parser="presto",
            relatives=("trino",),
            unnamed="_col",
            values_columns="_col",
            pseudo_columns=frozenset({"$path", "$partition"}),
        ),
        replace(
            _INSENSITIVE,
            name="athena",
            parser="athena",
            relatives=("trino", "hive"),
            unnamed="_col",
            values_columns="_col",
            pseudo_columns=frozenset({"$path", "$partition"}),
        ),
        replace(
            _INSENSITIVE,
            name="duckdb",
            parser="duckdb",
            lateral_aliases=True,
            first_alias_wins=True,
            where_aliases=True,
            row_values=True,
            method_calls=True,
            branches_name_keys=True,
            merged_in_place=True,
            naming="duckdb",
            values_columns="col",
            relatives=("postgres", ""),
            fractional_division=True,
            unnamed="count_star()",
            merges_by_position=True,
            returns_target=True,
            pseudo_columns=frozenset({"rowid", "filename", "file_row_number", "merge_action"}),
        ),
        replace(
            _INSENSITIVE,
            name="sqlite",
            parser="sqlite",
            lateral_aliases=False,
            first_alias_wins=True,
            where_aliases=True,
            quoted_strings=True,
            in_takes_tables=True,
            branches_name_keys=True,
            implicit_recursion=True,
            merged_in_place=True,
            naming="duckdb",
            pseudo_columns=frozenset({"rowid", "oid", "_rowid_"}),
        ),
        replace(
            _INSENSITIVE,
            name="tsql",
            parser="tsql",
            group_by_aliases=False,
            having_aliases=False,
            implicit_recursion=True,
            pseudo_columns=frozenset(
                {"$action", "$identity", "$rowguid", "identitycol", "rowguidcol"}
            ),
        ),
        Dialect(
            name="fabric",
            parser="fabric",
            tables=Fold.EXACT,
            columns=Fold.EXACT,
            group_by_aliases=False,
            having_aliases=False,
            implicit_recursion=True,
            relatives=("tsql",),
        ),
        replace(
            _INSENSITIVE,
            name="bigquery",
            parser="bigquery",
            tables=Fold.EXACT,
            lateral_aliases=True,
            row_values=True,
            naming="bigquery",
            fractional_division=True,
            pseudo_columns=frozenset(
                {
                    "_partitiontime",
                    "_partitiondate",
                    "_table_suffix",
                    "_file_name",
                    "_change_type",
                    "_change_timestamp",
                }
            ),
        ),
        Dialect(
            name="mysql",
            parser="mysql",
            tables=Fold.EXACT,
            columns=Fold.INSENSITIVE,
            fractional_division=True,
            values_columns="column_",
            naming="duckdb",
        ),
        Dialect(
            name="clickhouse",
            parser="clickhouse",
            values_columns="c",
            tables=Fold.EXACT,
            columns=Fold.EXACT,
            lateral_aliases=True,
            star_arguments=True,
            first_alias_wins=True,
            where_aliases=True,
            in_takes_tables=True,
            merged_in_place=True,
            naming="duckdb",
            fractional_division=True,
            pseudo_columns=frozenset({"_part", "_partition_id", "_table", "_file", "_path"}),
        ),
        Dialect(
            name="doris",
            parser="doris",
            tables=Fold.EXACT,
            columns=Fold.INSENSITIVE,
            relatives=("mysql",),
        ),
        Dialect(
            name="starrocks",
            parser="starrocks",
            tables=Fold.EXACT,
            columns=Fold.INSENSITIVE,
            relatives=("mysql",),
        ),
    )
}
_ALIASES = {
    "": "generic",
    "mssql": "tsql",
    "sparksql": "spark",
    "spark_sql": "spark",
    "postgresql": "postgres",
    "mariadb": "mysql",
    "sqlserver": "tsql",
}


@lru_cache(maxsize=64)
def dialect_named(name: str) -> Dialect | None:
    """The facts about a dialect, or None if neither we nor the parser knows it."""
    key = name.strip().lower()
    key = _ALIASES.get(key, key)
    if key in _TABLE:
        return _TABLE[key]
    if Engine.get(key) is None:
        return None
    return Dialect(
        name=key,
        parser=key,
        tables=Fold.INSENSITIVE,
        columns=Fold.INSENSITIVE,
        lateral_aliases=True,
    )


@lru_cache(maxsize=64)
def engine_of(parser: str) -> Engine:
    """The parser's dialect object; building one costs more than parsing a small query."""
    return Engine.get_or_raise(parser or None)


def known_dialects() -> list[str]:
    """Every name `dialect` accepts."""
    return sorted(
        {
            *_TABLE,
            *(alias for alias in _ALIASES if alias),
            *(name for name in Engine.classes if name),
        }
    )
