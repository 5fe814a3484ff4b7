"""Which of DuckDB's functions mean the same here as in the client's session.

The engine's allow-list says what is safe to run. Of those, what depends on the session is left out: a
time zone (ours is UTC, the client's is not told), and what two releases compute differently.
"""

from __future__ import annotations

from lakeport.airport.pushdown.nodes import Call, Constant, Node
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.catalog.expressions.functions import FUNCTIONS, VOLATILE

INTERNAL = frozenset({"constant_or_null", "list_aggr", "list_aggregate", "array_aggr"})
"""Names that stand only in bound expressions, or are written another way in SQL."""

UNSTABLE = frozenset({"hash"})
"""DuckDB may change its values with any release."""

ZONE_FREE = frozenset(
    {
        *("epoch", "epoch_ms", "epoch_ns", "epoch_us", "greatest", "least", "timezone"),
        *("isfinite", "isinf", "timetz_byte_comparable", "to_timestamp", "uuid_extract_timestamp"),
        *("row", "struct_pack"),
        *("array_contains", "array_extract", "array_has", "array_length", "array_position"),
        *("cardinality", "contains", "len", "length", "list_contains", "list_extract"),
        *("list_has", "list_position", "list_value", "map_contains", "map_extract_value"),
        *("map_keys", "map_values", "struct_extract", "union_extract", "union_tag"),
    }
)
"""They take instants as the numbers they are."""

NEVER_FAIL = frozenset(
    {
        *("prefix", "suffix", "contains", "starts_with", "ends_with", "^@", "lower", "upper"),
        *("len", "length", "strlen", "reverse", "trim", "ltrim", "rtrim", "strpos", "instr"),
        *("concat", "md5", "~~", "!~~", "~~*", "!~~*", "~~~", "regexp_matches"),
        *("regexp_full_match", "isnan", "isinf", "isfinite", "greatest", "least"),
        *("array_extract", "list_extract", "list_contains", "list_value", "cardinality"),
        *("map_extract_value", "struct_extract", "struct_pack", "row", "union_tag"),
        *("year", "month", "day", "quarter", "dayofweek", "hour", "minute"),
        *("constant_or_null", "timetz_byte_comparable", "timezone"),
    }
)
"""They have an answer for every value, so that nothing has to be caught."""

DIVISIONS = frozenset({"/", "//", "%", "divide", "mod", "fmod"})
SUBSTRINGS = frozenset({"substr", "substring", "substring_grapheme"})
NAMELESS = frozenset({"struct_insert", "struct_update", "struct_concat"})


def check_call(call: Call) -> None:
    name = call.name
    if call.is_operator:
        return
    if name in VOLATILE:
        raise NotEvaluatedError(f"the function `{name}`, which changes from call to call")
    if name in UNSTABLE:
        raise NotEvaluatedError(f"the function `{name}`, which changes from release to release")
    if (name not in FUNCTIONS and name not in INTERNAL) or name in NAMELESS:
        raise NotEvaluatedError(f"the function `{name[:60]}`")
    types = (call.type, *(argument.type for argument in call.arguments))
    if name not in ZONE_FREE and any(found.is_zoned for found in types):
        raise NotEvaluatedError(f"the function `{name}` of a time with time zone")
    if name in DIVISIONS and call.type.id in {"FLOAT", "DOUBLE"} and not _divides(call):
        # x / 0 is infinite, or NULL when the session says `ieee_floating_point_ops = false`.
        raise NotEvaluatedError(f"the function `{name}` by what may be zero")
    if name in SUBSTRINGS and not all(map(_is_near, call.arguments[1:])):
        # Far outside a text, DuckDB answers one way for ASCII and another for everything else.
        raise NotEvaluatedError(f"the function `{name}` at places that are not constant")
    if name in {"-", "subtract"} and call.type.id == "BIGNUM":
        raise NotEvaluatedError("a BIGNUM's negation, which may be another zero")


def _divides(call: Call) -> bool:
    divisor = call.arguments[-1] if call.arguments else None
    return isinstance(divisor, Constant) and bool(divisor.value)


def _is_near(argument: Node) -> bool:
    value = argument.value if isinstance(argument, Constant) else None
    return isinstance(value, int) and abs(value) < 2**31
