-- INSERT (spec 2.10).

-- case: with_a_column_list
-- table: s(a int, b int)
-- table: t(x int, y int)
INSERT INTO t (y, x) SELECT a, b FROM s;
--> t.y <- s.a
--> t.x <- s.b
--> stmt 0 INSERT reads s writes t

-- case: by_position_into_a_known_target
-- table: s(a int, b int)
-- table: t(x int, y int)
INSERT INTO t SELECT b, a FROM s;
--> t.x <- s.b
--> t.y <- s.a

-- case: unknown_target_takes_projection_names
-- table: s(a int, b int)
-- options: {"unknownTablePolicy": "never"}
INSERT INTO t SELECT a, b AS c FROM s;
--> t.a <- s.a
--> t.c <- s.b

-- case: generated_names_into_an_unknown_target_are_approximate
-- table: s(a int)
-- options: {"unknownTablePolicy": "never"}
INSERT INTO t SELECT a + 1 FROM s;
--> t.(a + 1) <= s.a?

-- case: too_few_columns
-- table: s(a int)
-- table: t(x int, y int)
INSERT INTO t (x, y) SELECT a FROM s;
--> t.x <- s.a
--> issue COLUMN_COUNT_MISMATCH

-- case: too_many_columns
-- table: s(a int, b int)
-- table: t(x int)
INSERT INTO t SELECT a, b FROM s;
--> t.x <- s.a
--> issue COLUMN_COUNT_MISMATCH

-- case: values
-- table: t(x int, y int)
INSERT INTO t VALUES (1, 2);
--> stmt 0 INSERT writes t

-- case: with_before_insert
-- dialect: postgres
-- table: s(a int)
-- table: t(x int)
WITH c AS (SELECT a FROM s) INSERT INTO t SELECT a FROM c;
--> t.x <- s.a
--> stmt 0 INSERT reads s writes t

-- case: with_inside_the_query
-- table: s(a int)
-- table: t(x int)
INSERT INTO t WITH c AS (SELECT a FROM s) SELECT a FROM c;
--> t.x <- s.a
--> stmt 0 INSERT reads s writes t

-- case: overwrite
-- table: s(a int)
-- table: t(x int)
INSERT OVERWRITE TABLE t SELECT a FROM s;
--> t.x <- s.a
--> stmt 0 INSERT_OVERWRITE reads s writes t

-- case: by_name
-- table: s(a int, b int)
-- table: t(b int, a int)
INSERT INTO t BY NAME SELECT a, b FROM s;
--> t.a <- s.a
--> t.b <- s.b

-- case: static_partition
-- table: s(a int, b int)
-- table: t(x int, dt string, y int)
INSERT INTO t PARTITION (dt = '2024-01-01') SELECT a, b FROM s;
--> t.x <- s.a
--> t.y <- s.b

-- case: dynamic_partition_comes_last
-- table: s(a int, d string)
-- table: t(x int, dt string)
INSERT INTO t PARTITION (dt) SELECT a, d FROM s;
--> t.x <- s.a
--> t.dt <- s.d

-- case: multi_insert
-- dialect: hive
-- table: s(a int, b int)
-- table: t(x int)
-- table: u(y int)
FROM s INSERT INTO TABLE t SELECT a INSERT INTO TABLE u SELECT b;
--> t.x <- s.a
--> u.y <- s.b
--> stmt 0 INSERT reads s writes t, u

-- case: on_conflict_update
-- dialect: postgres
-- table: s(k int, v int)
-- table: t(k int, v int)
INSERT INTO t (k, v) SELECT k, v FROM s ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v + t.v;
--> t.k <- s.k
--> t.v <- s.v <= t.v

-- case: on_duplicate_key_update
-- dialect: mysql
-- table: s(k int, v int)
-- table: t(k int, v int, w int)
INSERT INTO t (k, v) SELECT k, v FROM s ON DUPLICATE KEY UPDATE w = VALUES(v);
--> t.k <- s.k
--> t.v <- s.v
--> t.w <- s.v

-- case: returning_is_an_output
-- dialect: postgres
-- table: s(a int)
-- table: t(x int)
INSERT INTO t (x) SELECT a FROM s RETURNING x AS written;
--> t.x <- s.a
--> out.written <- t.x

