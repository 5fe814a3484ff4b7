-- Inferred types, Spark's rules first (spec 2.13).

-- case: declared_types_pass_through
-- table: s(a int, b decimal(9,2), c timestamp)
CREATE TABLE t AS SELECT a, b, c FROM s;
--> t.a <- s.a
--> t.b <- s.b
--> t.c <- s.c
--> schema s(a int, b decimal(9,2), c timestamp) imported
--> schema t(a int, b decimal(9,2), c timestamp) implied @0
--> column t.a dataTypeOrigin=inferred

-- case: literals
CREATE TABLE t AS SELECT 1 AS i, 'x' AS s, true AS b, 1.5 AS d, DATE '2024-01-01' AS day;
--> schema t(i int, s string, b boolean, d decimal(2,1), day date) implied @0

-- case: cast
-- table: s(a string)
CREATE TABLE t AS SELECT CAST(a AS DECIMAL(12,3)) AS a FROM s;
--> t.a <= s.a
--> schema s(a string) imported
--> schema t(a decimal(12,3)) implied @0

-- case: division_is_double
-- table: s(a int, b int)
CREATE TABLE t AS SELECT a / b AS q FROM s;
--> t.q <= s.a, s.b
--> schema s(a int, b int) imported
--> schema t(q double) implied @0

-- case: sum_widens
-- table: s(i int, d decimal(9,2), f double)
CREATE TABLE t AS SELECT sum(i) AS i, sum(d) AS d, sum(f) AS f FROM s;
--> t.i <= s.i
--> t.d <= s.d
--> t.f <= s.f
--> schema s(i int, d decimal(9,2), f double) imported
--> schema t(i bigint, d decimal(19,2), f double) implied @0

-- case: avg_of_decimal
-- table: s(d decimal(9,2), i int)
CREATE TABLE t AS SELECT avg(d) AS d, avg(i) AS i FROM s;
--> t.d <= s.d
--> t.i <= s.i
--> schema s(d decimal(9,2), i int) imported
--> schema t(d decimal(13,6), i double) implied @0

-- case: count_is_bigint
-- table: s(a int)
CREATE TABLE t AS SELECT count(*) AS n, count(a) AS m FROM s;
--> t.n <= s
--> t.m <= s.a
--> schema s(a int) imported
--> schema t(n bigint, m bigint) implied @0

-- case: decimal_addition
-- table: s(a decimal(9,2), b decimal(5,4))
CREATE TABLE t AS SELECT a + b AS c FROM s;
--> t.c <= s.a, s.b
--> schema s(a decimal(9,2), b decimal(5,4)) imported
--> schema t(c decimal(12,4)) implied @0

-- case: decimal_multiplication
-- table: s(a decimal(9,2), b decimal(5,4))
CREATE TABLE t AS SELECT a * b AS c FROM s;
--> t.c <= s.a, s.b
--> schema s(a decimal(9,2), b decimal(5,4)) imported
--> schema t(c decimal(15,6)) implied @0

-- case: case_takes_the_common_type
-- table: s(a int, b bigint)
CREATE TABLE t AS SELECT CASE WHEN a > 0 THEN a ELSE b END AS c FROM s;
--> t.c <= s.a, s.b
--> schema s(a int, b bigint) imported
--> schema t(c bigint) implied @0

-- case: union_widens
-- table: a(x int)
-- table: b(y double)
CREATE TABLE t AS SELECT x FROM a UNION ALL SELECT y FROM b;
--> t.x <- a.x, b.y
--> schema a(x int) imported
--> schema b(y double) imported
--> schema t(x double) implied @0

-- case: struct_field_type
-- table: s(info struct<city:string,zip:int>)
CREATE TABLE t AS SELECT info.zip AS zip FROM s;
--> t.zip <= s.info
--> schema s(info struct<city:string,zip:int>) imported
--> schema t(zip int) implied @0

