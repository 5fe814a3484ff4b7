"""How Spark prints a function call: registered names, capital mathematics, filled-in defaults.

Arguments that configure a function rather than feed it (the schema of `from_json`, an options map)
are part of the resolved function and are not printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.types import SqlType


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its printed arguments; `type_of` tells the type of one of them."""

    name: str
    arguments: list[str]
    type_of: Callable[[int], SqlType | None]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions whose class prints itself in capitals.
_CAPITALS = _words(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh cot csc degrees e exp expm1 hypot log "
    "log10 log1p log2 pi power radians regexp regexp_like rlike sec signum sin sinh "
    "spark_partition_id sqrt tan tanh"
)
_CASTS = _words(
    "boolean tinyint smallint int bigint float double decimal date time timestamp binary string"
)
_RANKS = _words("rank dense_rank percent_rank")
# Only the first arguments feed the result.
_SHOWN_ARGUMENTS = {
    "from_json": 1,
    "from_csv": 1,
    "from_xml": 1,
    "to_json": 1,
    "to_csv": 1,
    "to_xml": 1,
    "schema_of_json": 1,
    "schema_of_csv": 1,
    "schema_of_xml": 1,
    "variant_get": 2,
    "try_variant_get": 2,
    "first": 1,
    "first_value": 1,
    "last": 1,
    "last_value": 1,
    "any_value": 1,
}
_RENAMED = {
    "array_agg": "collect_list",
    "curdate": "current_date",
    "current_database": "current_schema",
    "random": "rand",
    "dateadd": "date_add",
    "to_varchar": "to_char",
    "schema": "current_schema",
    "database": "current_schema",
}
_CLOCK = ("0", "0", "0", "0", "0", "0", "0.000000")
# All that may be left out, from the right: a call with fewer arguments is completed from here.
_DEFAULTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "aes_decrypt": (2, ("GCM", "DEFAULT", "")),
    "aes_encrypt": (2, ("GCM", "DEFAULT", "", "")),
    "approx_percentile": (2, ("10000",)),
    "approx_top_k": (1, ("5", "10000")),
    "approx_top_k_accumulate": (1, ("10000",)),
    "approx_top_k_combine": (1, ()),
    "approx_top_k_estimate": (1, ("5",)),
    "bround": (1, ("0",)),
    "from_unixtime": (1, ("yyyy-MM-dd HH:mm:ss",)),
    "hll_sketch_agg": (1, ("12",)),
    "hll_union": (2, ("false",)),
    "hll_union_agg": (1, ("false",)),
    "hmac": (2, ("SHA-256",)),
    "lag": (1, ("1", "NULL")),
    "lead": (1, ("1", "NULL")),
    "listagg": (1, ("NULL",)),
    "locate": (2, ("1",)),
    "lpad": (2, (" ",)),
    "make_dt_interval": (0, ("0", "0", "0", "0.000000")),
    "make_interval": (0, _CLOCK),
    "make_ym_interval": (0, ("0", "0")),
    "mask": (1, ("X", "x", "n", "NULL")),
    "months_between": (2, ("true",)),
    "normalize": (1, ("NFC",)),
    "ntile": (0, ("1",)),
    "overlay": (3, ("-1",)),
    "percentile": (2, ("1",)),
    "percentile_approx": (2, ("10000",)),
    "position": (2, ("1",)),
    "regexp_extract": (2, ("1",)),
    "regexp_extract_all": (2, ("1",)),
    "regexp_instr": (2, ("0",)),
    "regexp_replace": (3, ("1",)),
    "replace": (2, ("",)),
    "round": (1, ("0",)),
    "rpad": (2, (" ",)),
    "sentences": (1, ("", "")),
    "sort_array": (1, ("true",)),
    "split": (2, ("-1",)),
    "st_asbinary": (1, ("NDR",)),
    "st_geomfromwkb": (1, ("0",)),
    "str_to_map": (1, (",", ":")),
    "string_agg": (1, ("NULL",)),
    "substr": (2, ("2147483647",)),
    "substring": (2, ("2147483647",)),
    "theta_difference": (2, ()),
    "theta_sketch_agg": (1, ("12",)),
    "theta_union": (2, ("12",)),
    "theta_union_agg": (1, ("12",)),
    "time_bucket": (2, ("TIMESTAMP '1970-01-01 00:00:00'",)),
    "to_unix_timestamp": (1, ("yyyy-MM-dd HH:mm:ss",)),
    "truncate": (1, ("0",)),
    "try_aes_decrypt": (2, ("GCM", "DEFAULT", "")),
    "try_make_interval": (0, _CLOCK),
    "try_variant_set": (3, ("true",)),
    "tuple_sketch_agg_double": (2, ("12", "sum")),
    "tuple_sketch_agg_integer": (2, ("12", "sum")),
    "tuple_sketch_summary_double": (1, ("sum",)),
    "tuple_sketch_summary_integer": (1, ("sum",)),
    "tuple_intersection_agg_double": (1, ("sum",)),
    "tuple_intersection_agg_integer": (1, ("sum",)),
    "tuple_intersection_double": (2, ("sum",)),
    "tuple_intersection_integer": (2, ("sum",)),
    "tuple_intersection_theta_double": (2, ("sum",)),
    "tuple_intersection_theta_integer": (2, ("sum",)),
    "tuple_union_agg_double": (1, ("12", "sum")),
    "tuple_union_agg_integer": (1, ("12", "sum")),
    "tuple_union_double": (2, ("12", "sum")),
    "tuple_union_integer": (2, ("12", "sum")),
    "tuple_union_theta_double": (2, ("12", "sum")),
    "tuple_union_theta_integer": (2, ("12", "sum")),
    "unix_timestamp": (0, ("current_timestamp()", "yyyy-MM-dd HH:mm:ss")),
    "variant_set": (3, ("true",)),
    "variant_strip_nulls": (1, ("true",)),
    "vector_norm": (1, ("2.0",)),
    "vector_normalize": (1, ("2.0",)),
}
# The order of parameters that may be given by name.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "mask": ("str", "upperchar", "lowerchar", "digitchar", "otherchar"),
    "count_min_sketch": ("column", "epsilon", "confidence", "seed"),
    "explode": ("collection",),
    "tuple_sketch_agg_double": ("key", "summary", "lgnomentries", "mode"),
    "tuple_sketch_agg_integer": ("key", "summary", "lgnomentries", "mode"),
    "tuple_union_agg_double": ("child", "lgnomentries", "mode"),
    "tuple_union_agg_integer": ("child", "lgnomentries", "mode"),
    "tuple_union_double": ("first", "second", "lgnomentries", "mode"),
    "tuple_union_integer": ("first", "second", "lgnomentries", "mode"),
    "tuple_union_theta_double": ("first", "second", "lgnomentries", "mode"),
    "tuple_union_theta_integer": ("first", "second", "lgnomentries", "mode"),
    "variant_explode": ("input",),
}