-- case: from_a_set_operation
-- table: a(x int)
-- table: b(y int)
-- table: t(z int)
INSERT INTO t SELECT x FROM a UNION ALL SELECT y FROM b;
--> t.z <- a.x, b.y

-- case: insert_table
-- table: s(a int, b int)
-- table: t(x int, y int)
INSERT INTO t TABLE s;
--> t.x <- s.a
--> t.y <- s.b

-- case: replace_where
-- dialect: databricks
-- table: s(a int)
-- table: t(x int)
INSERT INTO t REPLACE WHERE x > 1 SELECT a FROM s;
--> t.x <- s.a

-- case: star_into_a_known_target
-- table: s(a int, b int)
-- table: t(x int, y int)
INSERT INTO t SELECT * FROM s;
--> t.x <- s.a
--> t.y <- s.b

-- case: self_insert
-- table: t(x int)
INSERT INTO t SELECT x + 1 FROM t;
--> t.x <= t.x
--> stmt 0 INSERT reads t writes t

-- case: upsert_of_a_tuple
-- dialect: postgres
-- table: t(id int, v int)
-- table: s(x int, y int)
INSERT INTO t (id, v) VALUES (1, 2)
ON CONFLICT (id) DO UPDATE SET (id, v) = (SELECT x, y FROM s);
--> t.id <= s.x
--> t.v <= s.y

-- case: replace_into
-- dialect: mysql
-- table: t(id int, v int)
-- table: s(a int, b int)
REPLACE INTO t (v, id) SELECT a, b FROM s;
--> t.v <- s.a
--> t.id <- s.b

-- case: insert_all_without_values_takes_the_row
-- dialect: snowflake
-- table: SRC(A int, B int)
-- table: BIG(X int, Y int)
-- table: NAMES(N int)
-- table: REST(P int, Q int)
-- options: {"includeIndirect": true}
INSERT ALL WHEN a > 1 THEN INTO big INTO names VALUES (b) ELSE INTO rest (q, p) SELECT a, b FROM src;
--> BIG.X <- SRC.A
--> BIG.Y <- SRC.B
--> NAMES.N <- SRC.B
--> REST.Q <- SRC.A
--> REST.P <- SRC.B
--> BIG <~ _derived_0.a[FILTER]
--> NAMES <~ _derived_0.a[FILTER]
--> REST <~ _derived_0.a[FILTER]

-- case: on_duplicate_key_sees_the_tables_of_the_query
-- dialect: mysql
-- table: t(id int, v int, n int)
-- table: s(a int, b int)
-- table: u(a int, w int)
INSERT INTO t (id, v) SELECT s.a, s.b FROM s JOIN u ON u.a = s.a
ON DUPLICATE KEY UPDATE v = s.b + VALUES(v), n = w;
--> t.id <- s.a
--> t.v <- s.b
--> t.v <= s.b
--> t.n <- u.w

-- case: on_duplicate_key_with_a_named_row
-- dialect: mysql
-- table: t(id int, v int, n int)
-- table: s(b int)
INSERT INTO t (id, v) VALUES (1, (SELECT max(b) FROM s)) AS new ON DUPLICATE KEY UPDATE v = t.v + new.v, n = new.id;
INSERT INTO t (id, v) VALUES (1, (SELECT max(b) FROM s)) AS new(k, m) ON DUPLICATE KEY UPDATE v = m, n = new.m;
--> @0 t.id <- ()
--> @0 t.v <= t.v, s.b
--> @0 t.n <- ()
--> @1 t.id <- ()
--> @1 t.v <= s.b
--> @1 t.n <= s.b

-- case: rows_that_a_condition_replaces
CREATE TABLE t (a INT, b STRING);
INSERT INTO t REPLACE ON t.a = s.a SELECT x, y FROM s;
INSERT INTO t AS old REPLACE ON old.a = new.a AND (old.b > 'x') (SELECT x, y FROM s) AS new;
--> @1 t.a <- s.x
--> @1 t.b <- s.y
--> @2 t.a <- s.x
--> @2 t.b <- s.y

