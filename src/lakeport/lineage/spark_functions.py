"""How Spark prints a function call: registered names, upper-case mathematics, filled-in defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Mathematical functions whose class prints itself in capitals.
_CAPITALS = frozenset(
    {
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "cos",
        "cosh",
        "cot",
        "csc",
        "degrees",
        "e",
        "exp",
        "expm1",
        "hypot",
        "log",
        "log10",
        "log1p",
        "log2",
        "percent_rank",
        "pi",
        "power",
        "radians",
        "rank",
        "dense_rank",
        "regexp",
        "regexp_like",
        "rint",
        "rlike",
        "sec",
        "signum",
        "sin",
        "sinh",
        "spark_partition_id",
        "sqrt",
        "tan",
        "tanh",
    }
)
_CASTS = frozenset(
    {
        "boolean",
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "decimal",
        "date",
        "timestamp",
        "binary",
        "string",
    }
)
_RENAMED = {
    "array_agg": "collect_list",
    "curdate": "current_date",
    "current_database": "current_schema",
    "random": "rand",
    "to_varchar": "to_char",
    "schema": "current_schema",
}
# Arguments Spark fills in, by the number of arguments given.
_DEFAULTS: dict[tuple[str, int], tuple[str, ...]] = {
    ("lag", 1): ("1", "NULL"),
    ("lag", 2): ("NULL",),
    ("lead", 1): ("1", "NULL"),
    ("lead", 2): ("NULL",),
    ("split", 2): ("-1",),
    ("regexp_extract", 2): ("1",),
    ("regexp_extract_all", 2): ("1",),
    ("regexp_replace", 3): ("1",),
    ("regexp_instr", 2): ("0",),
    ("locate", 2): ("1",),
    ("sentences", 1): ("", ""),
    ("instr", 3): ("1",),
    ("substring", 2): ("2147483647",),
    ("substr", 2): ("2147483647",),
    ("make_interval", 0): ("0", "0", "0", "0", "0", "0", "0.000000"),
    ("make_interval", 1): ("0", "0", "0", "0", "0", "0.000000"),
    ("make_interval", 2): ("0", "0", "0", "0", "0.000000"),
    ("make_interval", 3): ("0", "0", "0", "0.000000"),
    ("make_interval", 4): ("0", "0", "0.000000"),
    ("make_interval", 5): ("0", "0.000000"),
    ("make_interval", 6): ("0.000000",),
    ("make_dt_interval", 0): ("0", "0", "0", "0.000000"),
    ("make_dt_interval", 1): ("0", "0", "0.000000"),
    ("make_dt_interval", 2): ("0", "0.000000"),
    ("make_dt_interval", 3): ("0.000000",),
    ("make_ym_interval", 0): ("0", "0"),
    ("make_ym_interval", 1): ("0",),
    ("mask", 1): ("X", "x", "n", "NULL"),
    ("mask", 2): ("x", "n", "NULL"),
    ("mask", 3): ("n", "NULL"),
    ("mask", 4): ("NULL",),
    ("str_to_map", 1): (",", ":"),
    ("str_to_map", 2): (":",),
    ("sort_array", 1): ("true",),
    ("lpad", 2): (" ",),
    ("rpad", 2): (" ",),
    ("months_between", 2): ("true",),
    ("round", 1): ("0",),
    ("bround", 1): ("0",),
    ("approx_percentile", 2): ("10000",),
    ("percentile_approx", 2): ("10000",),
    ("percentile", 2): ("1",),
    ("overlay", 3): ("-1",),
    ("replace", 2): ("",),
    ("unix_timestamp", 0): ("current_timestamp()", "yyyy-MM-dd HH:mm:ss"),
    ("unix_timestamp", 1): ("yyyy-MM-dd HH:mm:ss",),
    ("to_unix_timestamp", 1): ("yyyy-MM-dd HH:mm:ss",),
    ("from_unixtime", 1): ("yyyy-MM-dd HH:mm:ss",),
    ("hll_sketch_agg", 1): ("12",),
    ("ntile", 0): ("1",),
    ("array_join", 2): (),
    ("position", 2): ("1",),
}


def printed_call(name: str, arguments: list[str], *, distinct: bool) -> str:
    """One call as Spark shows it."""
    special = _SPECIAL.get(name)
    if special is not None:
        printed = special(arguments)
        if printed is not None:
            return printed
    if name == "count" and arguments == ["*"]:
        return "count(1)"
    if name in _CASTS and len(arguments) == 1:
        # A cast by function is no cast the user wrote: Spark shows its argument only.
        return arguments[0]
    if name in {"rank", "dense_rank", "percent_rank"}:
        return f"{name.upper()}()"
    filled = [*arguments, *_DEFAULTS.get((name, len(arguments)), ())]
    shown = _RENAMED.get(name, name)
    shown = shown.upper() if shown in _CAPITALS else shown
    inner = ", ".join(filled)
    return f"{shown}(DISTINCT {inner})" if distinct else f"{shown}({inner})"


def _if(arguments: list[str]) -> str | None:
    return f"(IF({', '.join(arguments)}))" if len(arguments) == 3 else None


def _is_null(arguments: list[str]) -> str | None:
    return f"({arguments[0]} IS NULL)" if len(arguments) == 1 else None


def _is_not_null(arguments: list[str]) -> str | None:
    return f"({arguments[0]} IS NOT NULL)" if len(arguments) == 1 else None


def _positive(arguments: list[str]) -> str | None:
    return f"(+ {arguments[0]})" if len(arguments) == 1 else None


def _modulo(arguments: list[str]) -> str | None:
    return f"mod({', '.join(arguments)})" if len(arguments) == 2 else None


def _like(arguments: list[str]) -> str | None:
    return f"{arguments[0]} LIKE {arguments[1]}" if len(arguments) == 2 else None


def _ceiling(name: str, capital: str) -> Callable[[list[str]], str | None]:
    def printed(arguments: list[str]) -> str | None:
        return (
            f"{capital}({arguments[0]})"
            if len(arguments) == 1
            else f"{name}({', '.join(arguments)})"
        )

    return printed


def _trim(arguments: list[str]) -> str | None:
    if len(arguments) == 3 and arguments[0] in {"BOTH", "LEADING", "TRAILING"}:
        return f"TRIM({arguments[0]} {arguments[1]} FROM {arguments[2]})"
    if len(arguments) == 2 and arguments[0] in {"BOTH", "LEADING", "TRAILING"}:
        return {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[
            arguments[0]
        ] + f"({arguments[1]})"
    return None


def _date_add(arguments: list[str]) -> str | None:
    if len(arguments) == 3:
        return f"timestampadd({', '.join(arguments)})"
    return f"date_add({', '.join(arguments)})"


def _without_schema(name: str) -> Callable[[list[str]], str | None]:
    """The schema of a parsed text is part of its type, not of its name."""

    def printed(arguments: list[str]) -> str | None:
        return (
            f"{name}({', '.join([arguments[0], *arguments[2:]])})" if len(arguments) > 1 else None
        )

    return printed


def _date_diff(arguments: list[str]) -> str | None:
    return f"timestampdiff({', '.join(arguments)})" if len(arguments) == 3 else None


_SPECIAL: dict[str, Callable[[list[str]], str | None]] = {
    "if": _if,
    "isnull": _is_null,
    "isnotnull": _is_not_null,
    "positive": _positive,
    "mod": _modulo,
    "like": _like,
    "trim": _trim,
    "dateadd": _date_add,
    "date_add": _date_add,
    "datediff": _date_diff,
    "date_diff": _date_diff,
    "timediff": _date_diff,
    "from_json": _without_schema("from_json"),
    "from_csv": _without_schema("from_csv"),
    "from_xml": _without_schema("from_xml"),
    "ceil": _ceiling("ceil", "CEIL"),
    "floor": _ceiling("floor", "FLOOR"),
}
