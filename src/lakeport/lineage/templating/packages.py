"""Stand-ins for macros of well-known dbt packages, written as the SQL they amount to.

Only what the lineage depends on is kept: which columns and relations go in, not how they are
computed. A macro that is not here passes its first text or relation through.
"""

from __future__ import annotations

_STAR = """
{%- macro star(from, relation_alias=False, except=[], prefix='', suffix='', quote_identifiers=True, unquote_aliases=True) -%}
{{ relation_alias ~ '.' if relation_alias else '' }}*
{%- if except %} {{ _except_word }} ({{ except | join(', ') }}){% endif -%}
{%- endmacro -%}
"""
_KEYS = """
{%- macro generate_surrogate_key(field_list) -%} md5(concat({{ field_list | join(', ') }})) {%- endmacro -%}
{%- macro surrogate_key(field_list) -%}
md5(concat({{ (field_list if field_list is not string else [field_list] + varargs | list) | join(', ') }}))
{%- endmacro -%}
"""
_RELATIONS = """
{%- macro union_relations(relations, column_override={}, include=[], exclude=[], source_column_name='_dbt_source_relation', where=none) -%}
{%- for relation in relations %}(select {{ "'" ~ relation ~ "' as " ~ source_column_name ~ ', ' if source_column_name }}{{ include | join(', ') if include else '*' }}{% if exclude and not include %} {{ _except_word }} ({{ exclude | join(', ') }}){% endif %} from {{ relation }}{{ ' where ' ~ where if where else '' }}){% if not loop.last %} union all by name {% endif %}{% endfor -%}
{%- endmacro -%}
{%- macro deduplicate(relation, partition_by=none, order_by=none) -%} (select * from {{ relation }}) {%- endmacro -%}
{%- macro date_spine(datepart, start_date, end_date) -%} (select cast({{ start_date }} as date) as date_{{ datepart }}) {%- endmacro -%}
{%- macro generate_series(upper_bound) -%} (select 1 as generated_number) {%- endmacro -%}
{%- macro unpivot(relation, cast_to='varchar', exclude=[], remove=[], field_name='field_name', value_name='value', quote_identifiers=False) -%}
(select {% for column in exclude %}{{ column }}, {% endfor %}'' as {{ field_name }}, cast(to_json(struct(*{% if exclude or remove %} {{ _except_word }} ({{ (exclude + remove) | join(', ') }}){% endif %})) as {{ cast_to }}) as {{ value_name }} from {{ relation }})
{%- endmacro -%}
"""
_ARITHMETIC = """
{%- macro group_by(n) -%} group by {% for i in range(1, n + 1) %}{{ i }}{% if not loop.last %}, {% endif %}{% endfor %} {%- endmacro -%}
{%- macro safe_divide(numerator, denominator) -%} ({{ numerator }}) / nullif(({{ denominator }}), 0) {%- endmacro -%}
{%- macro safe_add(field_list) -%} ({{ (field_list if field_list is not string else [field_list] + varargs | list) | join(' + ') }}) {%- endmacro -%}
{%- macro safe_subtract(field_list) -%} ({{ (field_list if field_list is not string else [field_list] + varargs | list) | join(' - ') }}) {%- endmacro -%}
{%- macro get_column_values(table, column, order_by='', max_records=none, default=none, where=none) -%}{%- do return(default or []) -%}{%- endmacro -%}
{%- macro get_filtered_columns_in_relation(from, except=[]) -%}{%- do return([]) -%}{%- endmacro -%}
{%- macro get_relations_by_prefix(schema, prefix, exclude='', database='') -%}{%- do return([]) -%}{%- endmacro -%}
{%- macro get_relations_by_pattern(schema_pattern, table_pattern, exclude='', database='') -%}{%- do return([]) -%}{%- endmacro -%}
{%- macro pivot(column, values, alias=True, agg='sum', cmp='=', prefix='', suffix='', then_value=1, else_value=0, quote_identifiers=True, distinct=False) -%}
{%- for value in values %}{{ agg }}(case when {{ column }} {{ cmp }} '{{ value }}' then {{ then_value }} else {{ else_value }} end) as {{ prefix }}{{ value }}{{ suffix }}{% if not loop.last %}, {% endif %}{% endfor -%}
{%- endmacro -%}
"""
_CROSS_DATABASE = """
{%- macro date_trunc(datepart, date) -%} date_trunc('{{ datepart }}', {{ date }}) {%- endmacro -%}
{%- macro dateadd(datepart, interval, from_date_or_timestamp) -%} (cast({{ from_date_or_timestamp }} as timestamp) + ({{ interval }}) * interval '1' day) {%- endmacro -%}
{%- macro datediff(first_date, second_date, datepart) -%} datediff({{ second_date }}, {{ first_date }}) {%- endmacro -%}
{%- macro last_day(date, datepart) -%} last_day({{ date }}) {%- endmacro -%}
{%- macro safe_cast(field, type) -%} cast({{ field }} as {{ type }}) {%- endmacro -%}
{%- macro cast(field, type) -%} cast({{ field }} as {{ type }}) {%- endmacro -%}
{%- macro concat(fields) -%} concat({{ fields | join(', ') }}) {%- endmacro -%}
{%- macro hash(field) -%} md5({{ field }}) {%- endmacro -%}
{%- macro length(expression) -%} length({{ expression }}) {%- endmacro -%}
{%- macro right(string_text, length_expression) -%} right({{ string_text }}, {{ length_expression }}) {%- endmacro -%}
{%- macro position(substring_text, string_text) -%} position({{ substring_text }} in {{ string_text }}) {%- endmacro -%}
{%- macro replace(field, old_chars, new_chars) -%} replace({{ field }}, {{ old_chars }}, {{ new_chars }}) {%- endmacro -%}
{%- macro split_part(string_text, delimiter_text, part_number) -%} split_part({{ string_text }}, {{ delimiter_text }}, {{ part_number }}) {%- endmacro -%}
{%- macro string_literal(value) -%} '{{ value }}' {%- endmacro -%}
{%- macro listagg(measure, delimiter_text="','", order_by_clause='', limit_num=none) -%} listagg({{ measure }}, {{ delimiter_text }}) {%- endmacro -%}
{%- macro array_agg(expression) -%} array_agg({{ expression }}) {%- endmacro -%}
{%- macro any_value(expression) -%} any_value({{ expression }}) {%- endmacro -%}
{%- macro bool_or(expression) -%} bool_or({{ expression }}) {%- endmacro -%}
{%- macro current_timestamp() -%} current_timestamp {%- endmacro -%}
{%- macro current_timestamp_backcompat() -%} current_timestamp {%- endmacro -%}
{%- macro current_timestamp_in_utc() -%} current_timestamp {%- endmacro -%}
{%- macro current_timestamp_in_utc_backcompat() -%} current_timestamp {%- endmacro -%}
{%- macro cast_bool_to_text(field) -%} cast({{ field }} as varchar) {%- endmacro -%}
{%- macro escape_single_quotes(expression) -%} {{ expression | replace("'", "''") }} {%- endmacro -%}
{%- macro except() -%} except {%- endmacro -%}
{%- macro intersect() -%} intersect {%- endmacro -%}
{%- macro array_append(array, new_element) -%} array_append({{ array }}, {{ new_element }}) {%- endmacro -%}
{%- macro array_concat(array_1, array_2) -%} array_concat({{ array_1 }}, {{ array_2 }}) {%- endmacro -%}
{%- macro array_construct(inputs=[], data_type='integer') -%} array({{ inputs | join(', ') }}) {%- endmacro -%}
{%- macro date(year, month, day) -%} cast('{{ year }}-{{ month }}-{{ day }}' as date) {%- endmacro -%}
{%- macro type_string() -%} varchar {%- endmacro -%}
{%- macro type_int() -%} int {%- endmacro -%}
{%- macro type_bigint() -%} bigint {%- endmacro -%}
{%- macro type_float() -%} float {%- endmacro -%}
{%- macro type_numeric() -%} decimal {%- endmacro -%}
{%- macro type_boolean() -%} boolean {%- endmacro -%}
{%- macro type_timestamp() -%} timestamp {%- endmacro -%}
"""
_DATES = """
{%- macro get_base_dates(start_date=none, end_date=none, n_dateparts=none, datepart='day') -%}
select cast('2000-01-01' as timestamp) as date_{{ datepart }}
{%- endmacro -%}
{%- macro date_part(datepart, date) -%} extract({{ datepart }} from {{ date }}) {%- endmacro -%}
{%- macro convert_timezone(column, target_tz=none, source_tz=none) -%} cast({{ column }} as timestamp) {%- endmacro -%}
{%- macro now(tz=none) -%} current_timestamp {%- endmacro -%}
{%- macro today(tz=none) -%} current_date {%- endmacro -%}
{%- macro yesterday(date=none, tz=none) -%} {{ date or 'current_date' }} {%- endmacro -%}
{%- macro tomorrow(date=none, tz=none) -%} {{ date or 'current_date' }} {%- endmacro -%}
{%- macro n_days_ago(n, date=none, tz=none) -%} {{ date or 'current_date' }} {%- endmacro -%}
{%- macro n_days_away(n, date=none, tz=none) -%} {{ date or 'current_date' }} {%- endmacro -%}
"""
# The package's own ask the database for columns or rows, or refuse to work by now.
ASKING = frozenset(
    {
        "get_column_values",
        "get_filtered_columns_in_relation",
        "get_relations_by_pattern",
        "get_relations_by_prefix",
        "star",
        "surrogate_key",
        "union_relations",
        "unpivot",
    }
)
_UTILS = _STAR + _KEYS + _RELATIONS + _ARITHMETIC
PACKAGES = {"dbt_utils": _UTILS + _CROSS_DATABASE, "dbt": _CROSS_DATABASE, "dbt_date": _DATES}


def except_word(dialect: str) -> str:
    """How a dialect leaves columns out of a star."""
    return "EXCLUDE" if dialect in {"snowflake", "duckdb", "redshift"} else "EXCEPT"
