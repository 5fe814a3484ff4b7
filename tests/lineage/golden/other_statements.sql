-- Loading, procedures and statements without lineage (spec 2.10).

-- case: copy_into_snowflake
-- dialect: snowflake
-- table: T(A int)
COPY INTO t FROM @stage/path;
--> node T nodeType=table
--> no issue PARSE_ERROR

-- case: load_data
-- dialect: hive
-- table: t(a int)
LOAD DATA INPATH '/data/x' INTO TABLE t;
--> node t nodeType=table

-- case: path_table_in_spark
SELECT a FROM parquet.`/data/x.parquet`;
--> out.a <- /data/x.parquet.a
--> node out.a nodeType=column
--> no issue UNKNOWN_TABLE

-- case: explain_changes_nothing
-- table: s(a int)
EXPLAIN SELECT a FROM s;
--> out.a <- s.a
--> stmt 0 EXPLAIN reads s

-- case: explain_ctas_registers_nothing
-- table: s(a int)
EXPLAIN CREATE TABLE t AS SELECT a FROM s;
--> t.a <- s.a
--> schema s(a int) imported

-- case: call_of_an_iceberg_procedure_writes_its_table
-- table: lake.db.t(a int)
CALL lake.system.rewrite_data_files(table => 'db.t');
--> stmt 0 CALL writes lake.db.t

-- case: begin_and_commit
-- dialect: postgres
-- table: t(a int)
BEGIN;
UPDATE t SET a = 1;
COMMIT;
--> stmt 0 TRANSACTION
--> stmt 1 UPDATE reads t writes t
--> stmt 2 TRANSACTION

-- case: grant
-- dialect: postgres
GRANT SELECT ON t TO someone;
--> stmt 0 GRANT

-- case: set
SET spark.sql.shuffle.partitions = 4;
--> stmt 0 SET

-- case: show
SHOW TABLES;
--> stmt 0 SHOW

-- case: comment_on
-- dialect: postgres
CREATE TABLE t (a INT);
COMMENT ON TABLE t IS 'things';
--> stmt 1 COMMENT writes t

-- case: overwrite_directory
-- table: s(a int)
INSERT OVERWRITE DIRECTORY '/out' USING parquet SELECT a FROM s;
--> /out.a <- s.a
--> no issue PARSE_ERROR

-- case: copy_reads_a_path
-- dialect: redshift
-- table: t(a int)
COPY t FROM 's3://bucket/path';
--> stmt 0 COPY reads s3://bucket/path writes t
--> node s3://bucket/path metadata.external=path

-- case: copy_into_reads_a_path
-- dialect: snowflake
-- table: T(A int)
COPY INTO t FROM 's3://bucket/path';
--> stmt 0 COPY reads s3://bucket/path writes T

-- case: path_table_is_external
SELECT a FROM parquet.`/data/x.parquet`;
--> out.a <- /data/x.parquet.a
--> stmt 0 SELECT reads /data/x.parquet
--> node /data/x.parquet metadata.external=path

-- case: overwrite_directory_writes_a_path
-- table: s(a int)
INSERT OVERWRITE DIRECTORY '/out' USING parquet SELECT a FROM s;
--> /out.a <- s.a
--> stmt 0 INSERT_OVERWRITE reads s writes /out
--> node /out metadata.external=path

-- case: hive_overwrite_directory
-- dialect: hive
-- table: s(a int)
INSERT OVERWRITE DIRECTORY 'hdfs://path/out' SELECT a FROM s;
--> hdfs://path/out.a <- s.a
--> stmt 0 INSERT_OVERWRITE reads s writes hdfs://path/out

-- case: unload_reads_its_query
-- dialect: redshift
-- table: s(a int)
UNLOAD ('SELECT a FROM s') TO 's3://bucket/out' IAM_ROLE 'x';
--> s3://bucket/out.a <- s.a
--> stmt 0 UNLOAD reads s writes s3://bucket/out

