-- What a select item derives from (spec 2.5).

-- case: plain_column
-- table: t(a int)
SELECT a AS b FROM t;
--> out.b <- t.a[IDENTITY]

-- case: parenthesised_column_is_still_plain
-- table: t(a int)
SELECT (a) AS b FROM t;
--> out.b <- t.a

-- case: expression_derives_from_every_column
-- table: t(a int, b int, c int)
SELECT a + b * c AS v FROM t;
--> out.v <= t.a[TRANSFORMATION], t.b, t.c

-- case: cast_is_a_derivation
-- table: t(a int)
SELECT CAST(a AS INT) AS b FROM t;
--> out.b <= t.a

-- case: literal_has_no_source
-- table: t(a int)
SELECT a, 1 AS one, 'x' AS s FROM t;
--> out.a <- t.a
--> out.one <- ()
--> out.s <- ()

-- case: count_star_comes_from_the_relation
-- table: t(a int)
SELECT count(*) AS n FROM t;
--> out.n <= t[COUNT_ALL]

-- case: constant_row_comes_from_the_relation
-- table: t(a int)
SELECT 1 AS one FROM t;
--> out.one <= t[ROW]

-- case: count_of_a_column
-- table: t(a int)
SELECT count(a) AS n FROM t;
--> out.n <= t.a[AGGREGATION]

-- case: aggregation_details
-- table: t(a int, b int)
SELECT a, sum(DISTINCT b) AS s FROM t GROUP BY a;
--> out.a <- t.a
--> out.s <= t.b[AGGREGATION]
--> node out.a aggregation.isGroupingKey=true
--> node out.s aggregation.function=SUM aggregation.distinct=true

-- case: case_condition_is_conditional
-- table: t(a int, b int, c int)
SELECT CASE WHEN a > 0 THEN b ELSE c END AS v FROM t;
--> out.v <= t.a[CONDITIONAL], t.b, t.c

-- case: if_condition_is_conditional
-- table: t(a int, b int, c int)
SELECT if(a > 0, b, c) AS v FROM t;
--> out.v <= t.a[CONDITIONAL], t.b, t.c

-- case: window_inputs
-- table: t(a int, b int, c int)
SELECT sum(a) OVER (PARTITION BY b ORDER BY c) AS v FROM t;
--> out.v <= t.a, t.b[WINDOW], t.c[WINDOW]

-- case: named_window_inputs
-- table: t(a int, b int)
SELECT row_number() OVER w AS v FROM t WINDOW w AS (PARTITION BY a ORDER BY b);
--> out.v <= t.a[WINDOW], t.b[WINDOW]

-- case: aggregate_filter_is_conditional
-- table: t(a int, b int)
SELECT sum(a) FILTER (WHERE b > 0) AS v FROM t;
--> out.v <= t.a, t.b[CONDITIONAL]

-- case: order_inside_an_aggregate
-- dialect: postgres
-- table: t(a int, b int)
SELECT array_agg(a ORDER BY b) AS v FROM t;
--> out.v <= t.a, t.b[SORT]

-- case: grouping_is_conditional
-- table: t(a int, b int)
SELECT grouping(a) AS g, sum(b) AS s FROM t GROUP BY a WITH ROLLUP;
--> out.g <= t.a[CONDITIONAL]
--> out.s <= t.b

-- case: duplicate_output_names_survive
-- table: t(a int, b int)
SELECT a AS x, b AS x FROM t;
--> out.x <- t.a
--> out.x <- t.b

-- case: same_column_twice
-- table: t(a int)
SELECT a, a FROM t;
--> out.a <- t.a
--> out.a <- t.a

-- case: coalesce_takes_all
-- table: t(a int, b int)
SELECT coalesce(a, b) AS v FROM t;
--> out.v <= t.a, t.b

-- case: masking_functions_are_marked
-- table: t(mail string)
SELECT sha2(mail, 256) AS h FROM t;
--> out.h <= t.mail

-- case: parameter_has_no_source
-- table: t(a int)
SELECT a, :start AS s FROM t;
--> out.a <- t.a
--> out.s <- ()

-- case: distinct_keeps_the_lineage
-- table: t(a int)
SELECT DISTINCT a FROM t;
--> out.a <- t.a

-- case: expression_text_is_kept
-- table: t(a int)
SELECT a + 1 AS b FROM t;
--> out.b <= t.a
--> node out.b expression="a + 1"

-- case: grouping_key_written_as_an_expression
-- table: t(a timestamp, b int)
SELECT date_trunc('day', a) AS day, sum(b) AS s FROM t GROUP BY date_trunc('day', a);
--> out.day <= t.a
--> out.s <= t.b[AGGREGATION]
--> node out.day aggregation.isGroupingKey=true

-- case: alias_is_the_last_resort_in_the_standard
-- dialect: ansi
-- table: t(a int)
SELECT a AS x, x + 1 AS y FROM t;
--> out.x <- T.A
--> out.y <= T.A?
--> issue UNKNOWN_COLUMN column=x

-- case: a_function_of_ones_own_may_be_called_like_one_that_wants_more
-- table: t(a string)
SELECT encrypt(a) AS hidden FROM t;
--> out.hidden <= t.a

-- case: count_without_an_argument_reads_rows
-- dialect: clickhouse
-- table: t(a Int32)
CREATE TABLE n ENGINE = Memory AS SELECT count() AS c, sum(a) AS s FROM t;
--> n.c <= t[COUNT_ALL]
--> n.s <= t.a
--> column n.s dataType=Int64

