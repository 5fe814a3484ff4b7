"""Functions that always give the same type, and the complete tables of both families of dialects.

Spark's are named here, by the parser's class where it has one and by the function's own name where
it has none. For other dialects the parser's own typing tables say which functions are fixed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from sqlglot import exp

from lakeport.lineage.dialects import engine_of
from lakeport.lineage.types.aggregates import AGGREGATE_NAMES, AGGREGATE_NODES
from lakeport.lineage.types.lambdas import LAMBDA_NAMES, LAMBDA_NODES, LambdaRule
from lakeport.lineage.types.model import (
    BIGINT,
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DAY_TO_SECOND,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VARIANT,
    VOID,
    YEAR_TO_MONTH,
    SqlType,
    array_of,
)
from lakeport.lineage.types.nested import NESTED_NAMES, NESTED_NODES
from lakeport.lineage.types.operators import OPERATORS
from lakeport.lineage.types.read import SPARK_FAMILY, parser_of, type_of_node
from lakeport.lineage.types.rules import THIS, Answer, Rule, Types, first
from lakeport.lineage.types.scalars import SCALAR_NAMES, SCALAR_NODES
from lakeport.lineage.types.times import TIME_NAMES, TIME_NODES

Entry: TypeAlias = Answer | LambdaRule
Table: TypeAlias = dict[type[exp.Expr], Entry | None]

_PREDICATES = """
    EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ EqualNull Is And Or Xor Not In Between Like ILike
    Escape SimilarTo RegexpLike RegexpILike Exists ArrayContains ArrayContainsAll
    ArrayOverlaps MapContainsKey StartsWith EndsWith Contains IsNan IsInf
"""
# Per result type: the parser's classes, then the names it has no class for.
_SPARK: dict[SqlType, tuple[str, str]] = {
    BOOLEAN: (
        _PREDICATES,
        """any array_contains arrays_overlap bool_and bool_or boolean contains endswith every forall
        ilike is_valid_utf8 is_valid_variant is_variant_null isnotnull isnull json_exists like
        luhn_check regexp regexp_like rlike some startswith xpath_boolean""",
    ),
    TINYINT: ("Getbit", "tinyint"),
    SMALLINT: ("", "smallint xpath_short"),
    INT: (
        """ArraySize Ascii BitLength BitwiseCount Day DayOfMonth DayOfWeek DayOfYear DenseRank Hour
        Length Levenshtein Minute Month Ntile Quarter Rank RegexpCount RegexpInstr RowNumber Second
        StrPosition Unicode UnixDate Week WeekOfYear Year YearOfWeek""",
        """cardinality char_length character_length find_in_set hash int json_array_length
        octet_length spark_partition_id st_srid weekday xpath_int""",
    ),
    BIGINT: (
        """ApproxDistinct ArrayPosition BitmapBitPosition BitmapBucketNumber BitmapCount Count
        CountIf Factorial RegrCount StrToUnix TimeDiff TimestampDiff UnixMicros UnixMillis
        UnixSeconds WidthBucket""",
        """bigint crc32 hll_sketch_estimate input_file_block_length input_file_block_start
        kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
        kll_sketch_get_quantile_bigint monotonically_increasing_id theta_sketch_estimate
        time_to_micros time_to_millis timediff tuple_sketch_summary_integer xpath_long xxh3_64
        xxhash64""",
    ),
    FLOAT: (
        "",
        """float kll_sketch_get_quantile_float vector_cosine_similarity vector_inner_product
        vector_l2_distance vector_norm xpath_float""",
    ),
    DOUBLE: (
        """Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Corr Cos Cosh Cot CovarPop CovarSamp Csc
        CumeDist Degrees Exp Kurtosis Ln Log MonthsBetween PercentRank PercentileCont
        PercentileDisc Pi Pow Radians Rand Randn RegrAvgx RegrAvgy RegrIntercept RegrR2 RegrSlope
        RegrSxx RegrSxy RegrSyy Rint Sec Sign Sin Sinh Skewness Sqrt Stddev StddevPop StddevSamp Tan
        Tanh Variance VariancePop""",
        """double e expm1 hypot jaro_winkler_similarity kll_sketch_get_quantile_double
        kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float log10 log1p
        log2 rint std tuple_sketch_estimate_double tuple_sketch_estimate_integer
        tuple_sketch_summary_double tuple_sketch_theta_double tuple_sketch_theta_integer var_samp
        variance xpath_double xpath_number""",
    ),
    STRING: (
        """ArrayToString Chr Collation ConcatWs CurrentCatalog CurrentDatabase CurrentSchema
        CurrentTimezone CurrentUser DateToDateStr Dayname Decode Format Hex Initcap
        JSONExtractScalar JSONFormat Lower MD5 Monthname Normalize ParseUrl Randstr RegexpExtract
        RegexpReplace RegexpSubstr Repeat Replace Right SHA SHA2 SessionUser Soundex Space SplitPart
        SubstringIndex TimeToStr ToBase32 ToBase64 ToChar Translate Trim Typeof UnixToStr Upper
        Uuid""",
        """bin btrim char conv current_path elt format_number format_string input_file_name
        java_method json_query json_typeof json_value make_valid_utf8 mask parse_sql printf quote
        randstr reflect schema_of_csv schema_of_json schema_of_variant schema_of_variant_agg
        schema_of_xml string to_csv to_json to_varchar to_xml try_parse_url try_reflect
        try_url_decode try_validate_utf8 url_decode url_encode user validate_utf8 varchar version
        xpath_string xxh3_128""",
    ),
    BINARY: (
        "BitmapConstructAgg BitmapOrAgg Encode FromBase32 FromBase64 ToBinary Unhex",
        """aes_decrypt aes_encrypt binary bitmap_and_agg bitmap_construct_agg bitmap_or_agg
        count_min_sketch hll_sketch_agg hll_union hll_union_agg hmac kll_merge_agg_bigint
        kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double
        kll_sketch_agg_float st_asbinary theta_difference theta_intersection theta_intersection_agg
        theta_sketch_agg theta_union theta_union_agg try_aes_decrypt try_to_binary
        tuple_difference_double tuple_difference_integer tuple_difference_theta_double
        tuple_difference_theta_integer tuple_intersection_agg_double tuple_intersection_agg_integer
        tuple_intersection_double tuple_intersection_integer tuple_intersection_theta_double
        tuple_intersection_theta_integer tuple_sketch_agg_double tuple_sketch_agg_integer
        tuple_union_agg_double tuple_union_agg_integer tuple_union_double tuple_union_integer
        tuple_union_theta_double tuple_union_theta_integer""",
    ),
    DATE: (
        """AddMonths CurrentDate Date DateAdd DateFromParts DateFromUnixDate DateStrToDate DateSub
        DateTrunc LastDay NextDay StrToDate TsOrDsAdd TsOrDsToDate""",
        "date make_date try_to_date",
    ),
    TIME: (
        "CurrentTime Localtime",
        "make_time time_from_micros time_from_millis time_from_seconds to_time try_to_time",
    ),
    TIMESTAMP: (
        """AtTimeZone CurrentTimestamp FromTimeZone StrToTime TimeStrToTime TimestampFromParts
        TsOrDsToTimestamp UnixToTime""",
        """make_timestamp make_timestamp_ltz now timestamp timestamp_micros timestamp_millis
        timestamp_seconds to_timestamp_ltz try_make_timestamp try_make_timestamp_ltz
        try_to_timestamp window_time""",
    ),
    TIMESTAMP_NTZ: (
        "ConvertTimezone Localtimestamp",
        "make_timestamp_ntz to_timestamp_ntz try_make_timestamp_ntz",
    ),
    CALENDAR_INTERVAL: ("MakeInterval", "try_make_interval"),
    DAY_TO_SECOND: ("", "make_dt_interval"),
    YEAR_TO_MONTH: ("", "make_ym_interval"),
    VARIANT: (
        "ParseJSON",
        """to_variant_object try_parse_json try_variant_array_append try_variant_insert
        try_variant_set variant_array_append variant_delete variant_from_arrays variant_from_entries
        variant_insert variant_set variant_strip_nulls""",
    ),
    VOID: ("", "assert_true raise_error"),
    array_of(FLOAT): ("", "vector_avg vector_normalize vector_sum"),
}


def _classes(text: str) -> list[type[exp.Expr]]:
    return [getattr(exp, name) for name in text.split()]


def _quantified(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """`= ANY (…)` compares with each row or element; Spark's `any(flag)` is an aggregate."""
    inner = node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    rows = isinstance(inner, exp.Query | exp.Tuple) or (types and types[0] != BOOLEAN)
    return BOOLEAN if dialect in SPARK_FAMILY and not rows else None


