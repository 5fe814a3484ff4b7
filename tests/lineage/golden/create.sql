-- CREATE in all its forms (spec 2.10).

-- case: column_list_with_types
CREATE TABLE t (id BIGINT NOT NULL, price DECIMAL(10, 2), info STRUCT<a: INT, b: STRING>);
--> schema t(id bigint, price decimal(10,2), info struct<a: int, b: string>) implied table ddl @0
--> stmt 0 CREATE_TABLE writes t
--> column t.id nullable=false

-- case: primary_key_and_foreign_key
-- dialect: postgres
CREATE TABLE orders (id INT PRIMARY KEY, customer INT REFERENCES customers (id));
--> column orders.id isPrimaryKey=true
--> column orders.customer foreignKey.table=customers foreignKey.column=id

-- case: keys_beside_a_column_are_no_part_of_its_type
-- dialect: postgres
CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(8) UNIQUE, customer INT REFERENCES customers (id));
--> schema orders(id int, code varchar(8), customer int) implied @0

-- case: hive_partition_columns_are_columns
-- dialect: hive
CREATE TABLE t (a INT) PARTITIONED BY (dt STRING);
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.dt <- t.dt
--> schema t(a int, dt string) implied @0

-- case: spark_files_hold_partition_columns_last
-- dialect: spark
-- table: s(a int, b int, region string, day date)
CREATE TABLE t (day DATE, a INT, region STRING, b INT) USING parquet PARTITIONED BY (region, day);
INSERT INTO t SELECT a, b, region, day FROM s;
SELECT * FROM t;
--> @1 t.a <- s.a
--> @1 t.b <- s.b
--> @1 t.region <- s.region
--> @1 t.day <- s.day
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> @2 out.region <- t.region
--> @2 out.day <- t.day
--> schema s(a int, b int, region string, day date) imported
--> schema t(a int, b int, region string, day date) implied @0

-- case: spark_files_made_by_a_query_hold_partition_columns_last
-- dialect: spark
-- table: s(a int, b int, c int)
CREATE TABLE t USING orc PARTITIONED BY (a) AS SELECT a, b, c FROM s;
--> t.b <- s.b
--> t.c <- s.c
--> t.a <- s.a
--> schema s(a int, b int, c int) imported
--> schema t(b int, c int, a int) implied @0

-- case: iceberg_partition_columns_stay_where_they_are
-- dialect: spark
CREATE TABLE t (day DATE, a INT) USING iceberg PARTITIONED BY (day);
--> schema t(day date, a int) implied @0

-- case: a_view_with_a_default_collation
-- dialect: spark
-- table: s(a string)
CREATE VIEW v DEFAULT COLLATION UNICODE AS SELECT a FROM s;
--> v.a <- s.a
--> stmt 0 CREATE_VIEW reads s writes v