-- case: comparison_is_boolean
-- table: s(a int)
CREATE TABLE t AS SELECT a > 1 AS big, a IS NULL AS none FROM s;
--> t.big <= s.a
--> t.none <= s.a
--> schema s(a int) imported
--> schema t(big boolean, none boolean) implied @0

-- case: unknown_stays_absent
-- table: s(a)
CREATE TABLE t AS SELECT a FROM s;
--> t.a <- s.a
--> column t.a dataType=null

-- case: concat_is_string
-- table: s(a string, b string)
CREATE TABLE t AS SELECT concat(a, b) AS c, upper(a) AS u, length(a) AS n FROM s;
--> t.c <= s.a, s.b
--> t.u <= s.a
--> t.n <= s.a
--> schema s(a string, b string) imported
--> schema t(c string, u string, n int) implied @0

-- case: mismatches_are_found_wherever_operators_stand
-- table: t(a int, d date, l array<int>)
SELECT CASE WHEN a = NULL THEN 1 END AS one FROM t;
SELECT a = l AS two FROM t;
SELECT l + 1 AS three FROM t;
SELECT a FROM t WHERE a > 1 OR d > l;
SELECT a + 1 AS fine, d + INTERVAL 1 DAY AS later, a = 1.5 AS same FROM t WHERE a > 1 OR a < 5;
--> @0 out.one <= t.a[CONDITIONAL]
--> @1 out.two <= t.a, t.l
--> @2 out.three <= t.l
--> @3 out.a <- t.a
--> @4 out.fine <= t.a
--> @4 out.later <= t.d
--> @4 out.same <= t.a
--> issue TYPE_MISMATCH @0
--> issue TYPE_MISMATCH @1
--> issue TYPE_MISMATCH @2
--> issue TYPE_MISMATCH @3

-- case: equals_null_is_a_mismatch
-- table: t(a int)
SELECT a FROM t WHERE a = NULL;
--> out.a <- t.a
--> issue TYPE_MISMATCH

-- case: explode_gives_the_element_type
-- table: s(items array<int>)
CREATE TABLE t AS SELECT explode(items) AS item FROM s;
--> t.item <= s.items
--> schema s(items array<int>) imported
--> schema t(item int) implied @0

-- case: rank_is_int_and_row_number_too
-- table: s(a int)
CREATE TABLE t AS SELECT row_number() OVER (ORDER BY a) AS n FROM s;
--> t.n <= s.a[WINDOW]
--> schema s(a int) imported
--> schema t(n int) implied @0

-- case: struct_without_the_field_left_out
-- table: s(data struct<f1:int,s2:struct<f2:int,f3:string>>)
CREATE TABLE t AS SELECT * EXCEPT (data.s2.f2) FROM s;
--> t.data <= s.data
--> schema s(data struct<f1:int,s2:struct<f2:int,f3:string>>) imported
--> schema t(data struct<f1:int,s2:struct<f3:string>>) implied @0

-- case: window_of_a_grouping
-- table: s(ts timestamp, v int)
CREATE TABLE t AS SELECT window.start, window.end, window, sum(v) AS n FROM s GROUP BY window(ts, '5 minutes');
--> t.start <= s.ts
--> t.end <= s.ts
--> t.window <= s.ts
--> t.n <= s.v[AGGREGATION]
--> schema s(ts timestamp, v int) imported
--> schema t(start timestamp, end timestamp, window struct<start:timestamp,end:timestamp>, n bigint) implied @0

-- case: declared_variables_have_types
DECLARE VARIABLE x INT DEFAULT 5;
DECLARE y = 'a';
CREATE TABLE t AS SELECT x, session.y AS y, system.session.x + 1 AS z;
--> @2 t.x <- ()
--> @2 t.y <- ()
--> @2 t.z <- ()
--> schema t(x int, y string, z int) implied @2

