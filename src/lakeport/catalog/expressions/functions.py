"""Every function an expression may call, and how large its result can get.

A function is here when it is deterministic, reads no setting, clock or table, takes time close to
linear in its input, and its result is bounded by the sizes of its arguments and never by their
values. So `repeat`, `lpad`, `range`, `format` and `list_resize` are missing, and lambdas, aggregates,
`levenshtein`, `nfc_normalize`, `map_concat` (quadratic), `list_select` and `list_where` too. Operators are functions.
`tests/catalog/expressions/test_attack.py` calls every name below with extreme arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias


class Shape(StrEnum):
    """What the size of a result depends on."""

    FIXED = "fixed"  # a number, date, flag or digest
    TYPE_NAME = "type name"  # the names of all fields
    LARGEST = "largest"  # one of the arguments
    SUM = "sum"  # all arguments together, times `factor`
    TEXT = "text"  # the same, after nested arguments were written out as text
    CONCATENATED = "concatenated"  # all arguments; lists stay lists, else nested ones become text
    JOINED = "joined"  # all arguments as text, with the first one again between any two
    REPLACED = "replaced"  # the first argument, with each match replaced by a constant


class Argument(StrEnum):
    """What an argument must be so that time and size are known beforehand: always a constant."""

    LIKE = "LIKE pattern"
    GLOB = "GLOB pattern"
    REGEX = "regular expression"
    PATH = "JSON path"
    NEEDLE = "text to look for"
    ZONE = "time zone"
    OTHER = "argument"


Demands: TypeAlias = tuple[tuple[int, Argument], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """One allowed name. `demands`: the argument at that position, if given, is such a constant."""

    name: str
    group: str
    shape: Shape
    factor: int = 1
    demands: Demands = ()
    arguments: int | None = None  # exactly so many, when other overloads are not allowed
    copies: int = 1  # a macro of DuckDB's that writes an argument so many times


def _named(
    group: str, names: str, shape: Shape, factor: int = 1, demands: Demands = ()
) -> tuple[Function, ...]:
    return tuple(Function(name, group, shape, factor, demands) for name in names.split())


_LIKE: Demands = ((1, Argument.LIKE), (2, Argument.OTHER))
_REGEX: Demands = ((1, Argument.REGEX), (2, Argument.OTHER), (3, Argument.OTHER))
_PATH: Demands = ((1, Argument.PATH),)
_NEEDLE: Demands = ((1, Argument.NEEDLE),)

# Factors are bytes out per byte in, at worst, of what DuckDB keeps in memory: a character that becomes
# a list element takes a 16 byte string entry, a byte that becomes a BIGINT index eight.
_ALLOWED: tuple[Function, ...] = (
    Function("fmod", "Numbers", Shape.SUM, copies=2),
    Function("round_even", "Numbers", Shape.SUM, copies=3),
    Function("roundbankers", "Numbers", Shape.SUM, copies=3),
    Function("nullif", "Choice", Shape.LARGEST, copies=2),
    Function("split_part", "Text", Shape.SUM, 32, _NEEDLE, copies=2),
    Function("array_pop_back", "Lists", Shape.SUM, copies=2),
    *_named("Operators", "+ - * / // % ** ^ & | ~ << >> @", Shape.SUM),
    *_named("Operators", "||", Shape.CONCATENATED),
    *_named("Operators", "<-> <=> && @> <@ ^@", Shape.FIXED),
    *_named(
        "Numbers",
        "abs acos acosh add asin asinh atan atan2 atanh bit_count cbrt ceil ceiling cos cosh cot degrees"
        " divide even exp fdiv floor gamma gcd greatest_common_divisor isfinite isinf isnan lcm"
        " least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians"
        " round sign signbit sin sinh sqrt subtract tan tanh trunc xor",
        Shape.SUM,
    ),
    *_named("Choice", "greatest least", Shape.LARGEST),
    *_named("Choice", "hash", Shape.FIXED),
    *_named("Choice", "typeof", Shape.TYPE_NAME),
    *_named(
        "Text",
        "ascii bit_length char_length character_length chr ends_with format_bytes"
        " formatReadableDecimalSize formatReadableSize hamming len length length_grapheme md5 md5_number"
        " md5_number_lower md5_number_upper mismatches octet_length ord parse_formatted_bytes"
        " pg_size_pretty prefix sha1 sha256 starts_with strlen suffix unicode",
        Shape.FIXED,
    ),
    *_named("Text", "contains instr position strpos", Shape.FIXED, 1, _NEEDLE),
    *_named(
        "Text",
        "decode encode from_base64 from_binary from_hex left left_grapheme ltrim parse_dirname"
        " parse_dirpath parse_filename reverse right right_grapheme rtrim strip_accents substr substring"
        " substring_grapheme trim unbin unhex url_decode",
        Shape.SUM,
    ),
    *_named("Text", "base64 hex lcase lower to_base64 to_hex ucase upper", Shape.SUM, 2),
    *_named("Text", "regexp_escape translate url_encode", Shape.SUM, 4),
    *_named("Text", "bin to_binary", Shape.SUM, 8),
    *_named("Text", "parse_path", Shape.SUM, 32),
    *_named("Text", "split str_split string_split string_to_array", Shape.SUM, 32, _NEEDLE),
    *_named("Text", "concat", Shape.CONCATENATED),
    *_named("Text", "concat_ws", Shape.JOINED),
    *_named("Text", "replace", Shape.REPLACED, 1, (*_NEEDLE, (2, Argument.OTHER))),
    *_named("Patterns", "~~ !~~ ~~* !~~*", Shape.FIXED, 1, _LIKE),
    *_named(
        "Patterns",
        "ilike_escape like_escape not_ilike_escape not_like_escape",
        Shape.FIXED,
        1,
        _LIKE,
    ),
    *_named("Patterns", "~~~", Shape.FIXED, 1, ((1, Argument.GLOB),)),
    *_named("Patterns", "regexp_full_match regexp_matches", Shape.FIXED, 1, _REGEX),
    *_named("Patterns", "regexp_extract", Shape.SUM, 1, _REGEX),
    *_named(
        "Patterns",
        "regexp_extract_all regexp_split_to_array str_split_regex string_split_regex",
        Shape.SUM,
        32,
        _REGEX,
    ),
    *_named("Patterns", "regexp_replace", Shape.REPLACED, 1, _REGEX),
    *_named("Bits", "get_bit", Shape.FIXED),
    *_named("Bits", "set_bit", Shape.SUM),
    # With one argument it measures from today.
    Function("age", "Dates and times", Shape.FIXED, arguments=2),
    # DuckDB compares a zone it does not know with every one it knows, to suggest the nearest.
    Function("make_timestamptz", "Dates and times", Shape.FIXED, 1, ((6, Argument.ZONE),)),
    Function("time_bucket", "Dates and times", Shape.FIXED, arguments=2),
    Function("timezone", "Dates and times", Shape.FIXED, 1, ((0, Argument.ZONE),), arguments=2),
    *_named(
        "Dates and times",
        "century date_diff date_sub date_trunc datediff datesub datetrunc day dayname dayofmonth"
        " dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear"
        " julian last_day make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns"
        " microsecond millennium millisecond minute month monthname nanosecond"
        " normalized_interval quarter second strptime timetz_byte_comparable"
        " timezone_hour timezone_minute to_centuries to_days to_decades to_hours to_microseconds"
        " to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks"
        " to_years try_strptime uuid_extract_timestamp uuid_extract_version week weekday weekofyear year"
        " yearweek",
        Shape.FIXED,
    ),
    *_named("Dates and times", "date_add date_part datepart", Shape.SUM, 2),
    *_named("Dates and times", "strftime", Shape.SUM, 16),
    *_named(
        "Lists",
        "array_contains array_cosine_distance array_cosine_similarity array_distance array_dot_product"
        " array_has array_has_all array_has_any array_indexof array_inner_product array_length"
        " array_negative_dot_product array_negative_inner_product array_position array_unique list_avg"
        " list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_contains"
        " list_cosine_distance list_cosine_similarity list_count list_distance list_dot_product"
        " list_entropy list_has list_has_all list_has_any list_indexof list_inner_product list_kurtosis"
        " list_kurtosis_pop list_mad list_negative_dot_product list_negative_inner_product list_position"
        " list_product list_sem list_skewness list_stddev_pop list_stddev_samp list_sum list_unique"
        " list_var_pop list_var_samp",
        Shape.FIXED,
    ),
    *_named(
        "Lists",
        "array_cross_product array_distinct array_extract array_intersect array_pop_front"
        " array_reverse array_reverse_sort array_slice array_sort flatten list_any_value list_distinct"
        " list_element list_extract list_first list_intersect list_last list_max list_median list_min"
        " list_mode list_reverse list_reverse_sort list_slice list_sort",
        Shape.SUM,
    ),
    *_named(
        "Lists",
        "array_append array_cat array_concat array_prepend array_push_back array_push_front array_value"
        " list_append list_cat list_concat list_pack list_prepend list_value",
        Shape.SUM,
        2,
    ),
    *_named("Lists", "array_grade_up grade_up list_grade_up", Shape.SUM, 16),
    *_named(
        "Structs, maps and unions",
        "cardinality map_contains map_contains_entry map_contains_value struct_contains struct_has"
        " struct_indexof struct_position union_tag",
        Shape.FIXED,
    ),
    *_named(
        "Structs, maps and unions",
        "element_at map map_entries map_extract map_extract_value map_from_entries map_keys map_values row"
        " struct_concat struct_extract struct_extract_at struct_insert struct_pack struct_update"
        " struct_values union_extract union_value",
        Shape.SUM,
        2,
    ),
    *_named(
        "JSON",
        "->> json_extract json_extract_path json_extract_path_text json_extract_string json_value",
        Shape.SUM,
        2,
        _PATH,
    ),
    *_named("JSON", "json_array_length json_exists json_type", Shape.FIXED, 1, _PATH),
    *_named("JSON", "json_keys", Shape.SUM, 32, _PATH),
    *_named("JSON", "json_valid", Shape.FIXED),
    *_named("JSON", "json", Shape.SUM),
    *_named("JSON", "json_array json_object json_quote to_json", Shape.TEXT, 8),
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType({f.name.lower(): f for f in _ALLOWED})
"""By lower-case name: DuckDB finds functions without regard to case."""

VOLATILE = frozenset(
    {
        *("ago", "current_date", "current_localtime", "current_localtimestamp", "current_query"),
        *("current_time", "current_timestamp", "current_user", "currval", "gen_random_uuid"),
        *(
            "get_current_time",
            "get_current_timestamp",
            "localtime",
            "localtimestamp",
            "nextval",
            "now",
        ),
        *("random", "setseed", "today", "transaction_timestamp", "uuid", "uuidv4", "uuidv7"),
    }
)
"""Known to change between two calls. Refused like any name that is not allowed; the message says why."""