-- case: iceberg_transforms_are_not_columns
CREATE TABLE t (a INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.ts <- t.ts
--> schema t(a int, ts timestamp) implied @0

-- case: ctas
-- table: s(a int, b int)
CREATE TABLE t AS SELECT a, a + b AS c FROM s;
--> t.a <- s.a
--> t.c <= s.a, s.b
--> stmt 0 CREATE_TABLE_AS reads s writes t
--> schema s(a int, b int) imported
--> schema t(a int, c int) implied @0

-- case: ctas_with_a_with_clause
-- table: s(a int)
CREATE TABLE t AS WITH c AS (SELECT a FROM s) SELECT a FROM c;
--> t.a <- s.a
--> stmt 0 CREATE_TABLE_AS reads s writes t

-- case: create_view
-- table: s(a int)
CREATE VIEW v AS SELECT a FROM s;
--> v.a <- s.a
--> node v nodeType=view
--> stmt 0 CREATE_VIEW reads s writes v

-- case: materialized_view
-- dialect: postgres
-- table: s(a int)
CREATE MATERIALIZED VIEW v AS SELECT a FROM s;
--> v.a <- s.a
--> schema s(a int) imported
--> schema v(a int) implied view @0

-- case: a_materialized_view_that_keeps_its_rows_in_a_table
-- dialect: clickhouse
-- table: raw(id Int32, name String)
-- table: kept(name String, id Int32)
CREATE MATERIALIZED VIEW mv TO kept AS SELECT id, upper(name) AS name FROM raw;
--> mv.id <- raw.id
--> mv.name <= raw.name
--> kept.id <- mv.id
--> kept.name <- mv.name
--> stmt 0 CREATE_VIEW reads raw writes mv, kept

-- case: rows_of_a_materialized_view_come_to_those_its_table_has
-- dialect: clickhouse
-- table: raw(id Int32)
-- table: more(id Int32)
-- table: kept(id Int32)
INSERT INTO kept SELECT id FROM more;
CREATE MATERIALIZED VIEW mv TO kept AS SELECT id FROM raw;
SELECT id FROM kept;
--> @0 kept.id <- more.id
--> @1 mv.id <- raw.id
--> @1 kept.id <- mv.id
--> @2 out.id <- kept.id
--> cross 0 -> 2
--> cross 1 -> 2

-- case: cache_table_as
-- table: s(a int)
CACHE TABLE c AS SELECT a FROM s;
SELECT a FROM c;
--> c.a <- s.a
--> @1 out.a <- c.a
--> stmt 0 CACHE reads s writes c

-- case: select_into_of_a_union
-- dialect: tsql
-- table: s(a int)
-- table: r(b int)
SELECT a INTO t FROM s UNION ALL SELECT b FROM r;
--> t.a <- s.a, r.b
--> stmt 0 CREATE_TABLE_AS reads s, r writes t
--> schema r(b int) imported
--> schema s(a int) imported
--> schema t(a integer) implied @0

-- case: select_into
-- dialect: tsql
-- table: s(a int)
SELECT a INTO t FROM s;
SELECT a FROM t;
--> t.a <- s.a
--> @1 out.a <- t.a
--> schema s(a int) imported
--> schema t(a int) implied @0

-- case: like_copies_columns_without_data
-- table: s(a int, b string)
CREATE TABLE t LIKE s;
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.b
--> stmt 0 CREATE_TABLE_LIKE reads s writes t
--> schema s(a int, b string) imported
--> schema t(a int, b string) implied @0

-- case: clone_copies_data
-- dialect: snowflake
-- table: S(A int)
CREATE TABLE t CLONE s;
--> T.A <- S.A[CLONE]
--> stmt 0 CREATE_TABLE_CLONE reads S writes T

-- case: shallow_clone
-- dialect: databricks
-- table: s(a int)
CREATE TABLE t SHALLOW CLONE s;
--> t.a <- s.a
--> stmt 0 CREATE_TABLE_CLONE reads s writes t

-- case: replace_table_as
-- table: s(a int)
REPLACE TABLE t AS SELECT a FROM s;
SELECT * FROM t;
--> t.a <- s.a
--> @1 out.a <- t.a
--> schema s(a int) imported
--> schema t(a int) implied @0

-- case: create_or_replace_reads_its_previous_version
CREATE TABLE t (a INT);
CREATE OR REPLACE TABLE t AS SELECT a, a + 1 AS b FROM t;
SELECT * FROM t;
--> @1 t.a <- t.a
--> @1 t.b <= t.a
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> schema t(a int, b int) implied @1

-- case: if_not_exists_changes_nothing_when_known
CREATE TABLE t (a INT);
CREATE TABLE IF NOT EXISTS t (b INT);
SELECT * FROM t;
--> @2 out.a <- t.a
--> schema t(a int) implied @0

-- case: if_not_exists_creates_when_unknown
CREATE TABLE IF NOT EXISTS t (b INT);
SELECT * FROM t;
--> @1 out.b <- t.b
--> schema t(b int) implied @0

-- case: if_not_exists_over_a_differing_import_is_a_conflict
-- spec: 3.1: every definition of an imported table is compared; 2.10: the table itself stays what it is
-- table: t(a int)
CREATE TABLE IF NOT EXISTS t (b INT);
SELECT * FROM t;
--> @1 out.a <- t.a?
--> schema t(a int) imported
--> issue SCHEMA_CONFLICT @0 relation=t

-- case: ctas_with_repeated_names
-- table: s(a int, b int)
CREATE TABLE t AS SELECT a AS x, b AS x FROM s;
--> t.x <- s.a, s.b
--> issue DUPLICATE_COLUMN

-- case: view_list_of_another_width
-- table: s(a int, b int)
CREATE VIEW v (x) AS SELECT a, b FROM s;
--> v.x <- s.a
--> v.b <- s.b?
--> issue COLUMN_COUNT_MISMATCH

-- case: comments_become_descriptions
CREATE TABLE t (a INT COMMENT 'the key') COMMENT 'all of them';
--> node t description="all of them"
--> node t.a description="the key"

-- case: create_function_has_no_lineage
-- dialect: postgres
CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;
--> stmt 0 CREATE_FUNCTION

-- case: view_over_a_union
-- table: a(x int)
-- table: b(y int)
CREATE VIEW v AS SELECT x FROM a UNION ALL SELECT y FROM b;
--> v.x <- a.x, b.y

-- case: create_function_reads_what_its_body_reads
-- table: t(a int, b int)
CREATE FUNCTION f(x INT) RETURNS INT RETURN SELECT max(a) FROM t WHERE b = x;
CREATE FUNCTION g(x INT, y INT DEFAULT 1) RETURNS INT RETURN x + g.y + (SELECT max(a) FROM t WHERE b = x);
--> stmt 0 CREATE_FUNCTION reads t
--> stmt 1 CREATE_FUNCTION reads t

-- case: create_function_parameter_beats_a_guess
CREATE FUNCTION f(x INT) RETURNS TABLE (c INT) RETURN SELECT a FROM mystery WHERE b = x;
--> stmt 0 CREATE_FUNCTION reads mystery
--> schema mystery(b, a, ...) implied

-- case: create_function_with_names_nobody_gives
-- table: t(a int)
CREATE FUNCTION f(x INT) RETURNS INT RETURN x + y;
CREATE FUNCTION g(x INT) RETURNS INT RETURN SELECT max(z) FROM t;
CREATE FUNCTION h(x INT, y INT DEFAULT x) RETURNS INT RETURN x + y;
CREATE FUNCTION k(x INT) RETURNS INT RETURN 1 + (SELECT (SELECT x));
CREATE FUNCTION m(x INT) RETURNS INT RETURN SELECT (SELECT x);
CREATE FUNCTION n(x INT) RETURNS INT RETURN SELECT (SELECT (SELECT x));
--> stmt 1 CREATE_FUNCTION reads t
--> issue UNKNOWN_COLUMN @0 column=y
--> issue UNKNOWN_COLUMN @1 column=z
--> issue UNRESOLVED_REFERENCE @2 column=x
--> issue UNKNOWN_COLUMN @3 column=x
--> issue UNKNOWN_COLUMN @5 column=x

-- case: create_table_function_in_bigquery
-- dialect: bigquery
-- table: d.t(a int64, b int64)
CREATE TABLE FUNCTION d.f(x INT64) AS SELECT a FROM d.t WHERE b = x;
--> stmt 0 CREATE_FUNCTION reads d.t

-- case: view_with_check_option
-- dialect: postgres
CREATE VIEW adults (who) AS SELECT name FROM people WHERE age > 17 WITH LOCAL CHECK OPTION;
--> adults.who <- people.name
--> stmt 0 CREATE_VIEW reads people writes adults

-- case: tables_of_a_pipeline
-- dialect: databricks
CREATE OR REFRESH STREAMING LIVE TABLE raw AS SELECT id, v FROM cloud_events;
CREATE TEMPORARY LIVE VIEW fresh AS SELECT * FROM STREAM(LIVE.raw);
--> raw.id <- cloud_events.id
--> raw.v <- cloud_events.v
--> @1 fresh.id <- raw.id
--> @1 fresh.v <- raw.v
--> stmt 0 CREATE_TABLE_AS reads cloud_events writes raw
--> stmt 1 CREATE_VIEW reads raw writes fresh

-- case: a_deep_clone_replaces_a_table
-- dialect: databricks
-- table: t(a int)
CREATE OR REPLACE TABLE copy_of_t DEEP CLONE t;
--> stmt 0 CREATE_TABLE_CLONE reads t writes copy_of_t
--> copy_of_t.a <- t.a

-- case: a_local_temporary_table_is_temporary
-- dialect: postgres
CREATE LOCAL TEMPORARY TABLE t (a INT);
--> schema t(a int) implied temporary @0

-- case: how_a_key_is_stored_does_not_matter
-- dialect: tsql
CREATE TABLE t (a INT IDENTITY(1, 1) PRIMARY KEY CLUSTERED, b INT, CONSTRAINT u UNIQUE NONCLUSTERED (b));
--> schema t(a int, b int) implied @0

-- case: a_table_in_a_folder_is_the_folder
USE db;
CREATE TABLE delta.`/lake/orders` (id INT, total INT) USING delta;
INSERT INTO delta.`/lake/orders` SELECT a, b FROM s;
CREATE TABLE t AS SELECT * FROM delta.`/lake/orders@v3`;
--> @2 /lake/orders.id <- db.s.a
--> @2 /lake/orders.total <- db.s.b
--> @3 db.t.id <- /lake/orders.id
--> @3 db.t.total <- /lake/orders.total
--> stmt 2 INSERT reads db.s writes /lake/orders
--> stmt 3 CREATE_TABLE_AS reads /lake/orders writes db.t

-- case: a_folder_that_nobody_described_is_written
-- table: s(a int)
INSERT INTO parquet.`s3://lake/out` SELECT a FROM s;
--> s3://lake/out.a <- s.a
--> stmt 0 INSERT reads s writes s3://lake/out

-- case: a_clone_of_an_older_version
CREATE TABLE s (a INT);
CREATE TABLE t SHALLOW CLONE s VERSION AS OF 3;
CREATE TABLE u DEEP CLONE s TIMESTAMP AS OF '2024-01-01' LOCATION '/lake/u';
--> @1 t.a <- s.a[CLONE]
--> @2 u.a <- s.a[CLONE]
--> stmt 1 CREATE_TABLE_CLONE reads s writes t
--> stmt 2 CREATE_TABLE_CLONE reads s writes u

-- case: a_comment_is_no_part_of_a_type
-- dialect: mysql
CREATE TABLE t (a INT /* never below zero */ UNSIGNED, b DECIMAL(9, -- digits
    2));
--> schema t(a INT UNSIGNED, b DECIMAL(9, 2))

-- case: how_hive_keeps_the_rows_of_a_view
-- dialect: hive
-- table: s(a int, d string)
CREATE VIEW v PARTITIONED ON (d) AS SELECT a, d FROM s;
CREATE MATERIALIZED VIEW IF NOT EXISTS m DISABLE REWRITE CLUSTERED ON (d) STORED AS ORC TBLPROPERTIES ('k' = 'v') AS SELECT a, d FROM s;
CREATE TRANSACTIONAL TABLE t STORED AS ORC AS SELECT a FROM s;
--> @0 v.a <- s.a
--> @0 v.d <- s.d
--> @1 m.a <- s.a
--> @1 m.d <- s.d
--> @2 t.a <- s.a
--> stmt 1 CREATE_VIEW reads s writes m
--> stmt 2 CREATE_TABLE_AS reads s writes t
--> no issue UNSUPPORTED_SYNTAX

-- case: skewed_columns_and_states_of_constraints
-- dialect: hive
CREATE TABLE t (a string NOT NULL ENFORCED, rely int, PRIMARY KEY (a) DISABLE NOVALIDATE RELY) PARTITIONED BY (d string) SKEWED BY (a, rely) ON (('x', 1), ('y', 2)) STORED AS DIRECTORIES;
--> schema t(a string, rely int, d string) implied @0

-- case: a_table_with_two_columns_of_one_name
CREATE TABLE t (a int, b int, A string);
CREATE TABLE u (a int, ds string) PARTITIONED BY (ds);
--> partial
--> issue DUPLICATE_COLUMN @0 relation=t column=a
-- case: a_view_with_a_schedule_is_its_query
-- dialect: databricks
-- table: events(at timestamp, kind string)
CREATE MATERIALIZED VIEW hourly SCHEDULE CRON '0 0 * * * ?' AT TIME ZONE 'UTC' AS SELECT at AS hour, kind FROM events;
CREATE OR REFRESH PRIVATE MATERIALIZED VIEW good (kind STRING COMMENT 'what', CONSTRAINT told EXPECT (kind IS NOT NULL) ON VIOLATION DROP ROW)
  AS SELECT kind FROM events;
--> @0 hourly.hour <- events.at
--> @0 hourly.kind <- events.kind
--> @1 good.kind <- events.kind
--> stmt 0 CREATE_VIEW reads events writes hourly
--> stmt 1 CREATE_VIEW reads events writes good
--> no issue UNSUPPORTED_SYNTAX
--> no issue PARSE_ERROR

-- case: a_dynamic_table_with_new_options_is_its_query
-- dialect: snowflake
-- table: s(a int, b int)
CREATE DYNAMIC TABLE d TARGET_LAG = '5 minutes' WAREHOUSE = w FROZEN WHERE (b < 7) AS SELECT a, b FROM s;
CREATE HYBRID TABLE h (k INT PRIMARY KEY, n NUMBER(38, 0) UNIQUE, INDEX i (n) INCLUDE (k)) AS SELECT a, b FROM s;
CREATE VIEW v WITH AGGREGATION POLICY p ENTITY KEY (a) AS SELECT a FROM s;
--> D.A <- S.A
--> D.B <- S.B
--> H.K <- S.A
--> H.N <- S.B
--> V.A <- S.A
--> schema d(a int, b int) implied @0
--> schema h(k int, n NUMBER(38, 0)) implied @1
--> schema s(a int, b int) imported
--> schema v(a int) implied view @2
--> no issue UNSUPPORTED_SYNTAX

-- case: a_table_with_a_layout_is_its_query
-- dialect: redshift
-- table: s(a int, b int)
CREATE TABLE t DISTSTYLE ALL DISTKEY(a) INTERLEAVED SORTKEY(a, b) AS SELECT a, b FROM s;
--> t.a <- s.a
--> t.b <- s.b
--> no issue UNSUPPORTED_SYNTAX

-- case: a_copy_with_options_is_a_copy
-- dialect: bigquery
-- table: d.s(a int)
CREATE SNAPSHOT TABLE IF NOT EXISTS d.t CLONE d.s FOR SYSTEM_TIME AS OF TIMESTAMP('2024-01-01') OPTIONS (expiration_timestamp = NULL);
CREATE MATERIALIZED VIEW d.r OPTIONS (replication_interval_seconds = 900) AS REPLICA OF d.s;
--> stmt 0 CREATE_TABLE_CLONE reads d.s writes d.t
--> stmt 1 CREATE_VIEW reads d.s writes d.r
--> @0 d.t.a <- d.s.a
--> @1 d.r.a <- d.s.a
--> no issue UNSUPPORTED_SYNTAX

-- case: a_function_that_gives_a_table_is_no_table
-- dialect: bigquery
CREATE TABLE FUNCTION f(least INT64) AS SELECT a FROM t WHERE a > least;
--> stmt 0 CREATE_FUNCTION reads t

-- case: a_materialized_view_says_whether_it_is_filled
-- dialect: postgres
-- table: s(a int, b int)
CREATE MATERIALIZED VIEW v TABLESPACE pg_default AS SELECT a, b AS c FROM s WITH DATA;
CREATE MATERIALIZED VIEW w AS (SELECT a FROM s) WITH NO DATA;
--> v.a <- s.a
--> v.c <- s.b
--> w.a <- s.a
--> no issue UNSUPPORTED_SYNTAX

-- case: a_table_keeps_its_columns_whatever_is_said_behind_them
-- dialect: redshift
CREATE TABLE t (a INT NOT NULL UNIQUE, b VARCHAR(60), PRIMARY KEY (a)) DISTKEY(a) INTERLEAVED SORTKEY (a, b);
CREATE EXTERNAL TABLE lake.u (k int, s struct<x:int, y:int>) PARTITIONED BY (day char(10)) ROW FORMAT SERDE 'x' STORED AS INPUTFORMAT 'y' LOCATION 's3://z/';
SELECT * FROM t, lake.u;
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> @2 out.k <- lake.u.k
--> @2 out.s <- lake.u.s
--> @2 out.day <- lake.u.day
--> no issue UNSUPPORTED_SYNTAX

-- case: a_table_of_spark_with_another_clause
CREATE TABLE t (a INT COMMENT 'x', at TIMESTAMP) USING iceberg PARTITIONED BY (days(at)) LIFECYCLE 7;
CREATE TABLE u (a INT) STORED AS orc PARTITIONED BY (day STRING) LIFECYCLE 7;
SELECT * FROM t, u;
--> @2 out.a <- t.a
--> @2 out.at <- t.at
--> @2 out.a <- u.a
--> @2 out.day <- u.day
-- case: recursive_view
-- dialect: postgres
-- table: t(id int, parent int)
CREATE RECURSIVE VIEW v (n, depth) AS
  SELECT id, 1 FROM t WHERE parent IS NULL UNION ALL SELECT t.id, v.depth + 1 FROM t JOIN v ON t.parent = v.n;
SELECT n FROM v;
--> @0 v.n <- t.id
--> @0 v.depth <- ()
--> @1 out.n <- v.n
--> stmt 0 CREATE_VIEW reads t writes v
-- case: columns_of_several_parents_are_merged
-- dialect: postgres
CREATE TABLE a (aa text, x int);
CREATE TABLE b (bb text) INHERITS (a);
CREATE TABLE c (cc text) INHERITS (a);
CREATE TABLE d (dd text, x int) INHERITS (b, c, a);
SELECT * FROM d;
--> @4 out.aa <- d.aa
--> @4 out.x <- d.x
--> @4 out.bb <- d.bb
--> @4 out.cc <- d.cc
--> @4 out.dd <- d.dd
--> schema a(aa text, x int) implied @0
--> schema b(aa text, x int, bb text) implied @1
--> schema c(aa text, x int, cc text) implied @2
--> schema d(aa text, x int, bb text, cc text, dd text) implied @3

-- case: virtual_columns_of_oracle
-- dialect: oracle
CREATE TABLE orders (price NUMBER, amount NUMBER, total NUMBER GENERATED ALWAYS AS (price * amount) VIRTUAL);
SELECT * FROM orders;
--> @1 out.price <- ORDERS.PRICE
--> @1 out.amount <- ORDERS.AMOUNT
--> @1 out.total <- ORDERS.TOTAL

-- case: virtual_and_compressed_columns_of_postgres
-- dialect: postgres
CREATE TABLE t (flags BIT VARYING(16), note text COMPRESSION pglz, n int, twice int GENERATED ALWAYS AS (n * 2) VIRTUAL);
SELECT * FROM t;
--> @1 out.flags <- t.flags
--> @1 out.note <- t.note
--> @1 out.n <- t.n
--> @1 out.twice <- t.twice

-- case: what_a_check_compares_ends_no_list_of_columns
-- dialect: snowflake
CREATE TABLE t (a INT CHECK (a < 5), b INT DEFAULT 1 > 0, c ARRAY<MAP<INT, INT>>, d INT) CLASSIFICATION_PROFILE = 'p';
SELECT * FROM t;
--> @1 out.a <- T.A
--> @1 out.b <- T.B
--> @1 out.c <- T.C
--> @1 out.d <- T.D