-- case: spark_strings_keep_their_collation
CREATE TABLE t (a STRING COLLATE utf8_lcase, b ARRAY<STRING COLLATE sr_latn_ai>, c STRING);
CREATE TABLE u AS SELECT a, b, c, c COLLATE unicode AS d, CAST(c AS STRING COLLATE unicode_ci) AS e FROM t;
--> partial
--> schema t(a STRING collate utf8_lcase, b ARRAY<STRING COLLATE sr_latn_ai>, c STRING) implied @0
--> schema u(a STRING collate utf8_lcase, b ARRAY<STRING COLLATE sr_latn_ai>, c STRING, d string collate UNICODE, e string collate UNICODE_CI) implied @1

-- case: spark_strings_take_the_collation_of_the_other_branch
-- dialect: spark
CREATE TABLE t (a STRING COLLATE utf8_lcase);
CREATE TABLE u AS SELECT coalesce(a, 'q') AS b, CASE WHEN true THEN 'q' ELSE a END AS c, array(a, 'q') AS d FROM t;
--> schema t(a STRING collate utf8_lcase) implied @0
--> schema u(b string collate UTF8_LCASE, c string collate UTF8_LCASE, d array<string collate UTF8_LCASE>) implied @1
--> @1 u.b <= t.a
--> @1 u.c <= t.a
--> @1 u.d <= t.a

-- case: what_any_and_all_compare_with_is_no_boolean
-- dialect: postgres
-- table: t(a int, b int)
SELECT a FROM t WHERE a = ANY (ARRAY[1, 2]) OR a > ALL (SELECT b FROM t) OR a < SOME (SELECT b FROM t);
--> out.a <- t.a

-- case: a_cast_behind_a_typed_literal_is_the_last_one
CREATE TABLE t AS SELECT DATE '2024-01-01'::TIMESTAMP AS a, TIME '10:00'::STRING AS b, '1'::INT::BIGINT AS c;
--> schema t(a timestamp, b string, c bigint) implied @0

-- case: a_cast_behind_a_typed_literal_in_postgres
-- dialect: postgres
CREATE TABLE t AS SELECT DATE '2024-01-01'::text AS a;
--> schema t(a text) implied @0

-- case: time_trunc_keeps_the_value_behind_its_unit
CREATE TABLE s (x TIME(3), y TIME);
CREATE TABLE t AS SELECT time_trunc('HOUR', x) AS a, time_diff('HOUR', x, y) AS b, time_diff('HOUR', x, '10:00') AS c FROM s;
--> @1 t.a <= s.x
--> @1 t.b <= s.x, s.y
--> @1 t.c <= s.x
--> schema s(x TIME(3), y TIME) implied @0
--> schema t(a time(3), b bigint, c bigint) implied @1

-- case: numbers_in_hexadecimal
-- dialect: bigquery
-- table: d.t(id int64, x string)
CREATE TABLE d.n AS SELECT 0x1A + id AS n, NORMALIZE_AND_CASEFOLD(x, NFC) AS s FROM d.t;
--> d.n.n <= d.t.id
--> d.n.s <= d.t.x
--> column d.n.n dataType=int64
-- case: a_setting_says_what_kind_a_timestamp_is
SET spark.sql.timestampType = TIMESTAMP_NTZ;
CREATE TABLE visits (at TIMESTAMP, moments ARRAY<TIMESTAMP>, seen TIMESTAMP_LTZ);
CREATE TABLE t AS SELECT at, CAST('2024-01-01' AS TIMESTAMP) AS day, TIMESTAMP '2024-01-01 00:00:00Z' AS moment FROM visits;
SET spark.sql.timestampType = TIMESTAMP_LTZ;
CREATE TABLE u AS SELECT TIMESTAMP '2024-01-01' AS day;
--> t.at <- visits.at
--> schema t(at timestamp_ntz, day timestamp_ntz, moment timestamp) implied @2
--> schema u(day timestamp) implied @4
--> schema visits(at TIMESTAMP_NTZ, moments ARRAY<TIMESTAMP_NTZ>, seen TIMESTAMP_LTZ) implied @1