-- case: procedure_body_is_analysed
-- dialect: bigquery
-- table: d.s(a int64)
-- table: d.t(x int64)
CREATE PROCEDURE d.p() BEGIN INSERT INTO d.t (x) SELECT a FROM d.s; END;
--> d.t.x <- d.s.a

-- case: procedure_with_two_statements
-- dialect: bigquery
-- table: d.s(a int64)
-- table: d.t(x int64)
-- table: d.u(y int64)
CREATE PROCEDURE d.p() BEGIN INSERT INTO d.t (x) SELECT a FROM d.s; INSERT INTO d.u (y) SELECT x FROM d.t; END;
--> d.t.x <- d.s.a
--> d.u.y <- d.t.x

-- case: execute_immediate_of_a_constant_text
-- table: t(a int, n string)
-- table: u(a int)
EXECUTE IMMEDIATE 'SELECT sum(a), n FROM t WHERE n = \'x\' AND a = ?' USING 3;
EXECUTE IMMEDIATE 'INSERT INTO u SELECT a FROM t WHERE n = ''y''';
EXECUTE IMMEDIATE 'SELECT nope FROM t';
--> stmt 0 CALL reads t
--> stmt 1 CALL reads t writes u
--> @0 out.sum(a) <= t.a[AGGREGATION]
--> @0 out.n <- t.n
--> @1 u.a <- t.a
--> @2 out.nope <- t.nope?
--> issue DYNAMIC_SQL @0
--> issue UNKNOWN_COLUMN @2 column=nope

-- case: execute_immediate_with_literals_for_its_markers
CREATE TABLE sales (region STRING, amount INT);
EXECUTE IMMEDIATE 'SELECT IDENTIFIER(:col), :note, ''x'' FROM sales WHERE amount > :least'
  USING 'region' AS col, 'new' AS note, 5 AS least;
EXECUTE IMMEDIATE "SELECT ?, amount + ? FROM sales WHERE region <> ''" USING ('a', 2);
--> @1 out.region <- sales.region
--> @1 out.new <- ()
--> @1 out.x <- ()
--> @2 out.a <- ()
--> @2 out.(amount + 2) <= sales.amount

-- case: execute_immediate_with_constants_for_its_markers
-- dialect: spark
CREATE TABLE sales (region STRING, day DATE);
DECLARE VARIABLE later DATE;
EXECUTE IMMEDIATE 'SELECT upper(:r) AS a, day + ? AS b FROM sales WHERE day > :cut'
  USING concat('n', 'w') AS r, INTERVAL 3 DAY, later AS cut;
--> @2 out.a <= ()
--> @2 out.b <= sales.day

-- case: execute_immediate_of_a_text_put_together
EXECUTE IMMEDIATE 'SELECT a FROM ' || name;
EXECUTE IMMEDIATE query USING 'SELECT a FROM t';
--> stmt 0 CALL
--> stmt 1 CALL
--> issue DYNAMIC_SQL @0
--> issue DYNAMIC_SQL @1

-- case: telling_about_a_table_that_is_not_there
-- options: {"unknownTablePolicy": "always"}
-- table: sales.orders(id int)
DESCRIBE sales.orders;
DESCRIBE EXTENDED sales.returns;
SHOW COLUMNS IN orders FROM sales;
SHOW COLUMNS IN returns FROM sales;
SHOW CREATE TABLE sales.nothing;
SHOW PARTITIONS sales.orders;
ANALYZE TABLE sales.gone COMPUTE STATISTICS;
REFRESH TABLE sales.away;
DESCRIBE SCHEMA elsewhere;
DESCRIBE FUNCTION returns;
DESCRIBE EXTERNAL LOCATION there;
SHOW TABLES IN elsewhere;
--> stmt 1 SHOW
--> stmt 6 ANALYZE
--> issue UNKNOWN_TABLE @1 relation=sales.returns
--> issue UNKNOWN_TABLE @3 relation=sales.returns
--> issue UNKNOWN_TABLE @4 relation=sales.nothing
--> issue UNKNOWN_TABLE @6 relation=sales.gone
--> issue UNKNOWN_TABLE @7 relation=sales.away