_STRUCTURAL: dict[type[exp.Expr], Entry] = {
    exp.Any: Rule(THIS, _quantified),
    exp.All: Rule(THIS, _quantified),
    **OPERATORS,
    **SCALAR_NODES,
    **TIME_NODES,
    **NESTED_NODES,
    **AGGREGATE_NODES,
    **LAMBDA_NODES,
}
_SPARK_NODES: Table = {
    **{cls: type_ for type_, (classes, _) in _SPARK.items() for cls in _classes(classes)},
    **_STRUCTURAL,
}
_SPARK_NAMES: dict[str, Entry] = {
    **{name: type_ for type_, (_, names) in _SPARK.items() for name in names.split()},
    **SCALAR_NAMES,
    **TIME_NAMES,
    **NESTED_NAMES,
    **AGGREGATE_NAMES,
    **LAMBDA_NAMES,
}


# Of texts these make texts, of bytes bytes.
_BIGQUERY: dict[type[exp.Expr], Entry] = {
    **dict.fromkeys(
        (
            *(exp.Lower, exp.RegexpExtract, exp.RegexpReplace, exp.Repeat, exp.Replace),
            *(exp.Translate, exp.Trim, exp.Upper),
        ),
        Rule(THIS, first),
    ),
    exp.JSONFormat: STRING,
}


@lru_cache(maxsize=64)
def node_table(dialect: str) -> Table:
    """What is known about each class of node in a dialect."""
    if dialect in SPARK_FAMILY:
        return _SPARK_NODES
    fixed: dict[type[exp.Expr], Entry] = dict.fromkeys(_classes(_PREDICATES), BOOLEAN)
    for cls, facts in engine_of(parser_of(dialect)).EXPRESSION_METADATA.items():
        returns = facts.get("returns")
        if isinstance(returns, exp.DType):
            type_ = type_of_node(exp.DataType(this=returns), dialect)
            if type_ is not None:
                fixed[cls] = type_
    own = _BIGQUERY if dialect == "bigquery" else {}
    return {**fixed, exp.Count: BIGINT, **_STRUCTURAL, **own}


def named_table(dialect: str) -> dict[str, Entry]:
    """What is known about functions the parser has no class for."""
    return _SPARK_NAMES if dialect in SPARK_FAMILY else {}