-- case: functions_make_timestamps_of_the_kind_that_is_set
SET spark.sql.timestampType = TIMESTAMP_NTZ;
CREATE TABLE t AS SELECT to_timestamp('1/2', 'd/M') AS a, make_timestamp(2024, 1, 2, 3, 4, 5) AS b,
  make_timestamp(DATE '2024-01-01', TIME '10:00:00') AS c, try_to_timestamp('x') AS d,
  date_trunc('MONTH', to_timestamp('1/2', 'd/M')) AS e, current_timestamp() AS f;
--> schema t(a timestamp_ntz, b timestamp_ntz, c timestamp, d timestamp_ntz, e timestamp_ntz, f timestamp) implied @1

-- case: a_setting_brings_calendar_intervals_back
SET spark.sql.legacy.interval.enabled = true;
CREATE TABLE t AS SELECT INTERVAL 3 DAYS AS gap, DATE '2024-01-01' + INTERVAL 3 DAYS AS day;
--> schema t(gap interval, day date) implied @1

-- case: what_is_reset_is_what_it_was
SET spark.sql.timestampType = TIMESTAMP_NTZ;
RESET spark.sql.timestampType;
CREATE TABLE one AS SELECT TIMESTAMP '2024-01-01' AS day;
SET spark.sql.legacy.interval.enabled = true;
RESET;
CREATE TABLE two AS SELECT INTERVAL 3 DAYS AS gap;
--> stmt 1 SET
--> stmt 4 RESET
--> schema one(day timestamp) implied @2
--> schema two(gap interval day) implied @5

-- case: bigquery_takes_dates_and_times_out_of_moments
-- dialect: bigquery
-- table: d.t(at timestamp)
CREATE TABLE d.n AS SELECT EXTRACT(DATE FROM at) AS day, EXTRACT(TIME FROM at) AS hour, EXTRACT(YEAR FROM at) AS year
FROM d.t WHERE EXTRACT(DATE FROM at) < CURRENT_DATE();
--> d.n.day <= d.t.at
--> d.n.hour <= d.t.at
--> d.n.year <= d.t.at
--> column d.n.day dataType=date
--> column d.n.hour dataType=time
--> column d.n.year dataType=int64

-- case: numbers_with_a_point_are_doubles_in_bigquery
-- dialect: bigquery
-- table: d.t(a int64)
CREATE TABLE d.u AS SELECT 1.5 AS x, a * 1.5 AS y, -0.5 AS z, NUMERIC '1.5' AS n FROM d.t;
--> schema d.t(a int64) imported
--> schema d.u(x float64, y float64, z float64, n numeric) implied
--> partial

-- case: numbers_with_a_point_are_doubles_in_clickhouse
-- dialect: clickhouse
CREATE TABLE u ENGINE = Memory AS SELECT 1.5 AS x;
--> schema u(x Float64) implied
--> partial

-- case: functions_of_stars
-- table: t(a int, b bigint, s struct<x:int,y:string>)
CREATE TABLE n AS SELECT coalesce(* EXCEPT (a)) AS c, array(q.*) AS l, greatest(q.*) AS g FROM (SELECT a, b FROM t) q;
CREATE TABLE m AS SELECT struct(*) AS r, struct(s.*, 1 AS k) AS f, struct(true AS k, t.*).b AS o, struct((SELECT * FROM (SELECT s FROM t))) AS p FROM t;
CREATE TABLE u AS SELECT struct(nosuch.*) AS r, coalesce(*) AS c FROM nosuch;
--> schema t(a int, b bigint, s struct<x:int,y:string>) imported
--> schema n(c bigint, l array<bigint>, g bigint) implied
--> schema m(r struct<a:int,b:bigint,s:struct<x:int,y:string>>, f struct<x:int,y:string,k:int>, o bigint, p struct<col1:struct<x:int,y:string>>) implied
--> schema u(r, c) implied
--> partial
--> issue UNKNOWN_TABLE @2 relation=nosuch
--> issue APPROXIMATE_LINEAGE @2 relation=nosuch