-- case: telling_about_a_table_is_nothing_to_remark_on
-- table: sales.orders(id int)
DESCRIBE sales.returns;
SHOW COLUMNS IN returns FROM sales;
ANALYZE TABLE sales.gone COMPUTE STATISTICS;
--> stmt 0 SHOW
--> stmt 2 ANALYZE

-- case: describe_in_every_form_reads_nothing
-- table: t(a int)
DESC QUERY SELECT * FROM t;
DESCRIBE FORMATTED t a;
DESCRIBE SELECT a FROM t;
--> stmt 0 SHOW
--> stmt 1 SHOW
--> stmt 2 SHOW

-- case: explain_names_its_columns_as_the_query_would
-- table: t(a int)
EXPLAIN FORMATTED SELECT SUM(a) FROM t;
--> stmt 0 EXPLAIN reads t
--> out.sum(a) <= t.a[AGGREGATION]

-- case: what_holds_no_columns_may_be_altered
-- dialect: spark
ALTER SCHEMA s SET DBPROPERTIES ('a' = 'b');
ALTER DATABASE s SET LOCATION '/x';
RESET spark.sql.ansi.enabled;
--> stmt 0 ALTER_SCHEMA
--> stmt 1 ALTER_DATABASE
--> stmt 2 SET

-- case: altered_objects_of_a_warehouse
-- dialect: snowflake
ALTER WAREHOUSE w SUSPEND;
ALTER TASK t RESUME;
--> stmt 0 ALTER_WAREHOUSE
--> stmt 1 ALTER_TASK

-- case: unload_of_a_query_that_is_no_string
-- dialect: athena
UNLOAD (WITH open AS (SELECT id FROM tickets) SELECT id FROM open) TO 's3://dump/open/' WITH (format = 'ORC');
--> s3://dump/open/.id <- tickets.id
--> stmt 0 UNLOAD reads tickets writes s3://dump/open/

-- case: rows_that_change_their_table
-- dialect: redshift
ALTER TABLE sales APPEND FROM sales_staging;
--> sales <- sales_staging[APPEND]
--> stmt 0 ALTER_TABLE reads sales_staging writes sales

-- case: a_partition_switched_into_another_table
-- dialect: tsql
ALTER TABLE dbo.incoming SWITCH PARTITION 2 TO dbo.archive PARTITION 2;
--> dbo.archive <- dbo.incoming[SWITCH]

-- case: how_tables_and_sessions_are_kept_is_no_lineage
-- dialect: spark
ADD JAR /opt/udf.jar;
--> stmt 0 ADD_JAR

-- case: properties_of_a_table_and_types_are_no_lineage
-- dialect: trino
ALTER TABLE people SET PROPERTIES format = 'ORC';
CREATE TYPE mood;
--> stmt 0 ALTER_TABLE
--> stmt 1 CREATE_TYPE

-- case: insert_into_a_function_writes_what_it_names
-- dialect: clickhouse
INSERT INTO FUNCTION s3('s3://dump/a.csv', 'CSV', 'id UInt32') SELECT id FROM events;
--> s3://dump/a.csv.id <- events.id
--> stmt 0 INSERT reads events writes s3://dump/a.csv

-- case: a_comment_is_shown_from_then_on
-- dialect: postgres
CREATE TABLE t (a INT, b INT);
COMMENT ON TABLE t IS 'what is sold';
COMMENT ON COLUMN t.b IS 'in cents';
SELECT b FROM t;
--> @3 out.b <- t.b
--> node t description="what is sold"
--> node t.b description="in cents"

-- case: data_is_exported_to_a_path
-- dialect: bigquery
EXPORT DATA OPTIONS (uri = 'gs://bucket/x', format = 'CSV') AS SELECT a FROM t;
--> stmt 0 UNLOAD reads t writes gs://bucket/x
--> partial

-- case: a_query_is_unloaded_without_quotes
-- dialect: athena
UNLOAD (SELECT a FROM t) TO 's3://bucket/x' WITH (format = 'PARQUET');
--> stmt 0 UNLOAD reads t writes s3://bucket/x
--> partial

