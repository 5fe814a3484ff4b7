"""Every function an expression may call, and how large its result can get.

A function is here when it is deterministic, reads no setting, clock or table, takes time close to
linear in its input, and its result is bounded by the sizes of its arguments and never by their
values (`repeat`, `lpad`, `range`, `format`, `list_resize` and their like are missing for that reason;
so are lambdas, aggregates and `levenshtein`). Operators are functions too. The test in `test_attack.py`
calls every name below with extreme arguments and measures what is claimed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Shape(StrEnum):
    """What the size of a result depends on."""

    FIXED = "fixed"  # a number, date, flag or digest
    LARGEST = "largest"  # one of the arguments
    SUM = "sum"  # all arguments together, times `factor`
    REPLACED = "replaced"  # the first argument, with each match replaced by a constant
    JOINED = "joined"  # all arguments, with the first one again between any two


class Argument(StrEnum):
    """What an argument must be so that time and size stay bounded."""

    LIKE = "like"  # a constant LIKE pattern
    GLOB = "glob"  # a constant GLOB pattern
    REGEX = "regex"  # a constant regular expression
    PATH = "path"  # a constant JSON path without wildcards
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Function:
    """One allowed name. `demands`: the argument at that position must be such a constant."""

    name: str
    group: str
    shape: Shape
    factor: int = 1
    least: int = 0
    most: int | None = None
    demands: tuple[tuple[int, Argument], ...] = ()


def _functions(
    group: str,
    names: str,
    shape: Shape,
    factor: int = 1,
    *,
    demands: tuple[tuple[int, Argument], ...] = (),
) -> tuple[Function, ...]:
    return tuple(Function(name, group, shape, factor, demands=demands) for name in names.split())


# The factors are bytes out per byte in, at worst, for what DuckDB keeps in memory: one character that
# becomes a list element costs a 16 byte string entry, one bit that becomes a BIGINT index 64 times itself.
_ALLOWED: tuple[Function, ...] = (
    *_functions("Operators", "+ - * / // % ** ^ & | ~ << >> @", Shape.SUM),
    *_functions("Operators", "||", Shape.SUM, 2),
    *_functions("Operators", "<-> <=> && @> <@ ^@", Shape.FIXED),
    *_functions(
        "Numbers",
        "abs acos acosh add asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees divide"
        " even exp fdiv floor fmod gamma gcd greatest_common_divisor isfinite isinf isnan lcm"
        " least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians"
        " round round_even roundbankers sign signbit sin sinh sqrt subtract tan tanh trunc",
        Shape.SUM,
    ),
    *_functions("Numbers", "bit_count xor", Shape.SUM),
    *_functions("Choice", "greatest least nullif constant_or_null", Shape.LARGEST),
    *_functions("Choice", "hash typeof", Shape.FIXED),
    *_functions(
        "Text",
        "ascii bit_length char_length character_length contains ends_with hamming instr length"
        " length_grapheme len mismatches octet_length ord position prefix starts_with strlen strpos suffix"
        " unicode chr md5 md5_number md5_number_lower md5_number_upper sha1 sha256 format_bytes"
        " formatReadableSize formatReadableDecimalSize pg_size_pretty parse_formatted_bytes",
        Shape.FIXED,
    ),
    *_functions(
        "Text",
        "left left_grapheme ltrim reverse right right_grapheme rtrim strip_accents substr substring"
        " substring_grapheme trim encode decode from_base64 from_hex unhex from_binary unbin url_decode"
        " parse_filename parse_dirname parse_dirpath",
        Shape.SUM,
    ),
    *_functions("Text", "lower upper lcase ucase hex to_hex base64 to_base64 concat", Shape.SUM, 2),
    *_functions("Text", "regexp_escape url_encode nfc_normalize translate", Shape.SUM, 4),
    *_functions("Text", "bin to_binary", Shape.SUM, 8),
    *_functions(
        "Text", "split string_split str_split string_to_array split_part parse_path", Shape.SUM, 32
    ),
    *_functions("Text", "concat_ws", Shape.JOINED, 2),
    *_functions(
        "Text",
        "replace",
        Shape.REPLACED,
        demands=(
            (1, Argument.CONSTANT),
            (2, Argument.CONSTANT),
        ),
    ),
    *_functions("Patterns", "~~ !~~ ~~* !~~*", Shape.FIXED, demands=((1, Argument.LIKE),)),
    *_functions(
        "Patterns",
        "like_escape not_like_escape ilike_escape not_ilike_escape",
        Shape.FIXED,
        demands=(
            (1, Argument.LIKE),
            (2, Argument.CONSTANT),
        ),
    ),
    *_functions("Patterns", "~~~", Shape.FIXED, demands=((1, Argument.GLOB),)),
    *_functions(
        "Patterns", "regexp_matches regexp_full_match", Shape.FIXED, demands=((1, Argument.REGEX),)
    ),
    *_functions("Patterns", "regexp_extract", Shape.SUM, demands=((1, Argument.REGEX),)),
    *_functions(
        "Patterns",
        "regexp_extract_all regexp_split_to_array string_split_regex str_split_regex",
        Shape.SUM,
        32,
        demands=((1, Argument.REGEX),),
    ),
    *_functions(
        "Patterns",
        "regexp_replace",
        Shape.REPLACED,
        demands=(
            (1, Argument.REGEX),
            (2, Argument.CONSTANT),
        ),
    ),
    *_functions("Bits", "bit_position get_bit", Shape.FIXED),
    *_functions("Bits", "set_bit", Shape.SUM),
    Function(
        "age", "Dates and times", Shape.FIXED, least=2, most=2
    ),  # with one argument it reads the clock
    *_functions(
        "Dates and times",
        "century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day"
        " dayname dayofmonth dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era hour"
        " isodow isoyear julian last_day make_date make_time make_timestamp make_timestamp_ms"
        " make_timestamp_ns make_timestamptz microsecond millennium millisecond minute month monthname"
        " nanosecond normalized_interval quarter second strptime try_strptime time_bucket"
        " timetz_byte_comparable timezone timezone_hour timezone_minute to_centuries to_days to_decades"
        " to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters"
        " to_seconds to_timestamp to_weeks to_years uuid_extract_timestamp uuid_extract_version week"
        " weekday weekofyear year yearweek",
        Shape.FIXED,
        16,
    ),
    *_functions("Dates and times", "strftime", Shape.SUM, 16),
    *_functions(
        "Lists",
        "array_contains array_has array_has_all array_has_any array_indexof array_length array_position"
        " array_unique list_contains list_has list_has_all list_has_any list_indexof list_position"
        " list_unique array_cosine_distance array_cosine_similarity array_distance array_dot_product"
        " array_inner_product array_negative_dot_product array_negative_inner_product list_cosine_distance"
        " list_cosine_similarity list_distance list_dot_product list_inner_product"
        " list_negative_dot_product list_negative_inner_product list_avg list_bit_and list_bit_or"
        " list_bit_xor list_bool_and list_bool_or list_count list_entropy list_kurtosis list_kurtosis_pop"
        " list_mad list_product list_sem list_skewness list_stddev_pop list_stddev_samp list_sum"
        " list_var_pop list_var_samp",
        Shape.FIXED,
    ),
    *_functions(
        "Lists",
        "array_extract list_element list_extract list_any_value list_first list_last list_max list_median"
        " list_min list_mode array_cross_product list_slice array_slice array_distinct array_intersect"
        " list_distinct list_intersect array_reverse list_reverse array_reverse_sort array_sort"
        " list_reverse_sort list_sort array_where list_where flatten array_pop_back array_pop_front",
        Shape.SUM,
    ),
    *_functions("Lists", "array_grade_up grade_up list_grade_up", Shape.SUM, 64),
    *_functions(
        "Lists",
        "array_value list_pack list_value array_append array_cat array_concat array_prepend"
        " array_push_back array_push_front list_append list_cat list_concat list_prepend",
        Shape.SUM,
        2,
    ),
    *_functions(
        "Structs, maps and unions",
        "cardinality map_contains map_contains_entry map_contains_value struct_contains struct_has"
        " struct_indexof struct_position union_tag",
        Shape.FIXED,
    ),
    *_functions(
        "Structs, maps and unions",
        "element_at map map_entries map_extract map_extract_value map_from_entries map_keys map_values row"
        " struct_concat struct_extract struct_extract_at struct_insert struct_pack struct_update"
        " struct_values union_extract union_value",
        Shape.SUM,
        2,
    ),
    *_functions(
        "JSON",
        "->> json_extract json_extract_path json_extract_path_text json_extract_string json_value",
        Shape.SUM,
        2,
        demands=((1, Argument.PATH),),
    ),
    *_functions(
        "JSON",
        "json_array_length json_exists json_type",
        Shape.FIXED,
        demands=((1, Argument.PATH),),
    ),
    *_functions("JSON", "json_keys", Shape.SUM, 32, demands=((1, Argument.PATH),)),
    *_functions("JSON", "json_valid", Shape.FIXED),
    *_functions("JSON", "json", Shape.SUM),
    *_functions("JSON", "json_quote to_json json_array json_object", Shape.SUM, 8),
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType({f.name.lower(): f for f in _ALLOWED})
"""By lower-case name: DuckDB finds functions without regard to case."""

COLLATIONS = frozenset({"nocase", "noaccent", "nfc", "binary", "c", "posix"})
"""The built-in ones; DuckDB combines them with dots. ICU's are left out: they depend on its data."""

TYPES = frozenset(
    {
        *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
        *("VARCHAR", "BLOB", "BIT", "BIGNUM", "UUID", "DATE", "TIME", "TIME_NS", "INTERVAL"),
        *("TIME WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE"),
        *("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
        *("LIST", "ARRAY", "STRUCT", "MAP", "UNION", "NULL"),
    }
)
"""Type ids a cast may name; JSON, ENUM and GEOMETRY come by name."""

NAMED_TYPES = frozenset({"json", "enum", "geometry"})

VOLATILE = frozenset(
    {
        *("ago", "current_date", "current_localtime", "current_localtimestamp", "current_time"),
        *("current_timestamp", "get_current_time", "get_current_timestamp", "localtime"),
        *("localtimestamp", "now", "today", "transaction_timestamp", "gen_random_uuid", "random"),
        *("uuid", "uuidv4", "uuidv7", "nextval", "currval", "current_query", "current_user"),
    }
)
"""Known to change between two calls. They are refused like any other name; the message says why."""
