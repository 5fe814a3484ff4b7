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