-- case: a_local_file_is_loaded
-- dialect: mysql
LOAD DATA LOCAL INFILE '/x.csv' INTO TABLE s.t FIELDS TERMINATED BY ',';
--> stmt 0 LOAD reads /x.csv writes s.t
--> partial

-- case: explain_with_options_in_parentheses
-- dialect: postgres
EXPLAIN (ANALYZE, BUFFERS) SELECT a FROM t;
--> stmt 0 EXPLAIN reads t
--> out.a <- t.a

-- case: objects_without_columns_have_a_type_and_no_issue
-- dialect: postgres
CREATE ROLE reader;
DROP USER somebody;
CREATE EXTENSION hstore;
REVOKE SELECT ON t FROM reader;
--> stmt 0 CREATE_ROLE
--> stmt 1 DROP_USER
--> stmt 2 CREATE_EXTENSION
--> stmt 3 REVOKE

-- case: iceberg_snapshots_a_table_into_another
CALL lake.system.snapshot('db.source', 'db.copy');
--> stmt 0 CALL reads db.source writes lake.db.copy
--> partial

-- case: files_that_bigquery_loads
-- dialect: bigquery
LOAD DATA INTO ds.t (a INT64, b STRING) FROM FILES (format = 'CSV', uris = ['gs://b/x.csv', 'gs://b/y.csv']);
SELECT * FROM ds.t;
--> stmt 0 LOAD reads gs://b/x.csv, gs://b/y.csv writes ds.t
--> @1 out.a <- ds.t.a
--> @1 out.b <- ds.t.b

-- case: a_file_that_tsql_loads
-- dialect: tsql
-- table: dbo.t(a int)
BULK INSERT dbo.t FROM 'C:\data\x.csv' WITH (FORMAT = 'CSV')
SELECT a FROM dbo.t
--> stmt 0 LOAD reads C:\data\x.csv writes dbo.t
--> @1 out.a <- dbo.t.a

-- case: delta_restores_and_converts_a_table
CREATE TABLE t (a INT);
RESTORE TABLE t TO VERSION AS OF 2;
RESTORE t TO TIMESTAMP AS OF '2024-01-01';
CONVERT TO DELTA parquet.`/lake/events` PARTITIONED BY (day DATE);
--> stmt 1 ALTER_TABLE writes t
--> stmt 2 ALTER_TABLE writes t
--> stmt 3 ALTER_TABLE writes /lake/events

-- case: delta_rewrites_files
REORG TABLE t WHERE day > '2024-01-01' APPLY (PURGE);
GENERATE symlink_format_manifest FOR TABLE t;
CREATE NAMESPACE lake WITH PROPERTIES ('owner' = 'me');
FSCK REPAIR TABLE t;
UNDROP TABLE t;
CREATE BLOOMFILTER INDEX ON TABLE t FOR COLUMNS (a);
--> stmt 0 REORG
--> stmt 1 GENERATE
--> stmt 2 CREATE_NAMESPACE
--> stmt 3 FSCK
--> stmt 4 UNDROP
--> stmt 5 CREATE_BLOOMFILTER

-- case: iceberg_takes_over_the_files_of_another_table
CALL lake.system.add_files(source_table => 'db.source', table => 'db.t');
CALL lake.system.add_files('db.t', '`parquet`.`/landing/day`');
CALL lake.system.rewrite_data_files(options => map('min-input-files', '2'), table => 'db.t');
--> stmt 0 CALL reads db.source writes lake.db.t
--> stmt 1 CALL reads /landing/day writes lake.db.t
--> stmt 2 CALL writes lake.db.t
--> partial

-- case: iceberg_makes_a_view_of_what_changed
CREATE TABLE lake.db.t (a INT);
CALL lake.system.create_changelog_view(table => 'db.t', changelog_view => 'seen');
CALL lake.system.create_changelog_view('db.t');
SELECT a, _change_type FROM seen;
SELECT a, _commit_snapshot_id FROM t_changes;
--> @1 seen.a <- lake.db.t.a
--> @3 out.a <- seen.a
--> @3 out._change_type <- seen._change_type
--> @4 out.a <- t_changes.a
--> @4 out._commit_snapshot_id <- t_changes._commit_snapshot_id
--> stmt 1 CALL reads lake.db.t writes seen
--> stmt 2 CALL reads lake.db.t writes t_changes
--> partial

