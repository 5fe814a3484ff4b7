-- Names of unaliased expressions, per dialect (spec 2.5).

-- case: spark_prints_arithmetic
-- table: t(a int)
SELECT a + 1 FROM t;
--> out.(a + 1) <= t.a

-- case: spark_prints_aggregates
-- table: t(x int)
SELECT sum(x) FROM t;
--> out.sum(x) <= t.x

-- case: spark_prints_count_star_as_count_one
-- table: t(x int)
SELECT count(*) FROM t;
--> out.count(1) <= t[COUNT_ALL]

-- case: postgres_uses_the_function_name
-- dialect: postgres
-- table: t(x int)
SELECT sum(x) FROM t;
--> out.sum <= t.x

-- case: postgres_question_mark_column
-- dialect: postgres
-- table: t(a int)
SELECT a + 1 FROM t;
--> out.?column? <= t.a

-- case: bigquery_counts_anonymous_columns
-- dialect: bigquery
-- table: d.t(a int64)
SELECT a + 1, a, a + 2 FROM d.t;
--> out.f0_ <= d.t.a
--> out.a <- d.t.a
--> out.f1_ <= d.t.a

-- case: duckdb_prints_the_text
-- dialect: duckdb
-- table: t(x int)
SELECT sum(x) FROM t;
--> out.sum(x) <= t.x

-- case: generic_names_by_position
-- dialect: generic
-- table: t(a int, b int)
SELECT a, a + b FROM t;
--> out.a <- t.a
--> out._col_1 <= t.a, t.b

-- case: postgres_functions_keep_their_written_name
-- dialect: postgres
-- table: t(a text, d timestamp)
SELECT date_trunc('day', d), to_char(d, 'YYYY'), string_agg(a, ','), now(), lower(a)::int FROM t;
--> out.date_trunc <= t.d
--> out.to_char <= t.d
--> out.string_agg <= t.a[AGGREGATION]
--> out.now <- ()
--> out.lower <= t.a

-- case: commas_inside_a_type_part_no_items
-- table: t(a int)
SELECT map('k', a) :: map<string, bigint> AS m, a + 1 FROM t;
--> out.m <= t.a
--> out.(a + 1) <= t.a
--> node out.m expression="map('k', a) :: map<string, bigint>"

-- case: a_subquery_in_postgres_is_called_like_its_column
-- dialect: postgres
SELECT (SELECT 1), (SELECT 2 AS two);
--> out.?column? <- ()
--> out.two <- ()

-- case: postgres_looks_into_casts_and_cases
-- dialect: postgres
-- table: t(a int, b text)
SELECT a::text, 1::int, NULL::text[], (a + 1)::numeric(9, 2), CASE WHEN a > 1 THEN 'x' ELSE b END,
  CASE WHEN a > 1 THEN 'x' END, (CASE WHEN a > 1 THEN 2 END)::bigint, true FROM t;
--> out.a <= t.a
--> out.int4 <- ()
--> out.text <- ()
--> out.numeric <= t.a
--> out.b <= t.a[CONDITIONAL], t.b
--> out.case <= t.a[CONDITIONAL]
--> out.int8 <= t.a[CONDITIONAL]
--> out.bool <- ()

-- case: postgres_calls_by_their_last_name
-- dialect: postgres
-- table: t(a int, b text)
SELECT tools.fix(a), pg_catalog.lower(b), mod(a, 2), a % 2, trim(b), ARRAY[a], (a, b), b COLLATE "C" FROM t;
--> out.fix <= t.a
--> out.lower <= t.b
--> out.mod <= t.a
--> out.?column? <= t.a
--> out.btrim <= t.b
--> out.array <= t.a
--> out.row <= t.a, t.b
--> out.b <= t.b

-- case: oracle_calls_by_the_text_without_blanks
-- dialect: oracle
-- table: T(A int, B int)
SELECT "MAX(A)", q."NVL(B,0)", q.* FROM (SELECT max(a), nvl(b, 0) FROM t GROUP BY b) q;
--> out.MAX(A) <= T.A
--> out.NVL(B,0) <= T.B
--> out._col_0 <= T.A
--> out._col_1 <= T.B
--> no issue UNKNOWN_COLUMN

-- case: snowflake_calls_by_the_text_in_capitals
-- dialect: snowflake
-- table: T(A int, B int)
SELECT "COUNT(*)", "A + 1", "'X'" FROM (SELECT count(*), a + 1, 'x' FROM t GROUP BY a);
--> out.COUNT(*) <= T[COUNT_ALL]
--> out.A + 1 <= T.A
--> out.'X' <- ()
--> no issue UNKNOWN_COLUMN

-- case: trino_calls_by_the_position
-- dialect: trino
-- table: t(a int, b int)
SELECT q._col2, q.b, q._col1 FROM (SELECT a + 1, b, b + 1 FROM t) q;
--> out._col2 <= t.b
--> out.b <- t.b
--> out._col1 <- ()
--> issue UNKNOWN_COLUMN column=_col1

-- case: hive_calls_by_the_position
-- dialect: hive
-- table: t(a int)
SELECT q._c1 FROM (SELECT a, a + 1 FROM t) q;
--> out._c1 <= t.a
--> no issue UNKNOWN_COLUMN

-- case: a_comment_is_no_part_of_a_name
-- dialect: duckdb
-- table: t(a int, b int)
SELECT a /* first */ + -- and
    b FROM t;
--> out.a + b <= t.a, t.b

-- case: a_comment_among_pivoted_values
-- dialect: snowflake
-- table: SALES(REGION int, KIND int, AMOUNT int)
SELECT * FROM sales PIVOT (SUM(amount) FOR kind IN ('new', /* or */ 'used'));
--> out.REGION <- SALES.REGION
--> out.'new' <= SALES.AMOUNT, SALES.KIND[CONDITIONAL]
--> out.'used' <= SALES.AMOUNT, SALES.KIND[CONDITIONAL]

-- case: a_named_window_called_after_another
-- table: t(a int, b int)
SELECT sum(a) OVER v, sum(a) OVER (w) FROM t WINDOW u AS (PARTITION BY b), v AS u, w AS v;
--> out.sum(a) OVER (PARTITION BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) <= t.a, t.b[WINDOW]
--> out.sum(a) OVER (PARTITION BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) <= t.a, t.b[WINDOW]

-- case: the_full_name_of_a_column_is_shown_without_its_table
-- schema: {"defaultCatalog": "lake", "defaultSchema": "d"}
-- table: lake.d.t(x int, t struct<x:int>)
SELECT max(lake.d.t.x), max(d.t.x), max(t.x), max(lake.d.t.t.x), max(t.t.x) FROM t;
SELECT max(a.x), max(a.t.x) FROM d.t AS a;
--> @0 out.max(x) <= lake.d.t.x
--> @0 out.max(x) <= lake.d.t.x
--> @0 out.max(x) <= lake.d.t.x
--> @0 out.max(t.x) <= lake.d.t.t
--> @0 out.max(t.x) <= lake.d.t.t
--> @1 out.max(x) <= lake.d.t.x
--> @1 out.max(t.x) <= lake.d.t.t