-- case: changes_that_a_pipeline_applies
CREATE TABLE s (a INT, b STRING);
CREATE OR REFRESH STREAMING TABLE t AS SELECT * FROM STREAM(s);
APPLY CHANGES INTO u FROM STREAM(s) KEYS (a) SEQUENCE BY b STORED AS SCD TYPE 2;
CREATE FLOW f AS AUTO CDC INTO u FROM STREAM s KEYS (a) SEQUENCE BY b;
--> @1 t.a <- s.a
--> @1 t.b <- s.b
--> @2 u.a <- s.a
--> @2 u.b <- s.b
--> @3 u.a <- s.a
--> @3 u.b <- s.b

-- case: constants_are_one_per_row_into_a_known_table_too
-- table: s(b int)
-- table: t(a int)
INSERT INTO t (a) SELECT 1 FROM s;
--> t.a <= s[ROW]

-- case: overwrite_of_a_partition_unless_it_is_there
-- table: t(a int, b int, ds string)
-- table: s(x int, y int, d string)
INSERT OVERWRITE TABLE t PARTITION (ds = '1') IF NOT EXISTS SELECT x, y FROM s;
INSERT OVERWRITE t PARTITION (ds) IF NOT EXISTS SELECT y, x, d FROM s;
--> @0 t.a <- s.x
--> @0 t.b <- s.y
--> @0 t.ds <- ()
--> @1 t.a <- s.y
--> @1 t.b <- s.x
--> @1 t.ds <- s.d

-- case: a_table_of_partitions_alone_has_columns_that_nobody_knows
-- dialect: hive
-- table: s(x int, y int)
CREATE TABLE t PARTITIONED BY (ds string) STORED AS AVRO;
INSERT INTO t PARTITION (ds) SELECT x, y, x FROM s;
--> no issue COLUMN_COUNT_MISMATCH
--> @1 t.x <- s.x
--> @1 t.y <- s.y
--> @1 t.ds <- s.x

-- case: by_name_says_where_the_unknown_column_stands
-- table: t(a int)
-- table: s(a int, b int)
INSERT INTO t BY NAME SELECT a, b + 1 AS zz FROM s;
--> t.a <- s.a
--> t.zz <= s.b?
--> issue UNKNOWN_COLUMN column=zz span.start=41 span.end=43
-- case: a_row_of_defaults_has_no_columns
-- dialect: postgres
-- table: t(a int, b int)
INSERT INTO t DEFAULT VALUES;
INSERT INTO t (a, b) SELECT 1;
--> @1 t.a <- ()
--> @1 t.b <- ()
--> issue COLUMN_COUNT_MISMATCH @1
-- case: returning_knows_the_alias_of_the_target
-- dialect: postgres
-- table: t(a int, b int)
INSERT INTO t AS n (a, b) VALUES (1, 2) RETURNING n.b, n.*;
--> t.a <- ()
--> t.b <- ()
--> out.b <- t.b
--> out.a <- t.a
--> out.b <- t.b

-- case: a_row_may_be_shorter_than_the_table_in_postgres
-- dialect: postgres
-- table: t(a int, b int, c int)
-- table: s(x int, y int)
INSERT INTO t SELECT x, y FROM s;
INSERT INTO t (a, b, c) SELECT x, y FROM s;
--> @0 t.a <- s.x
--> @0 t.b <- s.y
--> @1 t.a <- s.x
--> @1 t.b <- s.y
--> issue COLUMN_COUNT_MISMATCH @1

-- case: a_row_may_not_be_shorter_than_the_table_elsewhere
-- dialect: duckdb
-- table: t(a int, b int, c int)
-- table: s(x int, y int)
INSERT INTO t SELECT x, y FROM s;
--> t.a <- s.x
--> t.b <- s.y
--> issue COLUMN_COUNT_MISMATCH

-- case: default_values_are_no_row_of_the_wrong_width
-- dialect: duckdb
-- table: t(a int, b int)
INSERT INTO t DEFAULT VALUES RETURNING a;
--> out.a <- t.a

-- case: overriding_says_nothing_about_columns
-- dialect: postgres
-- table: t(id int, n text)
-- table: u(k int, m text)
INSERT INTO t (id, n) OVERRIDING SYSTEM VALUE SELECT k, m FROM u;
--> t.id <- u.k
--> t.n <- u.m