-- case: a_view_over_a_data_source_with_a_long_name
CREATE TEMPORARY VIEW v USING org.apache.spark.sql.jdbc OPTIONS (url 'jdbc:postgresql:db', dbtable 'orders');
CREATE TABLE t (a INT) USING org.apache.spark.sql.parquet;
CREATE TEMPORARY VIEW w USING org.acme.Rows OPTIONS (From '1', To '9', Table 'orders');
--> stmt 0 CREATE_VIEW writes v
--> stmt 1 CREATE_TABLE writes t

-- case: commands_are_read_without_comments
-- dialect: postgres
ALTER /* one */ SEQUENCE /* ; */ counter /* two */ RESTART; -- three
--> stmt 0 ALTER_SEQUENCE

-- case: an_unloaded_query_behind_comments
-- dialect: redshift
-- table: s(a int)
UNLOAD /* the rows */ ('SELECT a FROM s') /* there */ TO 's3://bucket/out';
--> s3://bucket/out.a <- s.a
--> stmt 0 UNLOAD reads s writes s3://bucket/out

-- case: tables_are_locked_in_mysql
-- dialect: mysql
-- table: t(a int)
LOCK TABLES `t` WRITE;
UNLOCK TABLES;
--> stmt 0 LOCK_TABLES
--> stmt 1 UNLOCK_TABLES
--> no issue UNSUPPORTED_SYNTAX

-- case: extensions_are_no_data
-- dialect: duckdb
INSTALL httpfs;
LOAD httpfs;
CHECKPOINT;
--> stmt 0 INSTALL
--> stmt 1 LOAD
--> stmt 2 CHECKPOINT
--> no issue UNSUPPORTED_SYNTAX

-- case: what_only_runs_a_server
-- dialect: clickhouse
SYSTEM FLUSH LOGS;
--> stmt 0 SYSTEM
--> no issue UNSUPPORTED_SYNTAX

-- case: prepared_statements_of_trino
-- dialect: trino
DEALLOCATE PREPARE q;
RESET SESSION optimize_hash_generation;
DESCRIBE INPUT q;
--> no issue UNSUPPORTED_SYNTAX

-- case: what_a_server_is_told_needs_no_parser
-- dialect: tsql
DENY SELECT ON t TO u;
SHUTDOWN;
DBCC CHECKDB('x');
--> stmt 0 DENY
--> stmt 1 SHUTDOWN
--> stmt 2 DBCC
--> no issue PARSE_ERROR
--> no issue UNSUPPORTED_SYNTAX

-- case: how_a_table_is_checked_and_kept
-- dialect: mysql
CHECK TABLE t;
CHECKSUM TABLE t;
XA START 'x';
--> stmt 0 CHECK
--> stmt 1 CHECKSUM
--> no issue PARSE_ERROR

-- case: assertions_hold_or_stop
-- dialect: bigquery
ASSERT 1 = 1;
--> stmt 0 ASSERT
--> no issue PARSE_ERROR

-- case: spark_tells_of_files_and_partitions
LIST JAR /tmp/some.jar "ivy://group:module:version";
MSCK TABLE t;
REMOVE WIDGET state;
--> stmt 0 LIST
--> stmt 1 MSCK
--> stmt 2 REMOVE
--> no issue PARSE_ERROR
-- case: snowflake_identifier_of_a_string_is_the_name
-- dialect: snowflake
-- table: T(A int)
SELECT a FROM IDENTIFIER('t');
SELECT 1 AS one FROM IDENTIFIER('db."Sch".t');
--> @0 out.a <- T.A
--> stmt 1 SELECT reads DB.Sch.T
--> issue UNKNOWN_TABLE @1
--> partial