-- case: rows_of_struct_values_have_their_fields_for_columns
-- dialect: bigquery
-- table: d.t(a int64, b int64)
SELECT v.a, q FROM (SELECT AS VALUE STRUCT(a, b AS q) FROM d.t) AS v;
SELECT * FROM (SELECT AS VALUE STRUCT(a, b + 1 AS q) FROM d.t);
--> @0 out.a <- d.t.a
--> @0 out.q <- d.t.b
--> @1 out.a <- d.t.a
--> @1 out.q <= d.t.b

-- case: rows_of_a_struct_column
-- dialect: bigquery
-- table: d.t(s struct<x int64, y int64>)
SELECT v.y FROM (SELECT AS VALUE s FROM d.t) AS v;
--> out.y <= d.t.s

-- case: the_newest_row_of_each_group_as_value
-- dialect: bigquery
-- table: d.t(id int64, x int64, ts int64)
SELECT AS VALUE ARRAY_AGG(r ORDER BY ts DESC LIMIT 1)[OFFSET(0)] FROM d.t AS r GROUP BY id;
--> out.id <= d.t.id, d.t.ts
--> out.x <= d.t.x, d.t.ts
--> out.ts <= d.t.ts

-- case: rows_as_values_are_rows
-- dialect: bigquery
-- table: d.t(a int64, b int64)
SELECT AS VALUE r FROM d.t AS r;
--> out.a <- d.t.a
--> out.b <- d.t.b

-- case: a_value_that_is_no_struct_stays_one_column
-- dialect: bigquery
-- table: d.t(a int64)
SELECT v + 1 AS w FROM (SELECT AS VALUE a FROM d.t) AS v;
--> out.w <= d.t.a

-- case: a_star_for_an_argument_is_every_column
-- table: t(a int, b int, c int)
SELECT sha2(concat_ws('|', *), 256) AS h, struct(* EXCEPT (c)) AS s, 5 IN (*) AS found, count(*) AS n FROM t;
--> out.h <= t.a, t.b, t.c
--> out.s <= t.a, t.b
--> out.found <= t.a, t.b, t.c
--> out.n <= t[COUNT_ALL]

-- case: a_star_for_an_argument_in_snowflake
-- dialect: snowflake
-- table: t(a int, b int)
-- table: u(c int, ...)
SELECT object_construct(*) AS o, hash(t.*) AS h FROM t JOIN u ON t.a = u.c;
--> out.o <= T.A, T.B, U.C?, U?
--> out.h <= T.A, T.B

-- case: a_star_over_a_struct_for_an_argument
-- table: t(id int, s struct<x:int,y:int>)
SELECT struct(id, s.*) AS one, struct(t.s.*) AS two FROM t;
--> out.one <= t.id, t.s
--> out.two <= t.s

-- case: a_star_for_an_argument_where_it_means_rows
-- dialect: postgres
-- table: t(a int)
SELECT total_rows(*) AS n FROM t;
--> out.n <= t[ROW]

-- case: a_named_window_that_begins_with_another
-- table: t(a int, b int, c int)
SELECT rank() OVER v AS r, sum(a) OVER w AS s FROM t WINDOW u AS (PARTITION BY b), v AS u, w AS (u ORDER BY c);
--> out.r <= t.b[WINDOW]
--> out.s <= t.a, t.b[WINDOW], t.c[WINDOW]

-- case: a_named_window_that_begins_with_itself
-- table: t(a int)
SELECT rank() OVER v AS r FROM t WINDOW u AS v, v AS u;
--> out.r <= t[ROW]

-- case: the_unit_of_a_truncation_may_be_a_column
-- table: t(at timestamp, level string)
SELECT date_trunc(level, at) AS x, trunc(at, level) AS y, date_trunc('week', at) AS z FROM t;
SELECT trunc(at, 'level') AS n FROM t;
SELECT date_trunc(level, at) AS x FROM t WHERE level = 'level';
--> @0 out.x <= t.level, t.at
--> @0 out.y <= t.level, t.at
--> @0 out.z <= t.at
--> @1 out.n <= t.at
--> @2 out.x <= t.level, t.at

-- case: time_windows_in_grouping_sets
-- table: t(a int, at timestamp)
SELECT a, window.start AS s, count(*) AS n FROM t GROUP BY GROUPING SETS ((a, window(at, '5 minutes')), (a));
SELECT a, session_window.end AS e FROM t GROUP BY CUBE (a, session_window(at, '5 minutes'));
--> @0 out.a <- t.a
--> @0 out.s <= t.at
--> @0 out.n <= t[COUNT_ALL]
--> @1 out.a <- t.a
--> @1 out.e <= t.at

-- case: duckdb_calls_functions_behind_a_column_of_a_table_nobody_knows
-- dialect: duckdb
SELECT name.trim().lower() AS n, main.greet(x) AS g FROM people;
--> out.n <= people.name?
--> out.g <= people.x

-- case: rows_are_counted_by_a_literal_as_by_a_star
-- table: t(a int, b int)
SELECT a, COUNT(1) AS n, COUNT('x') AS m, COUNT(b) AS k FROM t GROUP BY a;
--> out.a <- t.a
--> out.n <= t[COUNT_ALL]
--> out.m <= t[COUNT_ALL]
--> out.k <= t.b

-- case: the_number_of_a_grouping_tells_which_keys_it_has
-- dialect: hive
-- table: t(a int, b int, c int)
SELECT SUM(c) AS s, GROUPING__ID FROM t GROUP BY a, b WITH CUBE;
--> out.s <= t.c
--> out.GROUPING__ID <= t.a[CONDITIONAL], t.b[CONDITIONAL]

-- case: a_grouping_id_without_arguments_is_one_of_all_keys
-- table: t(a int, b int, c int)
SELECT SUM(c) AS s, grouping_id() AS g FROM t GROUP BY CUBE (a, b);
--> out.s <= t.c
--> out.g <= t.a[CONDITIONAL], t.b[CONDITIONAL]