-- case: spark_computes_with_moments_and_texts_less_than_others
-- table: t(ts timestamp, d date, s string, n int, x decimal(9,2), b binary, m interval month, h interval hour)
SELECT ts + 1 FROM t;
SELECT x + ts FROM t;
SELECT d - x FROM t;
SELECT d * s FROM t;
SELECT s / ts FROM t;
SELECT b + s FROM t;
SELECT 1 FROM t WHERE m > h;
SELECT 1 FROM t WHERE m = s;
SELECT m + h FROM t;
SELECT d + n, d - n, ts - d, ts + h, d + m, s + n, s * x, ts - s, d || s, m + m, h < h, s > ts, b = s, m * n, m / x FROM t;
--> partial
--> issue TYPE_MISMATCH @0
--> issue TYPE_MISMATCH @1
--> issue TYPE_MISMATCH @2
--> issue TYPE_MISMATCH @3
--> issue TYPE_MISMATCH @4
--> issue TYPE_MISMATCH @5
--> issue TYPE_MISMATCH @6
--> issue TYPE_MISMATCH @7
--> issue TYPE_MISMATCH @8

-- case: other_engines_count_days_of_moments
-- dialect: oracle
-- table: T(TS timestamp, S varchar(9))
SELECT ts + 1 FROM t;
--> partial

-- case: what_a_list_holds_is_compared
-- dialect: spark
-- table: t(a int, s string, d date, b boolean)
SELECT a IN (1, 2.5, '3', NULL) AS x FROM t WHERE s IN ('a', 1) AND d IN ('2024-01-01', s) AND b IN (true, NULL);
SELECT a IN (1, d) AS x FROM t;
SELECT a FROM t WHERE b NOT IN (1);
SELECT a FROM t WHERE a IN (1, 'one');
--> @0 out.x <= t.a
--> @1 out.x <= t.a, t.d
--> @2 out.a <- t.a
--> @3 out.a <- t.a
--> issue TYPE_MISMATCH @1
--> issue TYPE_MISMATCH @2
--> issue TYPE_MISMATCH @3

-- case: both_ends_of_a_range_are_compared
-- dialect: spark
-- table: t(a int, s string, d date, b boolean)
SELECT a BETWEEN 1 AND 2.5 AS x FROM t WHERE d BETWEEN '2024-01-01' AND current_date AND s BETWEEN 1 AND a;
SELECT a FROM t WHERE a NOT BETWEEN 1 AND d;
SELECT sum(CASE WHEN b BETWEEN 0 AND 1 THEN a END) AS x FROM t;
--> @0 out.x <= t.a
--> @1 out.a <- t.a
--> @2 out.x <= t.a, t.b
--> issue TYPE_MISMATCH @1
--> issue TYPE_MISMATCH @2

-- case: moments_intervals_and_texts_that_spark_computes_with
-- dialect: spark
-- table: t(s string, z timestamp, m interval year to month, i interval day to second)
SELECT z + m AS a, z - s AS b, s - z AS c, s + i AS d, i + s AS e, s - i AS f, i * 2 AS g, s * m AS h, m / 2 AS j FROM t;
SELECT z + s AS a FROM t;
SELECT m + s AS a FROM t;
SELECT i - s AS a FROM t;
SELECT s / i AS a FROM t;
SELECT m + i AS a FROM t;
--> partial
--> issue TYPE_MISMATCH @1
--> issue TYPE_MISMATCH @2
--> issue TYPE_MISMATCH @3
--> issue TYPE_MISMATCH @4
--> issue TYPE_MISMATCH @5