def printed_call(call: Call, *, distinct: bool) -> str:
    """One call as Spark shows it."""
    name, arguments = call.name, call.arguments
    special = _SPECIAL.get(name)
    printed = special(call) if special is not None else None
    if printed is not None:
        return printed
    if name in _CASTS and len(arguments) == 1:
        # A cast by function is no cast the user wrote: Spark shows its argument only.
        return arguments[0]
    if name in _RANKS:
        return f"{name.upper()}()"
    shown = _RENAMED.get(name, name)
    shown = shown.upper() if shown in _CAPITALS else shown
    inner = ", ".join(_filled(call))
    return f"{shown}(DISTINCT {inner})" if distinct else f"{shown}({inner})"


def _filled(call: Call) -> list[str]:
    """The arguments with the defaults of those left out."""
    arguments = call.arguments[: _SHOWN_ARGUMENTS.get(call.name)]
    required, defaults = _DEFAULTS.get(call.name, (0, ()))
    given = len(arguments) - required
    return [*arguments, *defaults[given:]] if 0 <= given < len(defaults) else arguments


def default_text(name: str, place: int) -> str:
    """What stands for an argument that was left out before a named one."""
    required, defaults = _DEFAULTS.get(name, (0, ()))
    return defaults[place - required] if 0 <= place - required < len(defaults) else "NULL"


def _operator(template: str, count: int) -> Callable[[Call], str | None]:
    def printed(call: Call) -> str | None:
        return template.format(*call.arguments) if len(call.arguments) == count else None

    return printed


def _whole(name: str) -> Callable[[Call], str | None]:
    """`ceil(x)` is a class of capitals, `ceil(x, 1)` another without."""

    def printed(call: Call) -> str | None:
        return f"{name.upper()}({call.arguments[0]})" if len(call.arguments) == 1 else None

    return printed