-- case: snowflake_identifier_of_a_variable_is_computed
-- dialect: snowflake
SELECT a FROM IDENTIFIER($source);
INSERT INTO IDENTIFIER($target) (a) SELECT 1;
--> @0 out.a <- IDENTIFIER($source).A
--> issue DYNAMIC_SQL @0
--> issue DYNAMIC_SQL @1
--> no issue UNSUPPORTED_SYNTAX

-- case: tsql_exec_of_a_string
-- dialect: tsql
-- table: t(a int, b varchar)
EXEC ('SELECT a FROM t WHERE b = ''x''');
EXEC sp_executesql N'SELECT b FROM t WHERE a = @p', N'@p int', @p = 1;
--> @0 out.a <- t.a
--> @1 out.b <- t.b
--> stmt 0 CALL reads t
--> issue DYNAMIC_SQL @0
--> issue DYNAMIC_SQL @1

-- case: tsql_exec_of_what_variables_hold
-- dialect: tsql
EXEC (@query);
EXEC ('SELECT * FROM ' + @name);
EXEC sp_executesql @query;
EXEC load_orders @day = '2024-01-01';
--> issue DYNAMIC_SQL @0
--> issue DYNAMIC_SQL @1
--> issue DYNAMIC_SQL @2
--> stmt 3 CALL

-- case: tsql_insert_exec
-- dialect: tsql
-- table: t(a int, b int)
-- table: u(x int)
INSERT INTO t (b) EXEC ('SELECT x FROM u');
INSERT INTO t EXEC load_orders 1;
--> @0 t.b <- u.x
--> stmt 1 INSERT writes t
--> issue UNSUPPORTED_SYNTAX severity=info @1

-- case: tsql_sp_rename
-- dialect: tsql
CREATE TABLE dbo.t (a INT, b INT);
EXEC sp_rename 'dbo.t.b', 'c', 'COLUMN';
EXEC sp_rename 'dbo.t', 'u';
EXEC sp_rename N'dbo.u.ix', N'iy', N'INDEX';
SELECT * FROM dbo.u;
--> @1 dbo.t.c <- dbo.t.b[RENAME]
--> @2 dbo.u.a <- dbo.t.a[RENAME]
--> @2 dbo.u.c <- dbo.t.c[RENAME]
--> @4 out.a <- dbo.u.a
--> @4 out.c <- dbo.u.c
--> schema dbo.u(a int, c int) implied

-- case: values_are_no_statements
this IS NOT sql;
x + 1;
coalesce(1, 2);
--> issue UNSUPPORTED_SYNTAX @0
--> issue UNSUPPORTED_SYNTAX @1
--> issue UNSUPPORTED_SYNTAX @2
-- case: cached_rows
CACHE TABLE c AS VALUES (1, 'x');
SELECT * FROM c;
--> @1 out.col1 <- c.col1
--> @1 out.col2 <- c.col2
--> partial

-- case: explain_in_mysql
-- dialect: mysql
-- table: t(a int)
-- table: u(x int)
EXPLAIN SELECT a FROM t;
DESC FORMAT=JSON SELECT a FROM t;
EXPLAIN INSERT INTO t SELECT x FROM u;
DESCRIBE t;
--> @0 out.a <- t.a
--> @1 out.a <- t.a
--> @2 t.a <- u.x
--> stmt 0 EXPLAIN reads t
--> stmt 1 EXPLAIN reads t
--> stmt 2 EXPLAIN reads u
--> stmt 3 SHOW

-- case: explain_query_plan
-- dialect: sqlite
-- table: t(a int)
EXPLAIN QUERY PLAN SELECT a FROM t;
--> out.a <- t.a
--> stmt 0 EXPLAIN reads t

-- case: words_of_transactions
-- dialect: postgres
START TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SAVEPOINT before;
RELEASE SAVEPOINT before;
ROLLBACK TO SAVEPOINT before;
ABORT;
--> stmt 0 TRANSACTION
--> stmt 1 TRANSACTION
--> stmt 2 TRANSACTION
--> stmt 3 TRANSACTION
--> stmt 4 TRANSACTION