def _to_char(call: Call) -> str | None:
    """Moments are formatted by another function than numbers."""
    if len(call.arguments) != 2:
        return None
    type_ = call.type_of(0)
    moment = type_ is not None and type_.kind in {"date", "timestamp", "timestamp_ntz", "time"}
    return f"{'date_format' if moment else 'to_char'}({', '.join(call.arguments)})"


def _padded(call: Call) -> str | None:
    """Bytes are padded with zero bytes."""
    type_ = call.type_of(0) if len(call.arguments) == 2 else None
    if type_ is None or type_.kind != "binary":
        return None
    return f"{call.name}({', '.join(call.arguments)}, X'00')"


def _made_timestamp(call: Call) -> str | None:
    """From a date and a time, with or without a zone, it is the function without a suffix."""
    few = len(call.arguments) <= 3
    return f"make_timestamp({', '.join(call.arguments)})" if few else None


def _tried_timestamp(call: Call) -> str | None:
    """Trying is a function around the other."""
    if len(call.arguments) > 3:
        return None
    return f"{call.name}(make_timestamp_ntz({', '.join(call.arguments)}))"


def _bucket(call: Call) -> str | None:
    """Buckets begin at the epoch, in the kind of timestamp they hold."""
    type_ = call.type_of(1) if len(call.arguments) == 2 else None
    if type_ is None or type_.kind != "timestamp_ntz":
        return None
    return f"time_bucket({', '.join(call.arguments)}, TIMESTAMP_NTZ '1970-01-01 00:00:00')"


def _parsed_map(call: Call) -> str | None:
    """A map read from JSON is called after the field Spark keeps its entries in."""
    schema = call.arguments[1] if len(call.arguments) > 1 else ""
    return "entries" if schema.lower().replace(" ", "").startswith("map<") else None


def _reduced(call: Call) -> str | None:
    """The finishing step that was left out changes nothing."""
    if len(call.arguments) != 3:
        return None
    same = "lambdafunction(namedlambdavariable(), namedlambdavariable())"
    return f"{call.name}({', '.join([*call.arguments, same])})"


def _now(call: Call) -> str | None:
    """Finer than microseconds it is another function."""
    if len(call.arguments) != 1:
        return None
    return "current_timestamp()" if call.arguments[0] in {"7", "8", "9"} else "now()"


def _mode(call: Call) -> str | None:
    if len(call.arguments) != 2:
        return None
    if call.arguments[1] == "true":
        return f"mode() WITHIN GROUP (ORDER BY {call.arguments[0]} DESC)"
    return f"mode({call.arguments[0]})"


_SPECIAL: dict[str, Callable[[Call], str | None]] = {
    "aggregate": _reduced,
    "assert_true": _operator("assert_true({0}, '{0}' is not true!)", 1),
    "ceil": _whole("ceil"),
    "convert_timezone": _operator("convert_timezone(current_timezone(), {0}, {1})", 2),
    "datepart": _operator("datepart({0} FROM {1})", 2),
    "div": _operator("({0} div {1})", 2),
    "floor": _whole("floor"),
    "from_json": _parsed_map,
    "if": _operator("(IF({0}, {1}, {2}))", 3),
    "ilike": _operator("ilike({0}, {1})", 3),
    "instr": _operator("instr({0}, {1}, {2}, 1)", 3),
    "isnotnull": _operator("({0} IS NOT NULL)", 1),
    "isnull": _operator("({0} IS NULL)", 1),
    "like": _operator("{0} LIKE {1}", 2),
    "localtime": _operator("current_time(6)", 0),
    "current_time": _operator("current_time(6)", 0),
    "current_timestamp": _operator("current_timestamp()", 1),
    "localtimestamp": _operator("localtimestamp()", 1),
    "now": _now,
    "log": _operator("LOG(E(), {0})", 1),
    "lpad": _padded,
    "make_timestamp_ltz": _made_timestamp,
    "mode": _mode,
    "positive": _operator("(+ {0})", 1),
    "raise_error": _operator("raise_error(USER_RAISED_EXCEPTION, map(errorMessage, {0}))", 1),
    "reduce": _reduced,
    "rpad": _padded,
    "time_bucket": _bucket,
    "to_char": _to_char,
    "to_varchar": _to_char,
    "trunc": _operator("trunc({0}, {1})", 2),
    "try_make_timestamp_ltz": _made_timestamp,
    "try_make_timestamp_ntz": _tried_timestamp,
    "try_to_time": lambda call: f"try_to_time(to_time({', '.join(call.arguments)}))",
}