-- case: copy_to_a_file_is_a_copy
-- dialect: postgres
-- table: t(a int)
COPY t TO '/tmp/t.csv';
COPY (SELECT a FROM t) TO '/tmp/t.csv';
--> stmt 0 COPY reads t writes /tmp/t.csv
--> stmt 1 COPY reads t writes /tmp/t.csv
--> partial

-- case: select_into_outfile
-- dialect: mysql
-- table: t(a int, b int)
SELECT a INTO OUTFILE '/tmp/t.csv' FIELDS TERMINATED BY ',' FROM t WHERE b > 1;
SELECT b FROM t INTO DUMPFILE '/tmp/b';
--> stmt 0 UNLOAD reads t writes /tmp/t.csv
--> stmt 1 UNLOAD reads t writes /tmp/b
--> @0 /tmp/t.csv.a <- t.a
--> @1 /tmp/b.b <- t.b
-- case: statements_inside_others_are_read_like_any
-- table: t(a int, v variant)
EXPLAIN SELECT v:a.b AS x FROM t;
EXPLAIN SELECT * FROM (VALUES (1) UNION ALL SELECT a FROM t) AS q(y);
EXECUTE IMMEDIATE 'SELECT v:a.b AS x FROM t';
EXECUTE IMMEDIATE 'SELECT t.a FROM t ASOF JOIN t AS u MATCH_CONDITION (t.a >= u.a) ON t.v = u.v';
--> @0 out.x <= t.v
--> @1 out.y <- t.a
--> @2 out.x <= t.v
--> @3 out.a <- t.a
--> @3 out <+ t
--> stmt 0 EXPLAIN reads t
--> stmt 1 EXPLAIN reads t
--> stmt 2 CALL reads t
-- case: a_table_attached_to_another_brings_its_rows
-- dialect: postgres
ALTER TABLE ONLY sales ATTACH PARTITION stage.sales_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
--> sales <- stage.sales_2024[ATTACH]
--> stmt 0 ALTER_TABLE reads stage.sales_2024 writes sales

-- case: alterations_that_only_say_how_a_table_is_kept
-- dialect: postgres
ALTER TABLE sales DETACH PARTITION sales_2023 CONCURRENTLY;
ALTER TABLE ONLY sales ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME sales_id START WITH 1);
ALTER TABLE sales ADD CONSTRAINT full_price CHECK (price > 0) NOT ENFORCED;
ALTER TABLE sales RENAME CONSTRAINT full_price TO price_is_full;
--> stmt 0 ALTER_TABLE
--> stmt 1 ALTER_TABLE
--> stmt 2 ALTER_TABLE
--> stmt 3 ALTER_TABLE writes sales

-- case: an_alteration_nobody_reads_may_hide_a_column
-- dialect: postgres
ALTER TABLE sales ADD CONSTRAINT full_price CHECK (price > 0) NOT ENFORCED, ADD COLUMN note text;
--> issue UNSUPPORTED_SYNTAX

-- case: psql_copies_a_file_of_the_client
-- dialect: postgres
\copy t (a, b) FROM 'in.csv' CSV HEADER
\echo done
\copy (SELECT a FROM t) TO 'out.csv';
SELECT b FROM t;
--> @0 t <- in.csv[COPY]
--> @1 out.csv.a <- t.a
--> @2 out.b <- t.b
--> stmt 0 COPY reads in.csv writes t
--> stmt 1 COPY reads t writes out.csv
--> stmt 2 SELECT reads t

-- case: objects_of_several_words_hold_no_columns
-- dialect: tsql
CREATE FULLTEXT CATALOG c AS DEFAULT;
CREATE EXTERNAL FILE FORMAT f WITH (FORMAT_TYPE = PARQUET);
DROP SECURITY POLICY p;
--> stmt 0 CREATE_CATALOG
--> stmt 1 CREATE_FORMAT
--> stmt 2 DROP_POLICY
--> no issue UNSUPPORTED_SYNTAX

-- case: a_table_is_emptied_on_a_cluster
-- dialect: clickhouse
-- table: t(a int)
TRUNCATE TABLE t ON CLUSTER c SYNC;
--> stmt 0 TRUNCATE writes t
